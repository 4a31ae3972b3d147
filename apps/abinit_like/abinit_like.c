// The lowest states of a particle in a potential, many bands at once: the communication of Abinit
// and other plane-wave codes.
//
// A band is a row of coefficients, one for each plane wave. Every rank keeps all bands for its
// share of the waves. To apply the potential, MPI_Alltoall gives each rank some bands as a whole,
// which it takes to real space and back by FFTs, and a second MPI_Alltoall undoes the first. The
// matrix of the Hamiltonian between the bands, their residuals and, after a step downhill, the
// matrix of their overlaps are sums over all waves: MPI_Allreduce. The overlaps' Cholesky factor,
// which every rank computes for itself, makes the bands orthonormal again.
//
// The sums are rounded to multiples of kQuantum for every kChunk waves, so what is reduced is exact
// in any order, and the checksum, over the bits of the bands, the same on any number of ranks.
//
// Usage: abinit_like [bands [points [iterations]]]    points a power of two; the ranks must divide
//                                                     the bands and the chunks of 64 points

#include <math.h>

#include "../common/app.h"

enum { kChunk = 64 };

static const char kUsage[] =
    "usage: abinit_like [bands [points [iterations]]]  (points a power of two; default 32 8192 30)";
static const double kQuantum = 0x1p-44;
static const double kStep = 0.4;         // below the inverse of the largest energy, 2: it converges
static const double kTolerance = 1e-10;  // of orthonormality, and of energies that should fall

typedef struct {
  double re, im;
} Complex;

typedef struct {
  int ranks;
  size_t bands, points;        // of all ranks
  size_t my_bands, my_points;  // of a rank: in real space, of the coefficients
  size_t first_point;
  Complex *psi, *h_psi;            // [point, mine][band]
  Complex *outgoing, *incoming;    // [point][band, mine], or blocks of psi for each rank
  Complex* twiddle;                // exp(-2 pi i k / points)
  double *kinetic, *potential;     // of each of my plane waves; at each point
  Complex *matrix, *mine, *chunk;  // [band][band]: of all ranks, of this one, of kChunk points
  double *residual, *my_residual;  // of each band
} Bands;

static Complex minus_product(Complex from, Complex a, Complex b) {
  return (Complex){from.re - (a.re * b.re - a.im * b.im), from.im - (a.re * b.im + a.im * b.re)};
}

// Stockham's FFT along the points of all bands of `*data`; `sign` -1 is forward, +1 the inverse
// without its factor. The result is in `*data`; what `*other` points to is lost.
static void transform(const Bands* b, Complex** data, Complex** other, double sign) {
  const size_t half = b->points / 2 * b->my_bands;
  for (size_t stride = 1; stride < b->points; stride *= 2) {
    const size_t span = stride * b->my_bands;
    for (size_t block = 0; block < b->points / 2; block += stride) {
      const double wr = b->twiddle[block].re, wi = -sign * b->twiddle[block].im;
      const Complex* from = *data + block * b->my_bands;
      Complex *sums = *other + 2 * block * b->my_bands, *differences = sums + span;
      for (size_t i = 0; i < span; ++i) {
        const Complex x = from[i], y = from[i + half];
        const double dr = x.re - y.re, di = x.im - y.im;
        sums[i] = (Complex){x.re + y.re, x.im + y.im};
        differences[i] = (Complex){dr * wr - di * wi, dr * wi + di * wr};
      }
    }
    Complex* swap = *data;
    *data = *other;
    *other = swap;
  }
}

static void exchange(const Bands* b) {
  const int block = (int)(2 * b->my_points * b->my_bands);
  MPI_Alltoall(b->outgoing, block, MPI_DOUBLE, b->incoming, block, MPI_DOUBLE, MPI_COMM_WORLD);
}

// The block of psi that is exchanged with `rank` is all of this rank's points of its bands.
static void to_blocks(const Bands* b) {
  Complex* out = b->outgoing;
  for (size_t rank = 0; rank < (size_t)b->ranks; ++rank)
    for (size_t point = 0; point < b->my_points; ++point, out += b->my_bands)
      memcpy(out, b->psi + point * b->bands + rank * b->my_bands, b->my_bands * sizeof *out);
}

static void add_kinetic_and_blocks(const Bands* b) {
  const Complex* in = b->incoming;
  for (size_t rank = 0; rank < (size_t)b->ranks; ++rank)
    for (size_t point = 0; point < b->my_points; ++point)
      for (size_t band = rank * b->my_bands; band < (rank + 1) * b->my_bands; ++band, ++in) {
        const size_t i = point * b->bands + band;
        b->h_psi[i] = (Complex){b->kinetic[point] * b->psi[i].re + in->re,
                                b->kinetic[point] * b->psi[i].im + in->im};
      }
}

