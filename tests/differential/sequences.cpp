// Random sequences of collectives; what comes of them is compared by whoever starts it.
//
//   sequences --seed S --first I --count N --out FOLDER
//
// Knows nothing of Stretto. Each rank writes FOLDER/rank-R.txt: a line `sequence I`, then a
// line `ACTION ERROR RECEIVED SENT` an operation (its class of error, a digest of the receive
// buffer with all that lies around it, and whether the send buffer is as it was), then `end`.
// With --describe instead of --out it prints the actions in words, without any MPI.

#include <mpi.h>

#include <algorithm>
#include <cstdio>

#include "callbacks.hpp"
#include "executor.hpp"
#include "options.hpp"

namespace {

using namespace differential;

void describe(const Options& options) {
  for (int i = options.first; i < options.first + options.count; ++i) {
    for (const Action& action : draw_sequence(options.seed, i, options.simpler)) {
      std::printf("%s\n", in_words(action).c_str());
    }
  }
}

// Written through, so that what was under way when a rank died or hung is there to read.
void run(const Options& options, std::FILE* file) {
  for (int i = options.first; i < options.first + options.count; ++i) {
    std::fprintf(file, "sequence %d\n", i);
    std::fflush(file);
    const auto actions = draw_sequence(options.seed, i, options.simpler);
    Executor executor(options.manner, options.seed, i);
    std::fprintf(file, "%send\n", executor.run(actions).c_str());
    std::fflush(file);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Options> options = parse(argc, argv);
  if (!options) return 2;
  if (options->describe) {
    describe(*options);
    return 0;
  }
  // Functions of the program's may run beside it only where it has threads.
  const bool many = options->manner.threads || options->manner.trusted || options->callbacks ||
                    options->first / std::max(options->count, 1) % 2 == 1;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, many ? MPI_THREAD_MULTIPLE : level, &level);
  if (level < MPI_THREAD_MULTIPLE) options->manner.threads = false;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // What a call returns is part of what is compared; those made from these inherit it.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (options->callbacks) let_callbacks_call();
  const std::string path = options->out + "/rank-" + std::to_string(rank) + ".txt";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "sequences: cannot write %s\n", path.c_str());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  std::fprintf(file, "persistent %s\n", has_persistent() ? "collectives" : "stand-ins");
  run(*options, file);
  std::fclose(file);
  end_callbacks();
  MPI_Finalize();
  return 0;
}
