// Multigrid for the potential of a few charges in a grounded cube, on a 3-D grid of ranks: many
// small collectives and messages between short computations, like NPB's MG.
//
// Every V-cycle smooths the finest grid (red-black Gauss-Seidel), restricts what is left of the
// charges to the next coarser grid, goes on there, and interpolates the correction back. Halos are
// exchanged before each colour. Each level finds its largest residual on the way down and its
// largest correction on the way up by MPI_Allreduce; the coarsest, solved by sweeps until it is
// precise enough, one residual a sweep.
//
// Each cell is computed by the same operations whoever owns it, and only maxima are reduced for
// what follows to depend on, so the checksum is the same on any number of ranks.
//
// Usage: mg [N [cycles]]    N^3 cells, N 8 to 15 times a power of two; the ranks along each edge
//                           must divide that factor

#include <math.h>
#include <stddef.h>

#include "../common/app.h"

enum { kDims = 3, kSides = 2 * kDims, kMaxLevels = 10, kCharges = 20 };
enum { kPreSweeps = 2, kPostSweeps = 1, kCoarseSweeps = 60 };
enum { kCoarsestLeast = 8 };

static const char kUsage[] =
    "usage: mg [N [cycles]]  (N^3 cells, N 8 to 15 times a power of two; default 192 12)";
static const double kCoarsePrecision = 0.01;
static const double kRoundingFloor = 1e-9;  // of the first residual: no more can be asked for

typedef struct {
  double spacing2;                        // the square of the distance of two cells
  int first[kDims];                       // global position of the block's first cell
  int cells[kDims];                       // its extent, without the halo
  size_t step[kDims];                     // distance in memory to the next cell in each dimension
  double *potential, *charge, *residual;  // with a halo one cell deep
} Level;

typedef struct {
  int n, levels;
  MPI_Comm comm;
  int neighbor[kSides];  // below and above in each dimension, MPI_PROC_NULL at the cube's surface
  Level level[kMaxLevels];
  double *outgoing[2], *incoming[2];  // faces
  uint64_t checksum, reductions;      // of the maxima found; how many were
} Grid;

static size_t at(const Level* level, int x, int y, int z) {
  return (size_t)x * level->step[0] + (size_t)y * level->step[1] + (size_t)z;
}

static size_t level_cells(const Level* level) {
  return ((size_t)level->cells[0] + 2) * level->step[0];
}

// The dimensions that span the face across `dim`.
static int face_rows(int dim) { return dim == 0 ? 1 : 0; }
static int face_columns(int dim) { return dim == 2 ? 1 : 2; }

// With the halo's edges: an exchange of all dimensions in turn so brings the corners too.
static int face_cells(const Level* level, int dim) {
  return (level->cells[face_rows(dim)] + 2) * (level->cells[face_columns(dim)] + 2);
}

enum { kGather, kScatter, kGround };

// Copies the layer `layer` of a block across `dim` to a face, or the face to it; kGround makes the
// layer the negative of its neighbour `inside`, so that the surface between them is at zero.
static void copy_face(const Level* level, double* cells, int dim, int layer, int what, double* face,
                      int inside) {
  const int rows = face_rows(dim), columns = face_columns(dim);
  const size_t in = (size_t)inside * level->step[dim];
  for (int i = 0; i < level->cells[rows] + 2; ++i)
    for (int j = 0; j < level->cells[columns] + 2; ++j) {
      double* line = cells + (size_t)i * level->step[rows] + (size_t)j * level->step[columns];
      double* cell = line + (size_t)layer * level->step[dim];
      if (what == kGather)
        *face++ = *cell;
      else if (what == kScatter)
        *cell = *face++;
      else
        *cell = -line[in];
    }
}

