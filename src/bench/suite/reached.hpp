// MPI's functions as a program reaches them: whoever is preloaded has the call first.
#pragma once

#include <mpi.h>

#include <string>

#include "bench/suite/plan.hpp"

namespace stretto::bench {

// MPI_<name>, or nullptr. Open MPI 4.1 has persistent collectives as MPIX_<name>.
[[nodiscard]] void* reached(const std::string& name);

template <class Function>
[[nodiscard]] Function reached_as(const std::string& name) {
  return reinterpret_cast<Function>(reached(name));
}

// A function of MPI that has three forms, one of which is called.
struct FormOf {
  void* function = nullptr;
  CallForm form = CallForm::blocking;
  MPI_Info info{};

  // The blocking form takes `arguments`, the others a request besides.
  template <class... Arguments>
  [[gnu::always_inline]] int operator()(MPI_Request* request, Arguments... arguments) const {
    switch (form) {
      case CallForm::blocking:
        return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
      case CallForm::nonblocking:
        return reinterpret_cast<int (*)(Arguments..., MPI_Request*)>(function)(arguments...,
                                                                               request);
      case CallForm::persistent:
        return reinterpret_cast<int (*)(Arguments..., MPI_Info, MPI_Request*)>(function)(
            arguments..., info, request);
    }
    return MPI_SUCCESS;
  }
};

// Of a collective named as in MPI ("Allreduce"): Allreduce, Iallreduce or Allreduce_init.
[[nodiscard]] std::string name_in_form(const std::string& function, CallForm form);

}  // namespace stretto::bench
