#include "bench/suite/call_of.hpp"

#include <algorithm>
#include <limits>

#include "mpi/native.hpp"

namespace stretto::bench {
namespace {

MPI_Datatype type_of(ElementType element) {
  switch (element) {
    case ElementType::byte:
      return native().byte;
    case ElementType::int32:
      return native().int32;
    case ElementType::int64:
      return native().int64;
    case ElementType::float32:
      return native().single;
    case ElementType::float64:
      break;
  }
  return native().real;
}

MPI_Op op_of(Combination combination) {
  switch (combination) {
    case Combination::sum:
      return native().op_sum;
    case Combination::max:
      return native().op_max;
    case Combination::min:
      return native().op_min;
    case Combination::band:
      return native().op_band;
    case Combination::bor:
      break;
  }
  return native().op_bor;
}

// Of a cell that can be measured, both are known.
ElementType element_of(const BenchCell& cell) {
  return element_named(cell.datatype).value_or(ElementType::float64);
}
Combination combination_of(const BenchCell& cell) {
  return combination_named(cell.op).value_or(Combination::sum);
}

const MeasuredOperation& operation_of(const BenchCell& cell) {
  return *operation_named(cell.operation);
}

std::string function_of(const MeasuredOperation& operation, CallForm form) {
  // Both have a request for what is received and one for what is sent.
  if (operation.messages && form != CallForm::blocking) return name_in_form("Send", form);
  return name_in_form(std::string(operation.function), form);
}

// Counts, and where displacements say where, the place of the last block are ints in MPI.
bool has_too_many(const MeasuredOperation& operation, const BenchCell& cell, const Place& place) {
  const std::int64_t size = size_of(element_of(cell));
  std::int64_t largest = cell.bytes / size;
  std::int64_t all = cell.of_root ? largest : largest * (operation.neighbors ? 4 : place.size);
  if (!cell.counts.empty()) {
    all = 0;
    for (int rank = 0; rank < place.size; ++rank) {
      const auto at = static_cast<std::size_t>(rank) % cell.counts.size();
      largest = std::max(largest, cell.counts[at]);
      all += cell.counts[at];
    }
    if (operation.neighbors) all = largest * 4;
  }
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  switch (operation.signature) {
    case Signature::gathered:
    case Signature::rooted_gathered:
    case Signature::rooted_scattered:
    case Signature::scattered_vector:
    case Signature::counts:
    case Signature::addresses:
      return std::max(largest, all) > most;
    case Signature::types:
      return all * size > most;
    default:
      return largest > most;
  }
}

}  // namespace

std::string why_not(const BenchCell& cell, const Place& place) {
  const MeasuredOperation* const operation = operation_named(cell.operation);
  if (operation == nullptr) return "no operation has this name";
  const auto element = element_named(cell.datatype);
  const auto combination = combination_named(cell.op);
  if (!element) return "no datatype " + cell.datatype + " is known here";
  if (!combination) return "no operation " + cell.op + " is known here";
  if (operation->reduces && !combines(*combination, *element)) {
    return "MPI has no " + cell.op + " of " + cell.datatype;
  }
  if (operation->only_blocking && cell.form != CallForm::blocking) return "it has no such form";
  if (cell.bytes % size_of(*element) != 0) {
    return std::to_string(cell.bytes) + " B are no whole number of " + cell.datatype;
  }
  if (cell.in_place && !operation->in_place) return "MPI has no MPI_IN_PLACE there";
  if ((cell.of_root || !cell.counts.empty()) && !operation->takes_counts) {
    return "all its blocks are alike";
  }
  if ((operation->rooted || cell.of_root) && cell.root >= place.size) {
    return "there is no such root";
  }
  if (place.size < 2 && operation->messages) return "it takes two ranks";
  if (!is_group_name(cell.comm)) return "there are no such communicators";
  if (has_too_many(*operation, cell, place)) return "so many elements are more than an int holds";
  if (cell.operation != "compute") {
    const std::string function = function_of(*operation, cell.form);
    if (reached(function) == nullptr) return "this MPI has no MPI_" + function;
  }
  return "";
}

MeasuredCall::MeasuredCall(const BenchCell& cell, const CellGroup& group)
    : cell_(cell),
      group_(group),
      operation_(operation_of(cell)),
      blocks_(blocks_of(operation_, cell, cell.bytes / size_of(element_of(cell)), group.place)),
      values_(element_of(cell), combination_of(cell)),
      element_size_(static_cast<int>(size_of(element_of(cell)))),
      type_(type_of(element_of(cell))),
      op_(op_of(combination_of(cell))),
      function_{.function = reached(function_of(operation_, cell.form)),
                .form = cell.form,
                .info = native().info_null},
      receive_function_(reached("Recv")),
      start_(reached_as<int (*)(MPI_Request*)>("Start")),
      test_(reached_as<int (*)(MPI_Request*, int*, MPI_Status*)>("Test")),
      wait_(reached_as<int (*)(MPI_Request*, MPI_Status*)>("Wait")),
      types_(std::max(blocks_.counts.size(), blocks_.send_counts.size()), type_),
      request_(native().request_null) {
  if (operation_.messages && cell.form != CallForm::blocking) {
    const int other = group.place.rank ^ 1;
    messages_.emplace(
        MessageKind{.form = cell.form,
                    .count = static_cast<int>(blocks_.count),
                    .type = type_,
                    .comm = group.measured},
        MessagePartner{
            .rank = other, .is_there = other < group.place.size, .comes_first = answers()});
  }
  if (operation_.signature == Signature::types) {
    for (const int each : blocks_.displs) byte_displs_.push_back(each * element_size_);
  }
  if (operation_.signature == Signature::addresses) {
    for (const int each : blocks_.displs) address_displs_.push_back(MPI_Aint{each} * element_size_);
  }
}

MeasuredCall::~MeasuredCall() { free_request(); }

int MeasuredCall::root_of(int repetition) const {
  if (!operation_.rooted) return -1;
  const std::int64_t root = cell_.root + std::int64_t{cell_.root_step} * repetition;
  return static_cast<int>(root % group_.place.size);
}

bool MeasuredCall::is_timed() const {
  const int rank = group_.place.rank;
  return !operation_.messages || ((rank ^ 1) < group_.place.size && !answers());
}

bool MeasuredCall::answers() const {
  return operation_.name == "pingpong" && group_.place.rank % 2 != 0;
}

void MeasuredCall::prepare(const BufferPair& buffers, int root) {
  const bool is_same = buffers.send == buffers_.send && root == root_;
  buffers_ = buffers;
  root_ = root;
  send_ = buffers.send;
  receive_ = buffers.receive;
  const bool mine = !operation_.rooted || group_.place.rank == root;
  if (cell_.in_place && mine) {
    const bool scatters = operation_.name.starts_with("scatter");
    if (scatters) {
      receive_ = MPI_IN_PLACE;
    } else {
      send_ = MPI_IN_PLACE;
    }
  }
  if (messages_) {
    messages_->prepare(buffers);
    return;
  }
  if (cell_.form != CallForm::persistent || (is_same && request_ != native().request_null)) return;
  free_request();
  run(&request_);
}

void MeasuredCall::start() {
  if (messages_) {
    messages_->start();
  } else if (cell_.form == CallForm::persistent) {
    start_(&request_);
  } else {
    run(&request_);
  }
}

void MeasuredCall::test() {
  if (messages_) {
    messages_->test();
    return;
  }
  int flag = 0;
  test_(&request_, &flag, MPI_STATUS_IGNORE);
}

void MeasuredCall::wait() {
  if (messages_) {
    messages_->wait();
  } else {
    wait_(&request_, MPI_STATUS_IGNORE);
  }
}

void MeasuredCall::finish() {
  if (!operation_.function.starts_with("Comm_")) return;
  reached_as<int (*)(MPI_Comm*)>("Comm_free")(&made_);
}

void MeasuredCall::free_request() {
  if (cell_.form != CallForm::persistent || request_ == native().request_null) return;
  reached_as<int (*)(MPI_Request*)>("Request_free")(&request_);
}

int MeasuredCall::run(MPI_Request* request) {
  using Ints = const int*;
  const MPI_Comm comm = group_.measured;
  const MPI_Datatype type = type_;
  const auto n = static_cast<int>(blocks_.count);
  const void* const in = send_;
  void* const out = receive_;
  Ints counts = blocks_.counts.data();
  Ints displs = blocks_.displs.data();
  switch (operation_.signature) {
    case Signature::none:
      return function_(request, comm);
    case Signature::bcast:
      return function_(request, group_.place.rank == root_ ? buffers_.send : out, n, type, root_,
                       comm);
    case Signature::vector:
      return function_(request, in, out, n, type, op_, comm);
    case Signature::local_vector:
      return function_(request, in, out, n, type, op_);
    case Signature::rooted_vector:
      return function_(request, in, out, n, type, op_, root_, comm);
    case Signature::blocks:
      return function_(request, in, n, type, out, n, type, comm);
    case Signature::rooted_blocks:
      return function_(request, in, n, type, out, n, type, root_, comm);
    case Signature::scattered_vector:
      return function_(request, in, out, counts, type, op_, comm);
    case Signature::gathered:
      return function_(request, in, blocks_.own_count, type, out, counts, displs, type, comm);
    case Signature::rooted_gathered:
      return function_(request, in, blocks_.own_count, type, out, counts, displs, type, root_,
                       comm);
    case Signature::rooted_scattered:
      return function_(request, in, counts, displs, type, out, blocks_.own_count, type, root_,
                       comm);
    case Signature::counts:
      return function_(request, in, counts, displs, type, out, counts, displs, type, comm);
    case Signature::types: {
      const MPI_Datatype* const types = types_.data();
      Ints places = byte_displs_.data();
      return function_(request, in, counts, places, types, out, counts, places, types, comm);
    }
    case Signature::addresses: {
      const MPI_Datatype* const types = types_.data();
      const MPI_Aint* const places = address_displs_.data();
      return function_(request, in, counts, places, types, out, counts, places, types, comm);
    }
    case Signature::other:
      break;
  }
  return run_other();
}

int MeasuredCall::run_other() {
  using Receive = int (*)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
  const MPI_Comm comm = group_.measured;
  const int rank = group_.place.rank;
  const int other = rank ^ 1;
  const auto n = static_cast<int>(blocks_.count);
  if (operation_.name == "compute") return MPI_SUCCESS;
  if (operation_.name == "comm_dup") {
    return reinterpret_cast<int (*)(MPI_Comm, MPI_Comm*)>(function_.function)(comm, &made_);
  }
  if (operation_.name == "comm_split") {
    using Split = int (*)(MPI_Comm, int, int, MPI_Comm*);
    return reinterpret_cast<Split>(function_.function)(comm, rank % 2, rank, &made_);
  }
  if (other >= group_.place.size) return MPI_SUCCESS;  // the last of an odd number
  if (operation_.name == "exchange") {
    using Exchange = int (*)(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype,
                             int, int, MPI_Comm, MPI_Status*);
    return reinterpret_cast<Exchange>(function_.function)(send_, n, type_, other, kMessageTag,
                                                          receive_, n, type_, other, kMessageTag,
                                                          comm, MPI_STATUS_IGNORE);
  }
  using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
  const auto send = reinterpret_cast<Send>(function_.function);
  const auto receive = reinterpret_cast<Receive>(receive_function_);
  if (rank < other) {
    send(send_, n, type_, other, kMessageTag, comm);
    return receive(receive_, n, type_, other, kMessageTag, comm, MPI_STATUS_IGNORE);
  }
  receive(receive_, n, type_, other, kMessageTag, comm, MPI_STATUS_IGNORE);
  return send(send_, n, type_, other, kMessageTag, comm);
}

}  // namespace stretto::bench
