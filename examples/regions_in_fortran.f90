! Where does my Fortran solver spend its time?
! SPDX-License-Identifier: BSD-3-Clause
!
! usage: regions_in_fortran
!
! Two regions stay in the code permanently. They are off unless MEASURE_REGIONS names a file.
program regions_in_fortran
    use, intrinsic :: iso_c_binding
    use mpi
    use libmeasure
    implicit none
    type(measure_comm) :: team
    type(measure_regions) :: regions
    type(measure_region) :: step, sum
    real(c_double) :: field(16), all
    integer :: i, code

    call MPI_Init(code)
    field = 0
    field(1) = 1
    call measure_comm_create(MPI_COMM_WORLD, team)
    call measure_regions_create(team, regions)
    call measure_regions_get(regions, 'step', step)
    call measure_regions_get(regions, 'sum', sum)

    do i = 1, 50
        call measure_region_begin(step)
        field(2:15) = (field(1:14) + field(3:16))/2
        call measure_region_begin(sum)
        call MPI_Allreduce(field(8), all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
        call measure_region_end(sum)
        call measure_region_end(step)
    end do

    call measure_regions_end(regions)   ! rank 0 warns if the record cannot be written
    if (measure_comm_rank(team) == 0) print '(a, es12.4)', 'sum of the middle columns:', all
    call measure_regions_free(regions)
    call measure_comm_free(team)
    call MPI_Finalize(code)
end program