// h_psi = (kinetic + potential) psi
static void apply_hamiltonian(Bands* b) {
  const double scale = 1 / (double)b->points;
  to_blocks(b);
  exchange(b);
  transform(b, &b->incoming, &b->outgoing, +1);
  Complex* value = b->incoming;
  for (size_t point = 0; point < b->points; ++point)
    for (size_t band = 0; band < b->my_bands; ++band, ++value) {
      value->re *= b->potential[point] * scale;
      value->im *= b->potential[point] * scale;
    }
  transform(b, &b->incoming, &b->outgoing, -1);
  Complex* swap = b->outgoing;
  b->outgoing = b->incoming;
  b->incoming = swap;
  exchange(b);
  add_kinetic_and_blocks(b);
}

static double rounded(double value) { return rint(value * (1 / kQuantum)) * kQuantum; }

// The products of all bands of `left` with all of `right`, summed over the points of all ranks.
static void multiply(const Bands* b, const Complex* left, const Complex* right) {
  const size_t n = b->bands;
  memset(b->mine, 0, n * n * sizeof *b->mine);
  for (size_t first = 0; first < b->my_points; first += kChunk) {
    memset(b->chunk, 0, n * n * sizeof *b->chunk);
    for (size_t point = first; point < first + kChunk; ++point)
      for (size_t i = 0; i < n; ++i) {
        const Complex x = left[point * n + i], *y = right + point * n;
        Complex* sum = b->chunk + i * n;
        for (size_t j = 0; j < n; ++j) {
          sum[j].re += x.re * y[j].re + x.im * y[j].im;
          sum[j].im += x.re * y[j].im - x.im * y[j].re;
        }
      }
    for (size_t i = 0; i < n * n; ++i) {
      b->mine[i].re += rounded(b->chunk[i].re);
      b->mine[i].im += rounded(b->chunk[i].im);
    }
  }
  MPI_Allreduce(b->mine, b->matrix, (int)(2 * n * n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// How far each band is from being an eigenstate, squared; its energy is on the matrix's diagonal.
static void find_residuals(const Bands* b) {
  memset(b->my_residual, 0, b->bands * sizeof *b->my_residual);
  for (size_t first = 0; first < b->my_points; first += kChunk)
    for (size_t band = 0; band < b->bands; ++band) {
      const double energy = b->matrix[band * b->bands + band].re;
      double sum = 0;
      for (size_t point = first; point < first + kChunk; ++point) {
        const Complex psi = b->psi[point * b->bands + band];
        const Complex h_psi = b->h_psi[point * b->bands + band];
        const double re = h_psi.re - energy * psi.re, im = h_psi.im - energy * psi.im;
        sum += re * re + im * im;
      }
      b->my_residual[band] += rounded(sum);
    }
  MPI_Allreduce(b->my_residual, b->residual, (int)b->bands, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// Replaces the lower half of the overlaps by their Cholesky factor L, with the inverse of its
// diagonal.
static void factorize(const Bands* b) {
  const size_t n = b->bands;
  Complex* matrix = b->matrix;
  for (size_t j = 0; j < n; ++j) {
    double square = matrix[j * n + j].re;
    for (size_t k = 0; k < j; ++k) {
      const Complex x = matrix[j * n + k];
      square -= x.re * x.re + x.im * x.im;
    }
    const double inverse = 1 / sqrt(square);
    matrix[j * n + j] = (Complex){inverse, 0};
    for (size_t i = j + 1; i < n; ++i) {
      Complex sum = matrix[i * n + j];
      for (size_t k = 0; k < j; ++k) {
        const Complex x = matrix[j * n + k];
        sum = minus_product(sum, matrix[i * n + k], (Complex){x.re, -x.im});
      }
      matrix[i * n + j] = (Complex){sum.re * inverse, sum.im * inverse};
    }
  }
}

static void orthonormalize(const Bands* b) {
  const size_t n = b->bands;
  multiply(b, b->psi, b->psi);
  factorize(b);
  for (size_t point = 0; point < b->my_points; ++point) {
    Complex* row = b->psi + point * n;
    for (size_t j = 0; j < n; ++j) {
      Complex sum = row[j];
      for (size_t k = 0; k < j; ++k) {
        const Complex x = b->matrix[j * n + k];
        sum = minus_product(sum, row[k], (Complex){x.re, -x.im});
      }
      const double inverse = b->matrix[j * n + j].re;
      row[j] = (Complex){sum.re * inverse, sum.im * inverse};
    }
  }
}

// One step downhill for all bands; returns the sum of their energies before it.
static double iterate(Bands* b, int iteration, uint64_t* checksum) {
  double energy = 0;
  apply_hamiltonian(b);
  multiply(b, b->psi, b->h_psi);
  find_residuals(b);
  for (size_t band = 0; band < b->bands; ++band) {
    energy += b->matrix[band * b->bands + band].re;
    *checksum += app_term((uint64_t)iteration * b->bands + band, app_bits(b->residual[band]));
  }
  for (size_t i = 0; i < b->my_points * b->bands; ++i) {
    b->psi[i].re -= kStep * b->h_psi[i].re;
    b->psi[i].im -= kStep * b->h_psi[i].im;
  }
  orthonormalize(b);
  return energy;
}

// How far the bands are from being orthonormal: not a number if they are not.
static double find_overlap(const Bands* b) {
  double sum = 0;
  multiply(b, b->psi, b->psi);
  for (size_t i = 0; i < b->bands; ++i)
    for (size_t j = 0; j < b->bands; ++j)
      sum += hypot(b->matrix[i * b->bands + j].re - (i == j), b->matrix[i * b->bands + j].im);
  return sum / (double)(b->bands * b->bands);
}

static uint64_t share_of_checksum(const Bands* b) {
  uint64_t checksum = 0;
  for (size_t i = 0; i < b->my_points * b->bands; ++i) {
    const uint64_t key = 2 * (b->first_point * b->bands + i);
    checksum += app_term(key, app_bits(b->psi[i].re)) + app_term(key + 1, app_bits(b->psi[i].im));
  }
  return checksum;
}

static double uniform(uint64_t key) { return (double)(app_mix(key) >> 11) * 0x1p-53; }

// Kinetic energies from 0 to 1, a potential of wells from 0 to 1, and bands at random.
static void prepare(const Bands* b) {
  const double turn = 2 * acos(-1.0), half = (double)b->points / 2;
  for (size_t k = 0; k < b->points; ++k) {
    const double angle = turn * (double)k / (double)b->points;
    b->twiddle[k] = (Complex){cos(angle), -sin(angle)};
    b->potential[k] = 0.5 + 0.5 * cos(8 * angle);
  }
  for (size_t point = 0; point < b->my_points; ++point) {
    const double k = (double)(b->first_point + point), frequency = k < half ? k : k - 2 * half;
    b->kinetic[point] = frequency * frequency / (half * half);
  }
  for (size_t i = 0; i < b->my_points * b->bands; ++i) {
    const uint64_t key = 2 * (b->first_point * b->bands + i);
    const double scale = sqrt(6 / (double)b->points);
    b->psi[i] = (Complex){(uniform(key) - 0.5) * scale, (uniform(key + 1) - 0.5) * scale};
  }
}

static Bands make_bands(size_t bands, size_t points) {
  const size_t ranks = (size_t)app_size();
  if (points & (points - 1)) app_exit(kBadArguments, "points must be a power of two");
  if (bands > points / 4)
    app_exit(kBadArguments, "there must be four points or more for each band");
  if (bands % ranks || points / kChunk % ranks)
    app_exit(kBadArguments, "the number of ranks must divide bands and points / 64");
  Bands b = {.ranks = (int)ranks, .bands = bands, .points = points};
  b.my_bands = bands / ranks;
  b.my_points = points / ranks;
  b.first_point = (size_t)app_rank() * b.my_points;
  const size_t values = b.my_points * bands;
  b.psi = app_allocate(values, sizeof(Complex));
  b.h_psi = app_allocate(values, sizeof(Complex));
  b.outgoing = app_allocate(values, sizeof(Complex));
  b.incoming = app_allocate(values, sizeof(Complex));
  b.twiddle = app_allocate(points, sizeof(Complex));
  b.kinetic = app_allocate(b.my_points, sizeof(double));
  b.potential = app_allocate(points, sizeof(double));
  b.matrix = app_allocate(bands * bands, sizeof(Complex));
  b.mine = app_allocate(bands * bands, sizeof(Complex));
  b.chunk = app_allocate(bands * bands, sizeof(Complex));
  b.residual = app_allocate(bands, sizeof(double));
  b.my_residual = app_allocate(bands, sizeof(double));
  return b;
}

static void free_bands(Bands* b) {
  void* const parts[] = {b->psi,     b->h_psi,   b->outgoing,  b->incoming,
                         b->twiddle, b->kinetic, b->potential, b->matrix,
                         b->mine,    b->chunk,   b->residual,  b->my_residual};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) free(parts[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  AppArgument arguments[] = {
      {"bands", 1, 2048, 32}, {"points", kChunk, 1L << 20, 8192}, {"iterations", 0, 1000000, 30}};
  app_arguments(argc, argv, kUsage, arguments, 3);
  const int iterations = (int)arguments[2].value;

  Bands bands = make_bands((size_t)arguments[0].value, (size_t)arguments[1].value);
  prepare(&bands);
  orthonormalize(&bands);
  double energy = 2 * (double)bands.bands;  // the most there can be
  int falls = 1;
  uint64_t residuals = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const double now = iterate(&bands, iteration, &residuals);
    if (!(now <= energy + kTolerance)) falls = 0;
    energy = now;
  }
  const double seconds = MPI_Wtime() - start;

  const int orthonormal = find_overlap(&bands) <= kTolerance;
  // Every rank has the same residuals, so the checksum counts them once.
  const uint64_t checksum = app_total(share_of_checksum(&bands)) + residuals;
  free_bands(&bands);
  if (!falls || !orthonormal)
    app_exit(kWrongResult, falls ? "the bands are not orthonormal" : "the energy does not fall");
  app_report(checksum, seconds);
  MPI_Finalize();
}
