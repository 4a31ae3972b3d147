// Times a call that may complete requests, whose handles are gone when it has.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "intercept/profile/timed.hpp"

namespace stretto::intercept::profile {

// The handles of an array, as they are when this is made.
class Handles {
 public:
  Handles(int count, const MPI_Request* requests) {
    const auto size = static_cast<std::size_t>(count > 0 ? count : 0);
    if (size <= kFew) {
      std::copy_n(requests, size, few_);
      all_ = {few_, size};
    } else {
      many_.assign(requests, requests + size);
      all_ = many_;
    }
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  [[nodiscard]] std::span<const MPI_Request> all() const { return all_; }
  // The handles at these places alone.
  [[nodiscard]] std::span<const MPI_Request> at(std::span<const int> places);
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
      : requests_(requests),
        before_(count, requests),
        timed_(function, caller, native().comm_null) {}

  // What the MPI tells of the call is read when it has ended: hence the pointers.

  // All of them, where `flag` is not false.
  int all(int error, const int* flag = nullptr) {
    if (error != MPI_SUCCESS) return failed(error);
    return timed_.touches(flag == nullptr || *flag != 0 ? Deed::completes : Deed::looks, error,
                          before_.all());
  }
  // The one at `index`, where `flag` is not false.
  int one(int error, const int* index, const int* flag = nullptr) {
    if (error != MPI_SUCCESS) return failed(error);
    if (flag != nullptr && *flag == 0) return timed_.touches(Deed::looks, error, before_.all());
    if (*index == MPI_UNDEFINED) return error;
    return timed_.touches(Deed::completes, error, before_.at({index, 1}));
  }
  // The `count` ones at `indices`.
  int some(int error, const int* count, const int* indices) {
    if (error != MPI_SUCCESS) return failed(error);
    if (*count == MPI_UNDEFINED) return error;
    if (*count == 0) return timed_.touches(Deed::looks, error, before_.all());
    const std::span places(indices, static_cast<std::size_t>(*count));
    return timed_.touches(Deed::completes, error, before_.at(places));
  }
  // None, whatever the answer is: MPI_Request_get_status.
  int none(int error) { return timed_.touches(Deed::looks, error, before_.all()); }
  // MPI_Request_free.
  int freed(int error) { return timed_.touches(Deed::frees, error, before_.all()); }

 private:
  // Some may be complete, but which did what is not worth telling.
  int failed(int error) {
    timed_.touches(Deed::frees, MPI_SUCCESS, before_.gone_from(requests_));
    return error;
  }

  const MPI_Request* requests_;
  Handles before_;
  Timed timed_;
};

}  // namespace stretto::intercept::profile
