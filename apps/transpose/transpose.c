// Moves a picture across a torus by spectral steps, one dimension at a time: the communication of a
// 2-D FFT, where all ranks transpose the grid between the dimensions.
//
// Each rank owns a band of rows. For either dimension it moves its rows by kSubsteps pixels (each
// substep a Fourier transform, a phase and the inverse transform), slab by slab; a finished slab is
// on its way to the other ranks by MPI_Ialltoall while the next one is computed. Nobody calls
// MPI_Test: whether anything travels meanwhile is up to the MPI.
//
// The picture is made of whole numbers and comes back as whole numbers, moved: so the answer is
// known exactly, is checked, and is the same on any number of ranks.
//
// Usage: transpose [N [iterations]]    N x N picture, N a power of two

#include <math.h>

#include "../common/app.h"

enum { kSlabs = 8, kSubsteps = 4 };

static const char kUsage[] =
    "usage: transpose [N [iterations]]  (N x N grid, N a power of two; default 1024 4)";

typedef struct {
  double re, im;
} Complex;

typedef struct {
  int size;  // N, rows and columns
  int rank, ranks;
  int slab_rows;     // rows of a slab; a band is kSlabs of them, so the last bands may end early
  int band;          // rows of a band
  Complex* rows;     // the band, row after row
  Complex* twiddle;  // exp(-2 pi i k / N), k < N
  Complex* scratch;  // one row
  Complex *outgoing, *incoming;  // every slab's blocks, one for each rank
} Grid;

static int smaller(int a, int b) { return a < b ? a : b; }

// How many of the `count` rows from `first` on exist.
static int existing(const Grid* grid, int first, int count) {
  const int left = grid->size - first;
  return left < 0 ? 0 : smaller(left, count);
}

static uint64_t pixel(const Grid* grid, int row, int column) {
  return app_mix((uint64_t)row * (uint64_t)grid->size + (uint64_t)column) % 1024;
}

// Stockham's FFT of one row; `sign` -1 is forward, +1 the inverse without its 1/N.
static void transform(const Grid* grid, Complex* row, double sign) {
  Complex *from = row, *to = grid->scratch;
  const int half = grid->size / 2;
  for (int stride = 1; stride < grid->size; stride *= 2) {
    for (int block = 0; block < half; block += stride) {
      const double wr = grid->twiddle[block].re, wi = -sign * grid->twiddle[block].im;
      for (int i = block; i < block + stride; ++i) {
        const Complex a = from[i], b = from[i + half];
        const double dr = a.re - b.re, di = a.im - b.im;
        to[i + block] = (Complex){a.re + b.re, a.im + b.im};
        to[i + block + stride] = (Complex){dr * wr - di * wi, dr * wi + di * wr};
      }
    }
    Complex* swap = from;
    from = to;
    to = swap;
  }
  if (from != row) memcpy(row, from, (size_t)grid->size * sizeof *row);
}

// Moves a row one pixel to the right, around the end: a phase in the spectrum.
static void move_row(const Grid* grid, Complex* row) {
  const double scale = 1.0 / grid->size;
  transform(grid, row, -1);
  for (int k = 0; k < grid->size; ++k) {
    const Complex w = grid->twiddle[k], x = row[k];
    row[k] = (Complex){(x.re * w.re - x.im * w.im) * scale, (x.re * w.im + x.im * w.re) * scale};
  }
  transform(grid, row, +1);
}

static size_t slab_elements(const Grid* grid) {
  return (size_t)grid->ranks * (size_t)grid->band * (size_t)grid->slab_rows;
}

// Lays a slab out for sending: for each rank, the columns that will be its rows.
static void pack(const Grid* grid, int slab) {
  Complex* out = grid->outgoing + (size_t)slab * slab_elements(grid);
  const Complex* rows = grid->rows + (size_t)slab * (size_t)(grid->slab_rows * grid->size);
  const int columns = grid->ranks * grid->band;
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < grid->slab_rows; ++row, ++out)
      if (column < grid->size) *out = rows[(size_t)row * (size_t)grid->size + (size_t)column];
}

// Puts a slab that arrived in its place: each rank's rows are columns now.
static void unpack(const Grid* grid, int slab) {
  const Complex* in = grid->incoming + (size_t)slab * slab_elements(grid);
  for (int rank = 0; rank < grid->ranks; ++rank) {
    const int column = rank * grid->band + slab * grid->slab_rows;
    const size_t run = (size_t)existing(grid, column, grid->slab_rows);
    for (int row = 0; row < grid->band; ++row, in += grid->slab_rows)
      memcpy(grid->rows + (size_t)row * (size_t)grid->size + column, in, run * sizeof *in);
  }
}