static void exchange(const Grid* grid, const Level* level) {
  double* cells = level->potential;
  for (int dim = 0; dim < kDims; ++dim) {
    const int count = face_cells(level, dim), last = level->cells[dim];
    const int* neighbor = &grid->neighbor[2 * dim];
    MPI_Request requests[4];
    for (int side = 0; side < 2; ++side)
      MPI_Irecv(grid->incoming[side], count, MPI_DOUBLE, neighbor[side], side ^ 1, grid->comm,
                &requests[side]);
    for (int side = 0; side < 2; ++side) {
      if (neighbor[side] != MPI_PROC_NULL)
        copy_face(level, cells, dim, side ? last : 1, kGather, grid->outgoing[side], 0);
      MPI_Isend(grid->outgoing[side], count, MPI_DOUBLE, neighbor[side], side, grid->comm,
                &requests[2 + side]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int side = 0; side < 2; ++side)
      copy_face(level, cells, dim, side ? last + 1 : 0,
                neighbor[side] == MPI_PROC_NULL ? kGround : kScatter, grid->incoming[side],
                side ? last : 1);
  }
}

// The largest of all ranks' values, which also counts for the checksum.
static double largest(Grid* grid, double mine) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, grid->comm);
  grid->checksum += app_term(grid->reductions++, app_bits(all));
  return all;
}

static double around(const Level* level, const double* u) {
  const ptrdiff_t sx = (ptrdiff_t)level->step[0], sy = (ptrdiff_t)level->step[1];
  return u[-sx] + u[sx] + u[-sy] + u[sy] + u[-1] + u[1];
}

// A sweep over the red cells and one over the black: neither colour has neighbours of its own.
static void smooth(const Grid* grid, const Level* level) {
  for (int color = 0; color < 2; ++color) {
    exchange(grid, level);
    for (int x = 1; x <= level->cells[0]; ++x)
      for (int y = 1; y <= level->cells[1]; ++y) {
        const int corner = level->first[0] + x + level->first[1] + y + level->first[2] + 1;
        for (int z = 1 + ((corner + color) & 1); z <= level->cells[2]; z += 2) {
          const size_t i = at(level, x, y, z);
          double* u = level->potential + i;
          *u = (level->spacing2 * level->charge[i] + around(level, u)) * (1.0 / 6);
        }
      }
  }
}

// Computes what the potential leaves of the charges. Returns the largest of all ranks; adds up this
// rank's squares if the caller wants them.
static double find_residual(Grid* grid, const Level* level, double* squares) {
  const double scale = 1 / level->spacing2;
  double most = 0, sum = 0;
  exchange(grid, level);
  for (int x = 1; x <= level->cells[0]; ++x)
    for (int y = 1; y <= level->cells[1]; ++y)
      for (size_t i = at(level, x, y, 1); i <= at(level, x, y, level->cells[2]); ++i) {
        const double* u = level->potential + i;
        const double residual = level->charge[i] - (6 * *u - around(level, u)) * scale;
        level->residual[i] = residual;
        sum += residual * residual;
        if (fabs(residual) > most) most = fabs(residual);
      }
  if (squares != NULL) *squares = sum;
  return largest(grid, most);
}

// The fine level's residual becomes the coarse level's charge: the mean of eight cells.
static void coarsen(const Level* fine, const Level* coarse) {
  const size_t sx = fine->step[0], sy = fine->step[1];
  for (int x = 1; x <= coarse->cells[0]; ++x)
    for (int y = 1; y <= coarse->cells[1]; ++y)
      for (int z = 1; z <= coarse->cells[2]; ++z) {
        const double* r = fine->residual + at(fine, 2 * x - 1, 2 * y - 1, 2 * z - 1);
        const double low = r[0] + r[1] + r[sy] + r[sy + 1];
        const double high = r[sx] + r[sx + 1] + r[sx + sy] + r[sx + sy + 1];
        coarse->charge[at(coarse, x, y, z)] = (low + high) * 0.125;
      }
}

