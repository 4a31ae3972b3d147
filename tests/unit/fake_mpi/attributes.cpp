// Attributes and error handlers of communicators.

#include <algorithm>

#include "fake_mpi/entered.hpp"

namespace fake_mpi {
namespace {

// One that was freed lives, and so does its handle, as long as an attribute: `kind` was one's.
void let_go(Entered& at, int keyval, std::shared_ptr<Keyval> kind) {
  const bool freed = kind->freed;
  const std::weak_ptr<Keyval> others = kind;
  kind.reset();
  if (freed && others.use_count() == 1) at.rank.keyvals.remove(keyval);
}

}  // namespace

int delete_attributes(Entered& at, MPI_Comm handle, Comm& comm) {
  while (!comm.attributes.empty()) {
    Comm::Attribute last = comm.attributes.back();
    comm.attributes.pop_back();
    int error = MPI_SUCCESS;
    if (last.kind->gone != nullptr) {
      error = at.unlocked(
          [&] { return last.kind->gone(handle, last.keyval, last.value, last.kind->extra); });
    }
    let_go(at, last.keyval, std::move(last.kind));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

namespace {

auto find(Comm& comm, int keyval) {
  return std::ranges::find(comm.attributes, keyval, &Comm::Attribute::keyval);
}

}  // namespace
}  // namespace fake_mpi

using namespace fake_mpi;

FAKE_MPI(Comm_create_keyval, (MPI_Comm_copy_attr_function * copy,
                              MPI_Comm_delete_attr_function* gone, int* keyval, void* extra)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *keyval = at.rank.keyvals.add(std::make_shared<Keyval>(Keyval{copy, gone, extra}));
  return MPI_SUCCESS;
}
// Attributes of that kind stay.
FAKE_MPI(Comm_free_keyval, (int* keyval)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  std::shared_ptr<Keyval> kind = at.rank.keyvals.find(*keyval);
  if (kind == nullptr || kind->freed) {
    at.misused("no keyval");
  } else {
    kind->freed = true;
    let_go(at, *keyval, std::move(kind));
  }
  *keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}
FAKE_MPI(Comm_set_attr, (MPI_Comm comm, int keyval, void* value)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  const auto kind = at.rank.keyvals.find(keyval);
  if (kind == nullptr || kind->freed) return at.raise(MPI_ERR_KEYVAL);
  const auto known = find(at.comm(), keyval);
  if (known != at.comm().attributes.end()) {
    void* const before = known->value;
    known->value = value;
    if (kind->gone != nullptr) {
      at.unlocked([&] { return kind->gone(comm, keyval, before, kind->extra); });
    }
    return MPI_SUCCESS;
  }
  at.comm().attributes.push_back({keyval, kind, value});
  return MPI_SUCCESS;
}
FAKE_MPI(Comm_get_attr, (MPI_Comm comm, int keyval, void* value, int* flag)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  *flag = 1;
  if (keyval == MPI_TAG_UB) {
    *static_cast<void**>(value) = &at.job.options.highest_tag;
    return MPI_SUCCESS;
  }
  const auto known = find(at.comm(), keyval);
  if (known == at.comm().attributes.end()) {
    *flag = 0;
  } else {
    *static_cast<void**>(value) = known->value;
  }
  return MPI_SUCCESS;
}
FAKE_MPI(Comm_delete_attr, (MPI_Comm comm, int keyval)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  const auto known = find(at.comm(), keyval);
  if (known == at.comm().attributes.end()) return at.raise(MPI_ERR_KEYVAL);
  Comm::Attribute deleted = *known;
  at.comm().attributes.erase(known);
  int error = MPI_SUCCESS;
  if (deleted.kind->gone != nullptr) {
    error = at.unlocked(
        [&] { return deleted.kind->gone(comm, keyval, deleted.value, deleted.kind->extra); });
  }
  let_go(at, keyval, std::move(deleted.kind));
  return at.result(error);
}

FAKE_MPI(Comm_create_errhandler,
         (MPI_Comm_errhandler_function * function, MPI_Errhandler* errhandler)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const auto made = std::make_shared<Errhandler>();
  made->function = function;
  *errhandler = at.rank.handlers.add(made);
  made->named = *errhandler;
  return MPI_SUCCESS;
}
FAKE_MPI(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  at.comm().handler = at.handler(errhandler);
  return MPI_SUCCESS;
}
// As in MPICH a communicator that was given none says that errors are fatal. A handle to one of the
// program's is another one, which is freed by itself.
FAKE_MPI(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  const auto& handler = at.comm().handler;
  if (handler == nullptr) {
    *errhandler = MPI_ERRORS_ARE_FATAL;
  } else {
    *errhandler = handler->function == nullptr ? handler->named : at.rank.handlers.add(handler);
  }
  return MPI_SUCCESS;
}
FAKE_MPI(Errhandler_free, (MPI_Errhandler * errhandler)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  static_cast<void>(at.handler(*errhandler));
  at.rank.handlers.remove(*errhandler);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}
FAKE_MPI(Comm_call_errhandler, (MPI_Comm comm, int errorcode)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  at.raise(errorcode);
  return MPI_SUCCESS;
}
