// Jacobi's method for the heat in a cube, on a 3-D grid of ranks.
//
// Every sweep exchanges the faces of each rank's block with its six neighbours (Isend, Irecv) while
// the cells that need no face are computed, then computes the rest; an allreduce finds the largest
// change of any cell. With "overlap" that is a nonblocking allreduce that runs during the next
// sweep, without MPI_Test: the answers are the same, a sweep later.
//
// Each cell is computed by the same operations whoever owns it, and the checksum is over their
// bits, so it is the same on any number of ranks.
//
// Usage: jacobi3d [n [iterations [overlap]]]    n^3 cells; overlap 0 or 1

#include <math.h>

#include "../common/app.h"

static const char kUsage[] =
    "usage: jacobi3d [n [iterations [overlap]]]  (n^3 cells, overlap 0 or 1; default 192 100 0)";

enum { kDims = 3, kSides = 2 * kDims };

typedef struct {
  int n;
  MPI_Comm comm;
  int neighbor[kSides];  // below and above in each dimension, MPI_PROC_NULL at the cube's surface
  int first[kDims];      // global position of the block's first cell
  int cells[kDims];      // its extent, without the halo
  size_t step[kDims];    // distance in memory to the next cell in each dimension
  double *now, *next;    // with a halo one cell deep
  double *outgoing[kSides], *incoming[kSides];  // faces
} Block;

static size_t at(const Block* block, int x, int y, int z) {
  return (size_t)x * block->step[0] + (size_t)y * block->step[1] + (size_t)z;
}

// The dimensions that span the face across `dim`.
static int face_rows(int dim) { return dim == 0 ? 1 : 0; }
static int face_columns(int dim) { return dim == 2 ? 1 : 2; }

static int face_cells(const Block* block, int dim) {
  return block->cells[face_rows(dim)] * block->cells[face_columns(dim)];
}

// Copies between a face buffer and the layer `layer` of the block across `dim`.
static void copy_face(const Block* block, int dim, int layer, double* face, int out) {
  const int rows = face_rows(dim), columns = face_columns(dim);
  for (int i = 1; i <= block->cells[rows]; ++i)
    for (int j = 1; j <= block->cells[columns]; ++j, ++face) {
      double* cell = block->now + (size_t)layer * block->step[dim] + (size_t)i * block->step[rows] +
                     (size_t)j * block->step[columns];
      if (out)
        *face = *cell;
      else
        *cell = *face;
    }
}

static void start_exchange(const Block* block, MPI_Request* requests) {
  for (int side = 0; side < kSides; ++side)
    MPI_Irecv(block->incoming[side], face_cells(block, side / 2), MPI_DOUBLE, block->neighbor[side],
              side ^ 1, block->comm, &requests[side]);
  for (int side = 0; side < kSides; ++side) {
    const int dim = side / 2, layer = side % 2 ? block->cells[dim] : 1;
    if (block->neighbor[side] != MPI_PROC_NULL)
      copy_face(block, dim, layer, block->outgoing[side], 1);
    MPI_Isend(block->outgoing[side], face_cells(block, dim), MPI_DOUBLE, block->neighbor[side],
              side, block->comm, &requests[kSides + side]);
  }
}

static void finish_exchange(const Block* block, MPI_Request* requests) {
  MPI_Waitall(2 * kSides, requests, MPI_STATUSES_IGNORE);
  for (int side = 0; side < kSides; ++side) {
    const int dim = side / 2, halo = side % 2 ? block->cells[dim] + 1 : 0;
    if (block->neighbor[side] != MPI_PROC_NULL)
      copy_face(block, dim, halo, block->incoming[side], 0);
  }
}

// Computes the cells from `low` to `high`, both included; returns the largest change among them.
static double relax(const Block* block, const int* low, const int* high) {
  double largest = 0;
  const size_t sx = block->step[0], sy = block->step[1];
  for (int x = low[0]; x <= high[0]; ++x)
    for (int y = low[1]; y <= high[1]; ++y)
      for (size_t i = at(block, x, y, low[2]); i <= at(block, x, y, high[2]); ++i) {
        const double* now = block->now + i;
        const double mean =
            (now[-sx] + now[sx] + now[-sy] + now[sy] + now[-1] + now[1]) * (1.0 / 6);
        const double change = fabs(mean - *now);
        if (change > largest) largest = change;
        block->next[i] = mean;
      }
  return largest;
}

static double relax_inside(const Block* block) {
  const int low[kDims] = {2, 2, 2};
  const int high[kDims] = {block->cells[0] - 1, block->cells[1] - 1, block->cells[2] - 1};
  return relax(block, low, high);
}

