// A data race on purpose: two threads count without a lock. The ThreadSanitizer run must
// find it, or its silence about Stretto means nothing.

#include <mpi.h>

#include <thread>

namespace {
long counter = 0;
void count() {
  for (int i = 0; i < 100'000; ++i) counter = counter + 1;
}
}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    const std::jthread first(count);
    const std::jthread second(count);
  }
  MPI_Finalize();
  return counter > 0 ? 0 : 1;
}
