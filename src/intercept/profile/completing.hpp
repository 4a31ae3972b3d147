// Times a call that may complete requests, whose handles are gone when it has.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "intercept/profile/timed.hpp"
#include "mpi/completion.hpp"

namespace stretto::intercept::profile {

// The handles of an array, as they are when this is made.
class HandlesBefore {
 public:
  HandlesBefore(int count, const MPI_Request* requests) {
    const auto size = static_cast<std::size_t>(count > 0 ? count : 0);
    if (size <= kFew) {
      std::copy_n(requests, size, few_);
      all_ = {few_, size};
    } else {
      many_.assign(requests, requests + size);
      all_ = many_;
    }
  }
  HandlesBefore(const HandlesBefore&) = delete;
  HandlesBefore& operator=(const HandlesBefore&) = delete;

  [[nodiscard]] std::span<const MPI_Request> all() const { return all_; }
  // Those that `call` has completed.
  [[nodiscard]] std::span<const MPI_Request> complete(const Completion& call);
  // Those whose place in the program's array is empty now.
  [[nodiscard]] std::span<const MPI_Request> gone_from(const MPI_Request* requests);

 private:
  static constexpr std::size_t kFew = 32;
  MPI_Request few_[kFew];  // NOLINT(cppcoreguidelines-pro-type-member-init): most need no more
  std::vector<MPI_Request> many_;
  std::span<const MPI_Request> all_;
  std::vector<MPI_Request> chosen_;
};

class Completing {
 public:
  Completing(int function, void* caller, int count, const MPI_Request* requests)
      : before_(count, requests), timed_(function, caller, native().comm_null) {}

  // What the call that ended with `error` did with the requests.
  int completes(int error, const Completion& call);
  int polls(int error) { return timed_.affects(RequestEffect::polls, error, before_.all()); }
  int frees(int error) { return timed_.affects(RequestEffect::frees, error, before_.all()); }

 private:
  HandlesBefore before_;
  Timed timed_;
};

// MPI_Wait, MPI_Test and their kind.
int on_completion(int function, void* caller, const Completion& of_the_program);

}  // namespace stretto::intercept::profile
