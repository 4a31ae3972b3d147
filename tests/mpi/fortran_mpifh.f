C     Fortran 77 bindings: collectives, blocking and not, and waits.
      program mpifh
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 1000)
      integer ierr, rank, ranks, i, request
      integer status(MPI_STATUS_SIZE)
      double precision mine(n), total(n)
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
      do i = 1, n
        mine(i) = dble(rank + i)
      end do
      call MPI_Iallreduce(mine, total, n, MPI_DOUBLE_PRECISION,
     &                    MPI_SUM, MPI_COMM_WORLD, request, ierr)
      call MPI_Wait(request, status, ierr)
      do i = 1, n
        if (total(i) .ne. dble(ranks*(ranks - 1)/2 + ranks*i)) then
          call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
        end if
      end do
      call MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_DOUBLE_PRECISION,
     &                   MPI_SUM, MPI_COMM_WORLD, ierr)
      do i = 1, n
        if (mine(i) .ne. total(i)) then
          call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
        end if
      end do
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) print '(a)', 'fortran ok'
      call MPI_Finalize(ierr)
      end
