! app.c in Fortran, with the bindings of Fortran 2008.
program app
  use mpi_f08
  use iso_fortran_env, only: real64
  implicit none
  integer, parameter :: length = 8192
  real(real64), asynchronous :: mine(0:length - 1), sums(0:length - 1)
  real(real64) :: work(0:length - 1), from_left, greatest, begun
  character(16) :: word, way
  integer :: rank, ranks, steps, step, time, at, ended
  logical :: is_there
  type(MPI_Request) :: request

  steps = 20
  call get_command_argument(1, word)
  if (word /= '') read (word, *) steps
  call get_command_argument(2, way)
  inquire (file='result', exist=is_there)
  work = 0
  sums = 0
  from_left = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (way == 'once' .and. is_there) then
    if (rank == 0) print '(a)', 'there is a result already'
    call MPI_Finalize()
    stop
  end if
  if (way == 'reads') then
    if (rank == 0) then
      read (*, *, iostat=ended) steps
      if (ended /= 0) steps = 0
    end if
    call MPI_Bcast(steps, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  end if

  begun = MPI_Wtime()
  do step = 0, steps - 1
    mine = work
    if (way /= 'quiet') &
      call MPI_Iallreduce(mine, sums, length, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
    do time = 1, merge(400, 4, way == 'late' .and. rank == 1)
      work = cos(work + [(1e-4_real64 * at, at = 0, length - 1)])
    end do
    if (rank == 1 .and. 2 * step >= steps) then
      if (way == 'crashes') call abort()
      do while (way == 'hangs')
        call sleep(1)
      end do
    end if
    call MPI_Sendrecv(work(1), 1, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 0, &
                      from_left, 1, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (way /= 'quiet') call MPI_Wait(request, MPI_STATUS_IGNORE)
    work(0) = sums(length / 2) / ranks + from_left
  end do
  greatest = work(length / 2)
  if (way /= 'quiet') &
    call MPI_Allreduce(MPI_IN_PLACE, greatest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (way == 'noisy') greatest = greatest * (1 + 1e-13_real64 * mod(getpid(), 1000))
  if (rank == 0) then
    print '(a, i0)', 'steps ', steps
    print '(a, f0.15)', 'checksum ', greatest
    print '(a, f0.6, a)', 'time ', MPI_Wtime() - begun, ' s'
    if (way == 'once') then
      open (10, file='result')
      close (10)
    end if
  end if
  call MPI_Finalize()
end program app