// The cells relax_inside left out: two layers a dimension, each cell once.
static double relax_shell(const Block* block) {
  double largest = 0;
  int low[kDims] = {1, 1, 1};
  int high[kDims] = {block->cells[0], block->cells[1], block->cells[2]};
  for (int dim = 0; dim < kDims; ++dim) {
    const int bottom = low[dim], top = high[dim];
    high[dim] = bottom;
    largest = fmax(largest, relax(block, low, high));
    low[dim] = high[dim] = top;
    if (top > bottom) largest = fmax(largest, relax(block, low, high));
    low[dim] = bottom + 1;
    high[dim] = top - 1;
  }
  return largest;
}

static double sweep(Block* block) {
  MPI_Request requests[2 * kSides];
  start_exchange(block, requests);
  const double inside = relax_inside(block);
  finish_exchange(block, requests);
  const double largest = fmax(inside, relax_shell(block));
  double* swap = block->now;
  block->now = block->next;
  block->next = swap;
  return largest;
}

// Sweeps `iterations` times; returns the largest change any cell of the cube made in the last one.
static double solve(Block* block, int iterations, int overlap) {
  double mine = 0, largest = 0;
  MPI_Request reducing = MPI_REQUEST_NULL;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const double change = sweep(block);
    MPI_Wait(&reducing, MPI_STATUS_IGNORE);
    mine = change;
    if (overlap)
      MPI_Iallreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, block->comm, &reducing);
    else
      MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, block->comm);
  }
  MPI_Wait(&reducing, MPI_STATUS_IGNORE);
  return largest;
}

static uint64_t cell_number(const Block* block, int x, int y, int z) {
  const uint64_t n = (uint64_t)block->n;
  return ((uint64_t)(block->first[0] + x) * n + (uint64_t)(block->first[1] + y)) * n +
         (uint64_t)(block->first[2] + z);
}

// Warm and cold cells at random, in a cube with a surface at zero.
static void heat(const Block* block) {
  for (int x = 0; x < block->cells[0]; ++x)
    for (int y = 0; y < block->cells[1]; ++y)
      for (int z = 0; z < block->cells[2]; ++z)
        block->now[at(block, x + 1, y + 1, z + 1)] =
            (double)(app_mix(cell_number(block, x, y, z)) % 1024);
}

static uint64_t share_of_checksum(const Block* block) {
  uint64_t checksum = 0;
  for (int x = 0; x < block->cells[0]; ++x)
    for (int y = 0; y < block->cells[1]; ++y)
      for (int z = 0; z < block->cells[2]; ++z)
        checksum += app_term(cell_number(block, x, y, z),
                             app_bits(block->now[at(block, x + 1, y + 1, z + 1)]));
  return checksum;
}

static Block make_block(int n) {
  Block block = {.n = n};
  int dims[kDims] = {0}, periodic[kDims] = {0}, coords[kDims];
  MPI_Dims_create(app_size(), kDims, dims);
  MPI_Cart_create(MPI_COMM_WORLD, kDims, dims, periodic, 1, &block.comm);
  MPI_Cart_get(block.comm, kDims, dims, periodic, coords);
  if (n < dims[0]) app_exit(kBadArguments, "n must be at least the ranks along each edge");
  for (int dim = 0; dim < kDims; ++dim) {
    block.first[dim] = (int)((long)n * coords[dim] / dims[dim]);
    block.cells[dim] = (int)((long)n * (coords[dim] + 1) / dims[dim]) - block.first[dim];
    MPI_Cart_shift(block.comm, dim, 1, &block.neighbor[2 * dim], &block.neighbor[2 * dim + 1]);
  }
  block.step[2] = 1;
  block.step[1] = (size_t)block.cells[2] + 2;
  block.step[0] = ((size_t)block.cells[1] + 2) * block.step[1];
  const size_t cells = ((size_t)block.cells[0] + 2) * block.step[0];
  block.now = app_allocate(cells, sizeof(double));
  block.next = app_allocate(cells, sizeof(double));
  for (int side = 0; side < kSides; ++side) {
    block.outgoing[side] = app_allocate((size_t)face_cells(&block, side / 2), sizeof(double));
    block.incoming[side] = app_allocate((size_t)face_cells(&block, side / 2), sizeof(double));
  }
  return block;
}

static void free_block(Block* block) {
  for (int side = 0; side < kSides; ++side) {
    free(block->outgoing[side]);
    free(block->incoming[side]);
  }
  free(block->now);
  free(block->next);
  MPI_Comm_free(&block->comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  AppArgument arguments[] = {
      {"n", 1, 2048, 192}, {"iterations", 0, 1000000, 100}, {"overlap", 0, 1, 0}};
  app_arguments(argc, argv, kUsage, arguments, 3);

  Block block = make_block((int)arguments[0].value);
  heat(&block);
  MPI_Barrier(block.comm);
  const double start = MPI_Wtime();
  const double largest = solve(&block, (int)arguments[1].value, (int)arguments[2].value);
  const double seconds = MPI_Wtime() - start;

  const uint64_t cells = app_total(share_of_checksum(&block));
  free_block(&block);
  app_report(app_term(cells, app_bits(largest)), seconds);
  MPI_Finalize();
}