// Adds the coarse level's potential to the fine level's, interpolated from the eight nearest cells.
// Returns the largest correction of all ranks.
static double correct(Grid* grid, const Level* fine, const Level* coarse) {
  const ptrdiff_t step_x = (ptrdiff_t)coarse->step[0], step_y = (ptrdiff_t)coarse->step[1];
  double most = 0;
  exchange(grid, coarse);
  for (int x = 1; x <= fine->cells[0]; ++x)
    for (int y = 1; y <= fine->cells[1]; ++y) {
      const double* near = coarse->potential + at(coarse, (x + 1) / 2, (y + 1) / 2, 0);
      const double* nextx = near + (x & 1 ? -step_x : step_x);
      const ptrdiff_t sy = y & 1 ? -step_y : step_y;
      double* u = fine->potential + at(fine, x, y, 0);
      for (int z = 1; z <= fine->cells[2]; ++z) {
        const int a = (z + 1) / 2, b = z & 1 ? a - 1 : a + 1;
        const double here = 0.75 * (0.75 * near[a] + 0.25 * near[b]) +
                            0.25 * (0.75 * (near + sy)[a] + 0.25 * (near + sy)[b]);
        const double next = 0.75 * (0.75 * nextx[a] + 0.25 * nextx[b]) +
                            0.25 * (0.75 * (nextx + sy)[a] + 0.25 * (nextx + sy)[b]);
        const double change = 0.75 * here + 0.25 * next;
        if (fabs(change) > most) most = fabs(change);
        u[z] += change;
      }
    }
  return largest(grid, most);
}

static void solve_coarsest(Grid* grid, const Level* level) {
  const double first = find_residual(grid, level, NULL);
  for (int sweep = 0; sweep < kCoarseSweeps; ++sweep) {
    smooth(grid, level);
    if (find_residual(grid, level, NULL) <= kCoarsePrecision * first) break;
  }
}

static void cycle(Grid* grid) {
  const int coarsest = grid->levels - 1;
  for (int i = 0; i < coarsest; ++i) {
    const Level *level = &grid->level[i], *below = level + 1;
    for (int sweep = 0; sweep < kPreSweeps; ++sweep) smooth(grid, level);
    find_residual(grid, level, NULL);
    coarsen(level, below);
    memset(below->potential, 0, level_cells(below) * sizeof *below->potential);
  }
  solve_coarsest(grid, &grid->level[coarsest]);
  for (int i = coarsest - 1; i >= 0; --i) {
    correct(grid, &grid->level[i], &grid->level[i + 1]);
    for (int sweep = 0; sweep < kPostSweeps; ++sweep) smooth(grid, &grid->level[i]);
  }
}

// The root of the sum of all squares: within rounding only the same on any number of ranks, so it
// decides whether the run is right and nothing else.
static double residual_norm(Grid* grid) {
  double mine, all;
  find_residual(grid, &grid->level[0], &mine);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, grid->comm);
  return sqrt(all);
}

static uint64_t cell_number(const Grid* grid, const Level* level, int x, int y, int z) {
  const uint64_t n = (uint64_t)grid->n;
  return ((uint64_t)(level->first[0] + x) * n + (uint64_t)(level->first[1] + y)) * n +
         (uint64_t)(level->first[2] + z);
}

// As many charges up as down, each in a cell at random.
static void place_charges(const Grid* grid) {
  const Level* level = &grid->level[0];
  const uint64_t cells = (uint64_t)grid->n * (uint64_t)grid->n * (uint64_t)grid->n;
  for (int x = 0; x < level->cells[0]; ++x)
    for (int y = 0; y < level->cells[1]; ++y)
      for (int z = 0; z < level->cells[2]; ++z)
        for (uint64_t i = 0; i < kCharges; ++i)
          if (app_mix(i) % cells == cell_number(grid, level, x, y, z))
            level->charge[at(level, x + 1, y + 1, z + 1)] += i % 2 ? -1 : 1;
}

static uint64_t share_of_checksum(const Grid* grid) {
  const Level* level = &grid->level[0];
  uint64_t checksum = 0;
  for (int x = 0; x < level->cells[0]; ++x)
    for (int y = 0; y < level->cells[1]; ++y)
      for (int z = 0; z < level->cells[2]; ++z)
        checksum += app_term(cell_number(grid, level, x, y, z),
                             app_bits(level->potential[at(level, x + 1, y + 1, z + 1)]));
  return checksum;
}

