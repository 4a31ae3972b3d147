// Heat spreading in a periodic cube, followed in frequency space: the communication of NPB's FT.
//
// Each rank owns a slab of planes. The initial field is transformed once (a 3-D FFT); every
// iteration then multiplies the spectrum by one step's decay and transforms it back. Either
// direction is two dimensions within the planes, one MPI_Alltoall that turns slabs across x into
// slabs across y, and the third dimension. Like NPB, an iteration ends with the sum of 1024 cells
// of the field, by MPI_Reduce: large blocks and few collectives.
//
// Each line of cells is transformed by the same operations whoever owns it. The cells summed are
// rounded to multiples of kQuantum first, so that their sum is exact in any order. So the checksum
// is the same on any number of ranks.
//
// Before the clock starts, the initial field goes to frequency space and back: it has to come back
// as it was, within rounding, and with as much energy in either space (Parseval).
//
// Usage: ft [N [iterations]]    N^3 cells, N a power of two and a multiple of the ranks

#include <math.h>

#include "../common/app.h"

enum { kSamples = 1024 };

static const char kUsage[] =
    "usage: ft [N [iterations]]  (N^3 cells, N a power of two; default 128 20)";
static const double kDiffusion = 1e-6;
static const double kQuantum = 1.0 / (1 << 30);
static const double kTolerance = 1e-12;  // for values of about 1, whatever N

typedef struct {
  double re, im;
} Complex;

typedef struct {
  size_t n, planes;  // cells along an edge; planes of a slab
  int rank, ranks;
  Complex* field;     // [x, mine][y][z]
  Complex* spectrum;  // [y, mine][x][z]
  Complex *outgoing, *incoming;
  Complex *plane, *scratch;  // one plane each
  Complex* twiddle;          // exp(-2 pi i k / N), k < N
  double* decay;             // one step's, along one dimension
} Cube;

// Stockham's FFT along the first dimension of an array of N by `columns`; `sign` -1 is forward, +1
// the inverse without its 1/N.
static void transform(const Cube* cube, Complex* data, size_t columns, double sign) {
  Complex *from = data, *to = cube->scratch;
  const size_t half = cube->n / 2 * columns;
  for (size_t stride = 1; stride < cube->n; stride *= 2) {
    const size_t span = stride * columns;
    for (size_t block = 0; block < cube->n / 2; block += stride) {
      const double wr = cube->twiddle[block].re, wi = -sign * cube->twiddle[block].im;
      const size_t first = block * columns;
      Complex *sums = to + 2 * first, *differences = sums + span;
      for (size_t i = 0; i < span; ++i) {
        const Complex a = from[first + i], b = from[first + i + half];
        const double dr = a.re - b.re, di = a.im - b.im;
        sums[i] = (Complex){a.re + b.re, a.im + b.im};
        differences[i] = (Complex){dr * wr - di * wi, dr * wi + di * wr};
      }
    }
    Complex* swap = from;
    from = to;
    to = swap;
  }
  if (from != data) memcpy(data, from, cube->n * columns * sizeof *data);
}

static void transform_plane(const Cube* cube, Complex* plane, double sign) {
  for (size_t y = 0; y < cube->n; ++y) transform(cube, plane + y * cube->n, 1, sign);
  transform(cube, plane, cube->n, sign);
}

static void exchange(const Cube* cube) {
  const int block = (int)(2 * cube->planes * cube->planes * cube->n);
  MPI_Alltoall(cube->outgoing, block, MPI_DOUBLE, cube->incoming, block, MPI_DOUBLE,
               MPI_COMM_WORLD);
}

// From the field to the spectrum; the field is lost.
static void forward(const Cube* cube) {
  const size_t n = cube->n, planes = cube->planes, run = planes * n;
  for (size_t x = 0; x < planes; ++x) {
    transform_plane(cube, cube->field + x * n * n, -1);
    for (size_t to = 0; to < (size_t)cube->ranks; ++to)
      memcpy(cube->outgoing + (to * planes + x) * run, cube->field + x * n * n + to * run,
             run * sizeof(Complex));
  }
  exchange(cube);
  for (size_t y = 0; y < planes; ++y) {
    Complex* plane = cube->spectrum + y * n * n;
    for (size_t x = 0; x < n; ++x)
      memcpy(plane + x * n, cube->incoming + (x * planes + y) * n, n * sizeof(Complex));
    transform(cube, plane, n, -1);
  }
}

// From the spectrum, which stays, to N^3 times the field.
static void inverse(const Cube* cube) {
  const size_t n = cube->n, planes = cube->planes, run = planes * n;
  for (size_t y = 0; y < planes; ++y) {
    memcpy(cube->plane, cube->spectrum + y * n * n, n * n * sizeof(Complex));
    transform(cube, cube->plane, n, +1);
    for (size_t x = 0; x < n; ++x)
      memcpy(cube->outgoing + (x * planes + y) * n, cube->plane + x * n, n * sizeof(Complex));
  }
  exchange(cube);
  for (size_t x = 0; x < planes; ++x) {
    Complex* plane = cube->field + x * n * n;
    for (size_t from = 0; from < (size_t)cube->ranks; ++from)
      memcpy(plane + from * run, cube->incoming + (from * planes + x) * run, run * sizeof(Complex));
    transform_plane(cube, plane, +1);
  }
}

