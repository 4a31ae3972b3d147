! Fortran 2008 bindings: collectives, blocking and not, and waits.
program f08
  use mpi_f08
  implicit none
  integer, parameter :: n = 1000
  integer :: rank, ranks, i
  integer :: mine(n), all(n), root_value
  type(MPI_Request) :: requests(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  mine = [(rank + i, i = 1, n)]
  root_value = merge(17, 0, rank == 0)
  call MPI_Ibcast(root_value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(1))
  call MPI_Iallreduce(mine, all, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  if (root_value /= 17) call MPI_Abort(MPI_COMM_WORLD, 1)
  if (any(all /= [(ranks - 1 + i, i = 1, n)])) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  if (any(mine /= all)) call MPI_Abort(MPI_COMM_WORLD, 1)
  if (rank == 0) print '(a)', 'fortran ok'
  call MPI_Finalize()
end program f08