static Level make_level(int n, const int* dims, const int* coords) {
  Level level = {.spacing2 = 1.0 / n / n};
  for (int dim = 0; dim < kDims; ++dim) {
    level.cells[dim] = n / dims[dim];
    level.first[dim] = level.cells[dim] * coords[dim];
  }
  level.step[2] = 1;
  level.step[1] = (size_t)level.cells[2] + 2;
  level.step[0] = ((size_t)level.cells[1] + 2) * level.step[1];
  level.potential = app_allocate(level_cells(&level), sizeof(double));
  level.charge = app_allocate(level_cells(&level), sizeof(double));
  level.residual = app_allocate(level_cells(&level), sizeof(double));
  return level;
}

static Grid make_grid(int n) {
  Grid grid = {.n = n, .levels = 1};
  int dims[kDims] = {0}, periodic[kDims] = {0}, coords[kDims], coarsest = n;
  for (; coarsest % 2 == 0 && coarsest / 2 >= kCoarsestLeast; coarsest /= 2) ++grid.levels;
  if (coarsest >= 2 * kCoarsestLeast)
    app_exit(kBadArguments, "N must be 8 to 15 times a power of two");
  MPI_Dims_create(app_size(), kDims, dims);
  for (int dim = 0; dim < kDims; ++dim)
    if (coarsest % dims[dim] != 0)
      app_exit(kBadArguments, "the ranks along each edge must divide the coarsest grid's edge");
  MPI_Cart_create(MPI_COMM_WORLD, kDims, dims, periodic, 1, &grid.comm);
  MPI_Cart_get(grid.comm, kDims, dims, periodic, coords);
  int most = 0;
  for (int i = 0; i < grid.levels; ++i) grid.level[i] = make_level(n >> i, dims, coords);
  for (int dim = 0; dim < kDims; ++dim) {
    const int cells = face_cells(&grid.level[0], dim);
    if (cells > most) most = cells;
    MPI_Cart_shift(grid.comm, dim, 1, &grid.neighbor[2 * dim], &grid.neighbor[2 * dim + 1]);
  }
  for (int side = 0; side < 2; ++side) {
    grid.outgoing[side] = app_allocate((size_t)most, sizeof(double));
    grid.incoming[side] = app_allocate((size_t)most, sizeof(double));
  }
  return grid;
}

static void free_grid(Grid* grid) {
  for (int i = 0; i < grid->levels; ++i) {
    free(grid->level[i].potential);
    free(grid->level[i].charge);
    free(grid->level[i].residual);
  }
  for (int side = 0; side < 2; ++side) {
    free(grid->outgoing[side]);
    free(grid->incoming[side]);
  }
  MPI_Comm_free(&grid->comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  AppArgument arguments[] = {{"N", kCoarsestLeast, 1024, 192}, {"cycles", 0, 1000000, 12}};
  app_arguments(argc, argv, kUsage, arguments, 2);
  const int cycles = (int)arguments[1].value;

  Grid grid = make_grid((int)arguments[0].value);
  place_charges(&grid);
  const double first = residual_norm(&grid);
  double norm = first;
  MPI_Barrier(grid.comm);
  const double start = MPI_Wtime();
  for (int i = 0; i < cycles; ++i) {
    cycle(&grid);
    norm = residual_norm(&grid);
  }
  const double seconds = MPI_Wtime() - start;

  // Every rank has the same maxima, so the checksum counts them once.
  const uint64_t checksum = app_total(share_of_checksum(&grid)) + grid.checksum;
  free_grid(&grid);
  const double expected = first * fmax(ldexp(1, -cycles), kRoundingFloor);
  if (!(norm <= expected)) app_exit(kWrongResult, "the residual does not halve with every cycle");
  app_report(checksum, seconds);
  MPI_Finalize();
}
