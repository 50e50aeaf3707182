! SPDX-License-Identifier: BSD-3-Clause
! Known calls through a Fortran binding: BINDING is 1 for mpif.h, 2 for `use mpi`, 3 for `use mpi_f08`.
program profile_fortran
#if BINDING == 2
    use mpi
#elif BINDING == 3
    use mpi_f08
#endif
    implicit none
#if BINDING == 1
    include 'mpif.h'
#endif
#if BINDING == 3
    type(MPI_Request) :: requests(2)
#else
    integer :: requests(2)
#endif
    integer :: i, error, rank, ranks, right, left
    integer :: out(8), in(8)
    in = 1
    call MPI_Init(error)
    if (error /= MPI_SUCCESS) stop 3
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    do i = 1, 10
        call MPI_Bcast(in, 8, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    end do
    do i = 1, 5
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end do
    do i = 1, 3
        call MPI_Irecv(out, 8, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1), error)
        call MPI_Isend(in, 8, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2), error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, in, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
end program
