// MPI_Finalize where exit() runs it, after it has destroyed what is the main thread's, and from
// another thread. Arguments: atexit, exit, static or thread, and a file that rank 0 makes before:
// hydra ends ranks at times, with exit code 0, once all have finalized.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

bool in_static = false;
const char* sign = nullptr;

void use_and_finalize() {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm copy{};
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  std::vector<double> values(3000, 1.0), sums(3000);
  for (int i = 0; i < 5; ++i) {
    MPI_Allreduce(values.data(), sums.data(), 3000, MPI_DOUBLE, MPI_SUM, copy);
    MPI_Request request{};
    MPI_Ibcast(values.data(), 3000, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 7, copy, MPI_STATUS_IGNORE);
    if (got != (rank + size - 1) % size || sums[2999] != size) std::abort();
  }
  MPI_Comm_free(&copy);
  std::FILE* const file = rank == 0 ? std::fopen(sign, "w") : nullptr;
  if (file != nullptr) std::fclose(file);
  MPI_Finalize();
}

// Made before MPI's and this tool's own objects, so destroyed after them, or as good as that.
struct AtTheEnd {
  ~AtTheEnd() {
    if (in_static) use_and_finalize();
  }
} at_the_end;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view how = argv[1];
  sign = argv[2];
  if (how == "atexit") std::atexit(use_and_finalize);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, how == "thread" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  int mine = 1, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (how == "static") in_static = true;
  if (how == "thread") {
    if (provided == MPI_THREAD_MULTIPLE) {
      std::thread(use_and_finalize).join();
    } else {
      use_and_finalize();
    }
  }
  if (how == "exit") std::atexit(use_and_finalize);
  std::exit(0);
}
