#include "callbacks.hpp"

#include <array>
#include <atomic>

namespace differential {
namespace {

bool calling = false;
int comm_key = MPI_KEYVAL_INVALID, type_key = MPI_KEYVAL_INVALID;
// Any thread that calls MPI, or that makes progress for it, may run a callback.
std::atomic<int> comm_copies{0}, comm_deletes{0}, type_deletes{0}, operations{0};

void make_and_free_types() {
  MPI_Datatype made{}, copy{};
  MPI_Type_contiguous(3, MPI_INT, &made);
  MPI_Type_commit(&made);
  MPI_Type_dup(made, &copy);
  MPI_Type_free(&made);
  MPI_Type_free(&copy);
}

void pack() {
  std::array<int, 8> numbers{1, 2, 3, 4, 5, 6, 7, 8}, back{};
  std::array<char, 256> packed{};
  int place = 0, read = 0;
  MPI_Pack(numbers.data(), 8, MPI_INT, packed.data(), 256, &place, MPI_COMM_SELF);
  MPI_Unpack(packed.data(), place, &read, back.data(), 8, MPI_INT, MPI_COMM_SELF);
}

void ask() {
  MPI_Group group{};
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_free(&group);
  int flag = 0;
  void* value = nullptr;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
}

// Attributes' functions may communicate, too; with others only where all call them.
void communicate() {
  MPI_Comm copy{};
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
  MPI_Request request{};
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);
}

int copy_of_comm(MPI_Comm /*comm*/, int /*key*/, void* /*extra*/, void* in, void* out, int* flag) {
  ++comm_copies;
  make_and_free_types();
  communicate();
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_of_comm(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  ++comm_deletes;
  make_and_free_types();
  communicate();
  return MPI_SUCCESS;
}

int delete_of_type(MPI_Datatype /*type*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  ++type_deletes;
  make_and_free_types();
  ask();
  return MPI_SUCCESS;
}

}  // namespace

void let_callbacks_call() {
  calling = true;
  MPI_Comm_create_keyval(copy_of_comm, delete_of_comm, &comm_key, nullptr);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_of_type, &type_key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, comm_key, &calling);
}

void end_callbacks() {
  if (!calling) return;
  MPI_Comm_delete_attr(MPI_COMM_WORLD, comm_key);
  MPI_Comm_free_keyval(&comm_key);
  MPI_Type_free_keyval(&type_key);
}

void call_as_an_operation(MPI_Datatype type) {
  if (!calling) return;
  switch (operations++ % 3) {
    case 0: {
      MPI_Datatype copy{};
      MPI_Type_dup(type, &copy);
      MPI_Type_free(&copy);
      return make_and_free_types();
    }
    case 1:
      return pack();
    default:
      return ask();
  }
}

void mark(MPI_Datatype type) {
  if (calling) MPI_Type_set_attr(type, type_key, &calling);
}

Seed callbacks_so_far() {
  return mix(as_seed(comm_copies.exchange(0)) * 1'000'000 +
             as_seed(comm_deletes.exchange(0)) * 1000 + as_seed(type_deletes.exchange(0)));
}

}  // namespace differential
