#include "intercept/profile/completing.hpp"

namespace stretto::intercept::profile {

std::span<const MPI_Request> HandlesBefore::complete(const Completion& call) {
  chosen_.clear();
  call.each_complete(
      [&](int place, int /*status*/) { chosen_.push_back(all_[static_cast<std::size_t>(place)]); });
  return chosen_;
}

std::span<const MPI_Request> HandlesBefore::gone_from(const MPI_Request* requests) {
  chosen_.clear();
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (requests[i] == native().request_null) chosen_.push_back(all_[i]);
  }
  return chosen_;
}

int Completing::completes(int error, const Completion& call) {
  if (error != MPI_SUCCESS) {
    // Some may be complete, but which did what is not worth finding out.
    timed_.affects(RequestEffect::frees, MPI_SUCCESS, before_.gone_from(call.requests));
    return error;
  }
  if (!call.is_over()) return polls(error);
  const bool is_all = call.of == Completion::Of::one || call.of == Completion::Of::all;
  return timed_.affects(RequestEffect::completes, error,
                        is_all ? before_.all() : before_.complete(call),
                        call.ignores_statuses() ? nullptr : call.statuses);
}

int on_completion(int function, void* caller, const Completion& of_the_program) {
  Completion call = of_the_program;
  std::vector<MPI_Status> own;
  if (call.count > 0 && call.ignores_statuses() && CallRecorder::get().needs_statuses()) {
    own.resize(call.has_one_status() ? 1 : static_cast<std::size_t>(call.count));
    call.statuses = own.data();
  }
  Completing timed(function, caller, call.count, call.requests);
  return timed.completes(call.call(), call);
}

}  // namespace stretto::intercept::profile
