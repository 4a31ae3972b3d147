// The call that a cell measures, ready to be made.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "bench/suite/blocks.hpp"
#include "bench/suite/buffers.hpp"
#include "bench/suite/groups.hpp"
#include "bench/suite/message_requests.hpp"
#include "bench/suite/plan.hpp"
#include "bench/suite/reached.hpp"
#include "bench/suite/values.hpp"

namespace stretto::bench {

// Why a cell cannot be measured here; empty: it can. The same on all ranks.
[[nodiscard]] std::string why_not(const BenchCell& cell, const Place& place);

class MeasuredCall {
 public:
  // Of a cell that can be measured.
  MeasuredCall(const BenchCell& cell, const CellGroup& group);
  ~MeasuredCall();
  MeasuredCall(const MeasuredCall&) = delete;
  MeasuredCall& operator=(const MeasuredCall&) = delete;

  [[nodiscard]] const MeasuredOperation& operation() const { return operation_; }
  [[nodiscard]] const BlockLayout& blocks() const { return blocks_; }
  [[nodiscard]] int element_size() const { return element_size_; }
  [[nodiscard]] const Values& values() const { return values_; }
  [[nodiscard]] int root_of(int repetition) const;
  // Is what this rank does the operation? Of a round trip its answering side sees half of it only,
  // and the last of an odd number has nobody to send to.
  [[nodiscard]] bool is_timed() const;

  // Before a repetition, which is not timed: of a persistent operation the request is made.
  void prepare(const BufferPair& buffers, int root);

  // The timed part: a blocking call, or a start and a wait.
  void call() { run(nullptr); }
  void start();
  void test();
  void wait();

  // After it, which is not timed.
  void finish();

 private:
  int run(MPI_Request* request);
  int run_other();
  [[nodiscard]] bool answers() const;  // the other rank's message, when it has come
  void free_request();

  const BenchCell& cell_;
  const CellGroup& group_;
  const MeasuredOperation& operation_;
  BlockLayout blocks_;
  Values values_;
  int element_size_;
  MPI_Datatype type_;
  MPI_Op op_;
  FormOf function_{};
  void* receive_function_;  // of blocking messages
  int (*start_)(MPI_Request*);
  int (*test_)(MPI_Request*, int*, MPI_Status*);
  int (*wait_)(MPI_Request*, MPI_Status*);
  std::vector<MPI_Datatype> types_;  // of MPI_Alltoallw: one for each rank
  std::vector<int> byte_displs_{};
  std::vector<MPI_Aint> address_displs_{};
  BufferPair buffers_{};
  const void* send_ = nullptr;  // what is handed over as the send buffer
  void* receive_ = nullptr;
  int root_ = -1;
  MPI_Request request_;
  std::optional<MessageRequests> messages_{};  // of those that are not blocking
  MPI_Comm made_{};                            // by MPI_Comm_dup or MPI_Comm_split
};

}  // namespace stretto::bench