// Moves the picture along its rows, then transposes it, each slab on its way as soon as it is done.
static void sweep(const Grid* grid) {
  MPI_Request moving[kSlabs];
  const int block = (int)slab_elements(grid) / grid->ranks;
  for (int slab = 0; slab < kSlabs; ++slab) {
    const int first = slab * grid->slab_rows;
    const int rows = existing(grid, grid->rank * grid->band + first, grid->slab_rows);
    for (int row = first; row < first + rows; ++row)
      for (int substep = 0; substep < kSubsteps; ++substep)
        move_row(grid, grid->rows + (size_t)row * (size_t)grid->size);
    pack(grid, slab);
    MPI_Ialltoall(grid->outgoing + (size_t)slab * slab_elements(grid), 2 * block, MPI_DOUBLE,
                  grid->incoming + (size_t)slab * slab_elements(grid), 2 * block, MPI_DOUBLE,
                  MPI_COMM_WORLD, &moving[slab]);
  }
  for (int slab = 0; slab < kSlabs; ++slab) {
    MPI_Wait(&moving[slab], MPI_STATUS_IGNORE);
    unpack(grid, slab);
  }
}

static Grid make_grid(int size) {
  Grid grid = {.size = size, .rank = app_rank(), .ranks = app_size()};
  grid.slab_rows = (size + grid.ranks * kSlabs - 1) / (grid.ranks * kSlabs);
  grid.band = grid.slab_rows * kSlabs;
  grid.rows = app_allocate((size_t)grid.band * (size_t)size, sizeof(Complex));
  grid.twiddle = app_allocate((size_t)size, sizeof(Complex));
  grid.scratch = app_allocate((size_t)size, sizeof(Complex));
  grid.outgoing = app_allocate(kSlabs * slab_elements(&grid), sizeof(Complex));
  grid.incoming = app_allocate(kSlabs * slab_elements(&grid), sizeof(Complex));
  for (int k = 0; k < size; ++k) {
    const double angle = -2 * acos(-1.0) * k / size;
    grid.twiddle[k] = (Complex){cos(angle), sin(angle)};
  }
  return grid;
}

static void free_grid(Grid* grid) {
  free(grid->rows);
  free(grid->twiddle);
  free(grid->scratch);
  free(grid->outgoing);
  free(grid->incoming);
}

static void draw(const Grid* grid) {
  const int first = grid->rank * grid->band;
  for (int row = 0; row < existing(grid, first, grid->band); ++row)
    for (int column = 0; column < grid->size; ++column)
      grid->rows[(size_t)row * (size_t)grid->size + (size_t)column] =
          (Complex){(double)pixel(grid, first + row, column), 0};
}

// This rank's share of the checksum, and how many of its pixels are not where they should be.
static uint64_t check(const Grid* grid, int moved, uint64_t* wrong) {
  const int first = grid->rank * grid->band, around = grid->size - 1;
  uint64_t checksum = 0;
  for (int row = first; row < first + existing(grid, first, grid->band); ++row)
    for (int column = 0; column < grid->size; ++column) {
      const Complex* found =
          grid->rows + (size_t)(row - first) * (size_t)grid->size + (size_t)column;
      const uint64_t value = (uint64_t)llround(found->re);
      const uint64_t expected = pixel(grid, (row - moved) & around, (column - moved) & around);
      if (value != expected || fabs(found->im) > 1e-3) ++*wrong;
      checksum += app_term((uint64_t)row * (uint64_t)grid->size + (uint64_t)column, value);
    }
  return checksum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  AppArgument arguments[] = {{"N", 2, 16384, 1024}, {"iterations", 0, 1000000, 4}};
  app_arguments(argc, argv, kUsage, arguments, 2);
  const int size = (int)arguments[0].value, iterations = (int)arguments[1].value;
  if (size & (size - 1)) app_exit(kBadArguments, "N must be a power of two");

  Grid grid = make_grid(size);
  draw(&grid);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    sweep(&grid);  // along the rows
    sweep(&grid);  // along the columns, and back
  }
  const double seconds = MPI_Wtime() - start;

  uint64_t wrong = 0;
  const int moved = (int)((long long)iterations * kSubsteps % size);
  const uint64_t checksum = app_total(check(&grid, moved, &wrong));
  wrong = app_total(wrong);
  free_grid(&grid);
  if (wrong > 0) app_exit(kWrongResult, "the picture is not where it should be");
  app_report(checksum, seconds);
  MPI_Finalize();
}
