! A sum of a module's that another's procedures ask for: 8 times for one, twice for the other.
module halo
  implicit none
  include 'mpif.h'
contains
  subroutine sum_over_ranks(x)
    double precision, intent(inout) :: x
    integer :: error
    call MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (error /= MPI_SUCCESS) stop 1
  end subroutine
end module

module steps
  use halo
  implicit none
contains
  subroutine residual(x)
    double precision, intent(inout) :: x
    call sum_over_ranks(x)
    x = x / 2
  end subroutine
  subroutine energy(x)
    double precision, intent(inout) :: x
    call sum_over_ranks(x)
    x = x / 4
  end subroutine
end module

program fortran_paths
  use steps
  implicit none
  double precision :: x
  integer :: error, i, rank
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  x = 1
  do i = 1, 8
    call residual(x)
    if (mod(i, 4) == 0) call energy(x)
  end do
  if (rank == 0) print '(a)', 'paths ok'
  call MPI_Finalize(error)
end program
