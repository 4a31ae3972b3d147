// Waiting and testing. Stretto's requests are generalized requests of the MPI's, so its
// own Test functions report when any mix of requests is complete; what Stretto adds is that
// its operations are driven meanwhile, and that a wait sleeps where it should not spin.

#include <algorithm>

#include "base/log.hpp"
#include "intercept/accelerate/hooks.hpp"

namespace stretto::intercept::accelerate {
namespace {

// What the program waits or asks for: those of the operations that have these requests.
class AwaitedMpiRequests : public Awaited {
 public:
  AwaitedMpiRequests(int count, const MPI_Request* requests) : count_(count), requests_(requests) {}
  [[nodiscard]] bool has(const Operation& operation) const override {
    const MPI_Request* const end = requests_ + std::max(count_, 0);
    const auto asked = [&](MPI_Request request) {
      return std::find(requests_, end, request) != end;
    };
    return operation.has_request && asked(operation.request);
  }

 private:
  int count_;
  const MPI_Request* requests_;
};

// Would the MPI's own wait do? Where nothing of Stretto's is pending.
bool wait_natively() {
  Engine& engine = Engine::get();
  if (engine.background() > 0) return false;
  engine.free_released();
  engine.relax();
  return true;
}

// Whether it is worth asking the MPI again about requests that were not complete. Each question
// makes it poll for messages, which takes longer than all else between two polls of Stretto's own.
class Questions {
 public:
  // Nobody has asked about these yet. To find out whose they are takes less than to ask.
  void begin(int count, const MPI_Request* requests) {
    ended_ = Engine::get().ended();
    not_complete(count, requests);
  }
  [[nodiscard]] bool worth_asking() {
    const long ended = Engine::get().ended();
    if (whose_ == Whose::ours && ended == ended_) return false;
    ended_ = ended;
    return true;
  }
  // None of these was complete when it was asked. Where all belong to operations of Stretto's, one
  // will be when one of these has ended; those of others do not become Stretto's.
  void not_complete(int count, const MPI_Request* requests) {
    if (whose_ == Whose::others) return;
    const bool ours = count > 0 && count <= kMost && Engine::get().owns(count, requests);
    whose_ = ours ? Whose::ours : Whose::others;
  }
  // The next question is about other requests.
  void forget() { whose_ = Whose::unknown; }

 private:
  enum class Whose { unknown, ours, others };
  static constexpr int kMost = 16;  // that are looked up
  Whose whose_ = Whose::unknown;
  long ended_ = 0;
};

// Drives until `test(&flag)`, which asks about these requests, raises the flag or fails; returns
// what it returned last.
template <class Test>
int drive(int count, const MPI_Request* requests, const Test& test) {
  int error = MPI_SUCCESS;
  Questions questions;
  if (count == 1 && requests != nullptr) questions.begin(count, requests);
  Engine::get().wait_until([&] {
    if (!questions.worth_asking()) return false;
    int flag = 0;
    error = test(&flag);
    if (flag != 0 || error != MPI_SUCCESS) return true;
    questions.not_complete(count, requests);
    return false;
  });
  return error;
}

// Drives until all are complete or one cannot be asked. Not by MPI_Testall: MPICH 5.0's fails
// for persistent collectives that went well.
void drive_all(int count, const MPI_Request* requests) {
  int next = 0;
  Questions questions;
  Engine::get().wait_until([&] {
    for (; next < count; ++next, questions.forget()) {
      if (!questions.worth_asking()) return false;
      int flag = 0;
      const int error = native().Request_get_status(requests[next], &flag, MPI_STATUS_IGNORE);
      if (error != MPI_SUCCESS) return true;
      if (flag != 0) continue;
      questions.not_complete(1, requests + next);
      return false;
    }
    return true;
  });
}

void drive_once() {
  Engine& engine = Engine::get();
  if (engine.background() > 0) return engine.progress();
  engine.free_released();
}

// The handles of an array before a call that may null them; empty where none is tracked.
std::vector<MPI_Request> remember(int count, const MPI_Request* requests) {
  if (!Tracked::get().any() || count <= 0) return {};
  return {requests, requests + count};
}

int wait(const Completion& completion) {
  if (wait_natively()) return completion.call();
  if (completion.of == Completion::Of::all) {
    drive_all(completion.count, completion.requests);
    return completion.call();
  }
  return drive(completion.count, completion.requests,
               [&](int* done) { return completion.ask(done); });
}

int test(const Completion& completion) {
  drive_once();
  const int error = completion.call();
  Engine::get().free_released();  // what another thread has ended since
  return error;
}

}  // namespace

int on_completion(const Completion& completion) {
  const Failures failures;
  const AwaitedMpiRequests awaited(completion.count, completion.requests);
  const std::vector<MPI_Request> tracked = remember(completion.count, completion.requests);
  if (!tracked.empty()) completion.none_complete();
  const int error = completion.waits ? wait(completion) : test(completion);
  if (!tracked.empty()) {
    completion.each_complete([&](int place, int /*status*/) {
      Tracked::get().forget(tracked[static_cast<std::size_t>(place)]);
    });
  }
  Persistents::get().collect(error);
  return failures.result(error, completion);
}

void move_along(int count, const MPI_Request* requests) {
  const AwaitedMpiRequests awaited(count, requests);
  drive_once();
}

int on_Request_get_status(STRETTO_REAL(Request_get_status) real, MPI_Request request, int* flag,
                          MPI_Status* status) {
  return on_asking(1, &request, [=] { return real(request, flag, status); });
}

int on_Request_free(STRETTO_REAL(Request_free) real, MPI_Request* request) {
  // What is wrong with `request` the MPI says.
  const MPI_Request freed = request == nullptr ? native().request_null : *request;
  if (Persistents::get().any()) Persistents::get().forget(freed);
  const int error = real(request);
  if (Tracked::get().any()) Tracked::get().forget(freed);
  Engine::get().free_released();  // what only that has kept
  return error;
}

int on_Start(STRETTO_REAL(Start) real, MPI_Request* request) {
  const MPI_Request started = *request;
  const int error = real(request);
  if (error == MPI_SUCCESS && Persistents::get().any()) Persistents::get().start(started);
  return error;
}

int on_Startall(STRETTO_REAL(Startall) real, int count, MPI_Request* requests) {
  const int error = real(count, requests);
  if (error != MPI_SUCCESS || !Persistents::get().any()) return error;
  for (int i = 0; i < count; ++i) Persistents::get().start(requests[i]);
  return error;
}

int refuse_persistent(const Decision& decision) {
  const bool known = decision.comm != nullptr;
  const MPI_Comm comm = known ? decision.comm->user : native().comm_world;
  if (decision.error == MPI_SUCCESS) {
    say("this MPI has no persistent collectives, and Stretto leaves this one to it: %s",
        words(decision.choice.reason));
  }
  return report(comm, decision.error == MPI_SUCCESS ? MPI_ERR_OTHER : decision.error);
}

}  // namespace stretto::intercept::accelerate
