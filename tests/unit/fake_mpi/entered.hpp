// A call of one of the fake MPI's functions.
#pragma once

#include "fake_mpi/state.hpp"

// Defines MPI_<name> as a program calls it (unless what is tested wraps it) and as Stretto looks
// it up.
#define FAKE_MPI_AS(symbol, name, parameters)                                                 \
  extern "C" int fake_##name parameters;                                                      \
  extern "C" __attribute__((weak, alias("fake_" #name))) int symbol parameters;               \
  static_assert(std::is_same_v<decltype(&fake_##name), decltype(&PMPI_##name)>);              \
  static const fake_mpi::Registered registered_##name("P" #symbol,                            \
                                                      reinterpret_cast<void*>(&fake_##name)); \
  extern "C" int fake_##name parameters
#define FAKE_MPI(name, parameters) FAKE_MPI_AS(MPI_##name, name, parameters)

namespace fake_mpi {

// By the name that Stretto looks for.
[[nodiscard]] std::map<std::string, void*, std::less<>>& functions();
struct Registered {
  Registered(const char* name, void* function) { functions()[name] = function; }
};

// Counts the call, and holds the lock. Only on a thread that runs a rank.
class Entered {
 public:
  // `function`: its __func__.
  explicit Entered(const char* function, MPI_Comm comm = MPI_COMM_SELF);
  ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  // It is to fail, or its communicator is none.
  [[nodiscard]] bool fails() const { return error_ != MPI_SUCCESS; }
  // Of a call that has its part first: was to fail?
  [[nodiscard]] int planned() const { return error_; }
  [[nodiscard]] bool has_comm() const { return comm_ != nullptr; }
  // Tells the error handler of the communicator, without the lock. Returns the error.
  int raise(int error) { return raise_on(handle_, error); }
  int raise_on(MPI_Comm comm, int error);
  int refused() { return raise(error_); }
  // What a call that waits for nobody does, unless it is to fail.
  template <class Action>
  int answer(const Action& action) {
    if (fails()) return refused();
    action();
    return MPI_SUCCESS;
  }
  int result(int error) { return error == MPI_SUCCESS ? error : raise(error); }
  // For calls of the program's functions.
  template <class Action>
  auto unlocked(const Action& action) {
    lock.unlock();
    struct Again {
      std::unique_lock<std::mutex>& taken;
      ~Again() { taken.lock(); }
    } const again{lock};
    return action();
  }
  template <class Condition>
  void wait(const Condition& condition) {
    job.changed.wait(lock, condition);
  }
  void misused(const std::string& how);

  // Objects that a handle stands for; where it stands for none the call is misuse, and what it gets
  // is one that does no harm.
  [[nodiscard]] TypePointer type(MPI_Datatype handle);
  [[nodiscard]] std::shared_ptr<Op> op(MPI_Op handle);
  [[nodiscard]] std::shared_ptr<Errhandler> handler(MPI_Errhandler handle);
  [[nodiscard]] std::shared_ptr<Group> group(MPI_Group handle);
  [[nodiscard]] Comm& comm() { return *comm_; }
  [[nodiscard]] const CommPointer& comm_pointer() { return comm_; }
  [[nodiscard]] MPI_Comm comm_handle() const { return handle_; }

  Rank& rank;
  State& job;
  std::unique_lock<std::mutex> lock;

 private:
  const char* function_;
  MPI_Comm handle_;
  CommPointer comm_;
  int error_ = MPI_SUCCESS;
};

// All ranks of the communicator come here, with what they give. Who is last runs `last`, which may
// change what all have given; returns at once where that is not to be waited for.
using Last = std::function<void(Meeting&)>;
std::shared_ptr<Meeting> meet(Entered& at, const CommPointer& comm, const std::string& what,
                              std::shared_ptr<void> given, const Last& last, bool waits = true);

// An MPI_COMM_WORLD-like communicator's handle on this rank.
[[nodiscard]] MPI_Comm add_comm(Entered& at, std::shared_ptr<Context> context);

// Runs the deletion callbacks, the newest attribute's first.
int delete_attributes(Entered& at, MPI_Comm handle, Comm& comm);

// Errors as MPICH finds them: a communicator without a handler of its own has MPI_COMM_SELF's, or
// else MPI_COMM_WORLD's.
[[nodiscard]] std::shared_ptr<Errhandler> handler_in_charge(const Rank& rank, const Comm* comm);

}  // namespace fake_mpi
