! SPDX-License-Identifier: BSD-3-Clause
!
! Regions of the Fortran interface. Compile this after libmeasure.f90, and link with libmeasure-regions too:
!
!     mpifort -c libmeasure.f90 libmeasure_regions.f90
!     mpifort my_program.f90 libmeasure.o libmeasure_regions.o -lmeasure_regions -lmeasure
!
! The program only needs "use libmeasure". Programs without regions do not need this file.
submodule(libmeasure) libmeasure_regions
    implicit none

    type, bind(C) :: measure_regions_options
        type(c_ptr) :: name = c_null_ptr
        type(c_ptr) :: file = c_null_ptr
        type(c_ptr) :: timer = c_null_ptr
        integer(c_int64_t) :: samples = 0
    end type

    interface
@interfaces_of_regions@
    end interface

contains

    ! Converts a text to C.
    function c_text_of_regions(text) result(copy)
        character(len=*), intent(in) :: text
        character(kind=c_char), allocatable :: copy(:)
        integer :: i
        allocate (copy(len_trim(text) + 1))
        do i = 1, len_trim(text)
            copy(i) = text(i:i)
        end do
        copy(size(copy)) = c_null_char
    end function

    ! Like `place` of the module, which is private.
    function place_of_regions(error) result(address)
        type(measure_error), intent(inout), optional, target :: error
        type(c_ptr) :: address
        address = c_null_ptr
        if (present(error)) address = c_loc(error)
    end function

    module procedure measure_regions_create
        type(measure_regions_options) :: options
        character(kind=c_char), allocatable, target :: c_name(:), c_file(:)
        integer(c_int) :: code
        if (present(name)) then
            c_name = c_text_of_regions(name)
            options%name = c_loc(c_name)
        end if
        if (present(file)) then
            c_file = c_text_of_regions(file)
            options%file = c_loc(c_file)
        end if
        if (present(timer)) options%timer = timer%handle
        if (present(samples)) options%samples = int(samples, c_int64_t)
        code = c_regions_create(comm%handle, options, c_sizeof(options), regions%handle, place_of_regions(error))
    end procedure

@procedures_of_regions@

end submodule
