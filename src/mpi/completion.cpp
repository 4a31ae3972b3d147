#include "mpi/completion.hpp"

namespace stretto {
namespace {

// The MPI's functions by their own types.
#define STRETTO_AS(name) reinterpret_cast<decltype(&PMPI_##name)>

int call_wait(const Completion& c) {
  switch (c.of) {
    case Completion::Of::one:
      return STRETTO_AS(Wait)(c.real)(c.requests, c.statuses);
    case Completion::Of::all:
      return STRETTO_AS(Waitall)(c.real)(c.count, c.requests, c.statuses);
    case Completion::Of::any:
      return STRETTO_AS(Waitany)(c.real)(c.count, c.requests, c.index, c.statuses);
    case Completion::Of::some:
      break;
  }
  return STRETTO_AS(Waitsome)(c.real)(c.count, c.requests, c.outcount, c.indices, c.statuses);
}

int call_test(const Completion& c) {
  switch (c.of) {
    case Completion::Of::one:
      return STRETTO_AS(Test)(c.real)(c.requests, c.flag, c.statuses);
    case Completion::Of::all:
      return STRETTO_AS(Testall)(c.real)(c.count, c.requests, c.flag, c.statuses);
    case Completion::Of::any:
      return STRETTO_AS(Testany)(c.real)(c.count, c.requests, c.index, c.flag, c.statuses);
    case Completion::Of::some:
      break;
  }
  return STRETTO_AS(Testsome)(c.real)(c.count, c.requests, c.outcount, c.indices, c.statuses);
}

#undef STRETTO_AS

}  // namespace

int Completion::call() const { return waits ? call_wait(*this) : call_test(*this); }

int Completion::ask(int* done) const {
  *done = 0;
  switch (of) {
    case Of::one:
      return native().Test(requests, done, statuses);
    case Of::all:
      return native().Testall(count, requests, done, statuses);
    case Of::any:
      return native().Testany(count, requests, index, done, statuses);
    case Of::some:
      break;
  }
  const int error = native().Testsome(count, requests, outcount, indices, statuses);
  *done = *outcount != 0 ? 1 : 0;
  return error;
}

void Completion::none_complete() const {
  if (flag != nullptr) *flag = 0;
  if (index != nullptr) *index = MPI_UNDEFINED;
  if (outcount != nullptr) *outcount = 0;
}

}  // namespace stretto
