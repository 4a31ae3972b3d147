// A call of MPI_Wait, MPI_Test and their kind: what all eight have in common.
#pragma once

#include <cstdint>
#include <utility>

#include "mpi/native.hpp"

namespace stretto {

// Over which of the program's requests, and where the MPI says what became of them. Parameters
// that a call does not have are null.
struct Completion {
  enum class Of : std::uint8_t { one, all, any, some };

  Of of = Of::one;
  bool waits = true;     // or tests
  void* real = nullptr;  // the MPI's own function
  int count = 1;
  MPI_Request* requests = nullptr;
  int* flag = nullptr;
  int* index = nullptr;
  int* outcount = nullptr;
  int* indices = nullptr;
  MPI_Status* statuses = nullptr;  // or MPI_STATUS(ES)_IGNORE; of one or any a single one

  // From the arguments of the functions, in their order.
  static Completion wait(void* real, MPI_Request* request, MPI_Status* status) {
    return {.real = real, .requests = request, .statuses = status};
  }
  static Completion test(void* real, MPI_Request* request, int* flag, MPI_Status* status) {
    return {.waits = false, .real = real, .requests = request, .flag = flag, .statuses = status};
  }
  static Completion waitall(void* real, int count, MPI_Request* requests, MPI_Status* statuses) {
    return {
        .of = Of::all, .real = real, .count = count, .requests = requests, .statuses = statuses};
  }
  static Completion testall(void* real, int count, MPI_Request* requests, int* flag,
                            MPI_Status* statuses) {
    return {.of = Of::all,
            .waits = false,
            .real = real,
            .count = count,
            .requests = requests,
            .flag = flag,
            .statuses = statuses};
  }
  static Completion waitany(void* real, int count, MPI_Request* requests, int* index,
                            MPI_Status* status) {
    return {.of = Of::any,
            .real = real,
            .count = count,
            .requests = requests,
            .index = index,
            .statuses = status};
  }
  static Completion testany(void* real, int count, MPI_Request* requests, int* index, int* flag,
                            MPI_Status* status) {
    return {.of = Of::any,
            .waits = false,
            .real = real,
            .count = count,
            .requests = requests,
            .flag = flag,
            .index = index,
            .statuses = status};
  }
  static Completion waitsome(void* real, int count, MPI_Request* requests, int* outcount,
                             int* indices, MPI_Status* statuses) {
    return {.of = Of::some,
            .real = real,
            .count = count,
            .requests = requests,
            .outcount = outcount,
            .indices = indices,
            .statuses = statuses};
  }
  static Completion testsome(void* real, int count, MPI_Request* requests, int* outcount,
                             int* indices, MPI_Status* statuses) {
    return {.of = Of::some,
            .waits = false,
            .real = real,
            .count = count,
            .requests = requests,
            .outcount = outcount,
            .indices = indices,
            .statuses = statuses};
  }

  [[nodiscard]] bool has_one_status() const { return of == Of::one || of == Of::any; }
  [[nodiscard]] bool ignores_statuses() const {
    if (has_one_status()) return statuses == MPI_STATUS_IGNORE;
    return statuses == MPI_STATUSES_IGNORE;
  }

  // Calls the MPI's function. Returns an MPI error code.
  [[nodiscard]] int call() const;
  // Asks the MPI once, as the test of the same requests does; `*done` says whether the call would
  // be over. Returns an MPI error code.
  [[nodiscard]] int ask(int* done) const;

  // Once it has succeeded: is it over, or is there something to wait for still?
  [[nodiscard]] bool is_over() const {
    return (flag == nullptr || *flag != 0) && (outcount == nullptr || *outcount != 0);
  }
  // Of any or some, once it is over: none of the requests was active.
  [[nodiscard]] bool found_none_active() const {
    return (of == Of::any && *index == MPI_UNDEFINED) ||
           (of == Of::some && *outcount == MPI_UNDEFINED);
  }

  // A call that is refused leaves as it was what says which requests are complete: before it,
  // none are.
  void none_complete() const;
  // Once it has returned: calls `see(place, number)` for each request that is complete: its place
  // among the requests, and the number of its status.
  template <class See>
  void each_complete(const See& see) const {
    switch (of) {
      case Of::one:
      case Of::all:
        for (int i = 0; (waits || *flag != 0) && i < count; ++i) see(i, i);
        return;
      case Of::any:
        // MPI_UNDEFINED is negative: none was active.
        if ((waits || *flag != 0) && *index >= 0) see(*index, 0);
        return;
      case Of::some:
        for (int i = 0; i < *outcount; ++i) see(indices[i], i);
        return;
    }
  }
};

}  // namespace stretto