static void evolve(const Cube* cube) {
  const size_t n = cube->n, first = (size_t)cube->rank * cube->planes;
  Complex* cell = cube->spectrum;
  for (size_t y = first; y < first + cube->planes; ++y)
    for (size_t x = 0; x < n; ++x) {
      const double decay = cube->decay[y] * cube->decay[x];
      for (size_t z = 0; z < n; ++z, ++cell) {
        cell->re *= decay * cube->decay[z];
        cell->im *= decay * cube->decay[z];
      }
    }
}

// What this iteration's sample of the field adds to the checksum, on rank 0.
static uint64_t sample(const Cube* cube, int iteration) {
  const size_t n = cube->n, first = (size_t)cube->rank * cube->planes;
  const double scale = 1 / (kQuantum * (double)(n * n * n));
  double mine[2] = {0, 0}, sum[2] = {0, 0};
  for (size_t j = 1; j <= kSamples; ++j) {
    const size_t x = j % n, y = 3 * j % n, z = 5 * j % n;
    if (x < first || x >= first + cube->planes) continue;
    const Complex* cell = cube->field + ((x - first) * n + y) * n + z;
    mine[0] += rint(cell->re * scale);
    mine[1] += rint(cell->im * scale);
  }
  MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (cube->rank != 0) return 0;
  const uint64_t key = 2 * (uint64_t)iteration;
  return app_term(key, app_bits(sum[0] * kQuantum)) +
         app_term(key + 1, app_bits(sum[1] * kQuantum));
}

static double uniform(uint64_t key) { return (double)(app_mix(key) >> 11) * 0x1p-53; }

static Complex initial(const Cube* cube, size_t cell) {
  const uint64_t key = 2 * ((uint64_t)cube->rank * cube->planes * cube->n * cube->n + cell);
  return (Complex){uniform(key), uniform(key + 1)};
}

static void draw(const Cube* cube) {
  for (size_t i = 0; i < cube->planes * cube->n * cube->n; ++i) cube->field[i] = initial(cube, i);
}

// Whether the initial field survives the way there and back.
static int is_right(const Cube* cube) {
  const size_t cells = cube->planes * cube->n * cube->n;
  const double scale = 1 / (double)(cube->n * cube->n * cube->n);
  double energy[2] = {0, 0}, worst = 0;  // of the field and of the spectrum
  draw(cube);
  forward(cube);
  inverse(cube);
  for (size_t i = 0; i < cells; ++i) {
    const Complex start = initial(cube, i), end = cube->field[i], wave = cube->spectrum[i];
    energy[0] += start.re * start.re + start.im * start.im;
    energy[1] += (wave.re * wave.re + wave.im * wave.im) * scale;
    // A maximum would pass over a NaN; a sum keeps it.
    worst += fmax(hypot(end.re * scale - start.re, end.im * scale - start.im) - kTolerance, 0) +
             0 * (end.re + end.im);
  }
  double mine[3] = {energy[0], energy[1], worst}, all[3];
  MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all[2] <= 0 && fabs(all[1] / all[0] - 1) < kTolerance;
}

static Cube make_cube(int n) {
  Cube cube = {.n = (size_t)n, .rank = app_rank(), .ranks = app_size()};
  if (n & (n - 1)) app_exit(kBadArguments, "N must be a power of two");
  if (n % cube.ranks != 0) app_exit(kBadArguments, "N must be a multiple of the number of ranks");
  cube.planes = cube.n / (size_t)cube.ranks;
  const size_t cells = cube.planes * cube.n * cube.n;
  cube.field = app_allocate(cells, sizeof(Complex));
  cube.spectrum = app_allocate(cells, sizeof(Complex));
  cube.outgoing = app_allocate(cells, sizeof(Complex));
  cube.incoming = app_allocate(cells, sizeof(Complex));
  cube.plane = app_allocate(cube.n * cube.n, sizeof(Complex));
  cube.scratch = app_allocate(cube.n * cube.n, sizeof(Complex));
  cube.twiddle = app_allocate(cube.n, sizeof(Complex));
  cube.decay = app_allocate(cube.n, sizeof(double));
  const double pi = acos(-1.0);
  for (int k = 0; k < n; ++k) {
    const double angle = -2 * pi * k / n, frequency = k < n / 2 ? k : k - n;
    cube.twiddle[k] = (Complex){cos(angle), sin(angle)};
    cube.decay[k] = exp(-4 * kDiffusion * pi * pi * frequency * frequency);
  }
  return cube;
}

static void free_cube(Cube* cube) {
  void* const memory[] = {cube->field, cube->spectrum, cube->outgoing, cube->incoming,
                          cube->plane, cube->scratch,  cube->twiddle,  cube->decay};
  app_free(memory, sizeof memory / sizeof *memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  AppArgument arguments[] = {{"N", 2, 512, 128}, {"iterations", 0, 1000000, 20}};
  app_arguments(argc, argv, kUsage, arguments, 2);
  const int iterations = (int)arguments[1].value;

  Cube cube = make_cube((int)arguments[0].value);
  const int right = is_right(&cube);
  draw(&cube);
  uint64_t checksum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  forward(&cube);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    evolve(&cube);
    inverse(&cube);
    checksum += sample(&cube, iteration);
  }
  const double seconds = MPI_Wtime() - start;

  checksum = app_total(checksum);
  free_cube(&cube);
  if (!right) app_exit(kWrongResult, "the field does not come back from frequency space");
  app_report(checksum, seconds);
  MPI_Finalize();
}
