! SPDX-License-Identifier: BSD-3-Clause
!
! Regions of the Fortran interface. Compile this after libmeasure.f90, and link with libmeasure-regions too:
!
!     mpifort -c libmeasure.f90 libmeasure_regions.f90
!     mpifort my_program.f90 libmeasure.o libmeasure_regions.o -lmeasure_regions -lmeasure
!
! The program has "use libmeasure" alone. One without regions does without this file.
submodule(libmeasure) libmeasure_regions
    implicit none

    type, bind(C) :: regions_options
        type(c_ptr) :: name = c_null_ptr
        type(c_ptr) :: file = c_null_ptr
        type(c_ptr) :: timer = c_null_ptr
        integer(c_int64_t) :: samples = 0
    end type

    procedure(c_procedure), bind(C, name="measure_regions_free") :: c_regions_free
    procedure(c_procedure), bind(C, name="measure_region_begin") :: c_region_begin
    procedure(c_procedure), bind(C, name="measure_region_end") :: c_region_end

    interface
        integer(c_int) function c_regions_create(comm, options, size, regions, error) &
            bind(C, name="measure_regions_create")
            import :: c_int, c_ptr, c_size_t, regions_options
            type(c_ptr), value :: comm
            type(regions_options), intent(in) :: options
            integer(c_size_t), value :: size
            type(c_ptr), intent(out) :: regions
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_regions_on(regions) bind(C, name="measure_regions_on")
            import :: c_int, c_ptr
            type(c_ptr), value :: regions
        end function
        integer(c_int) function c_regions_get(regions, name, region, error) bind(C, name="measure_regions_get")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: regions
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr), intent(out) :: region
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_regions_end(regions, error) bind(C, name="measure_regions_end")
            import :: c_int, c_ptr
            type(c_ptr), value :: regions
            type(c_ptr), value :: error
        end function
    end interface

contains

    ! A text as C has it.
    function c_characters(text) result(copy)
        character(len=*), intent(in) :: text
        character(kind=c_char), allocatable :: copy(:)
        integer :: i
        allocate (copy(len_trim(text) + 1))
        do i = 1, len_trim(text)
            copy(i) = text(i:i)
        end do
        copy(size(copy)) = c_null_char
    end function

    ! Like the module's `place`, which is not to be seen outside of its object.
    function place_of(error) result(address)
        type(measure_error), intent(inout), optional, target :: error
        type(c_ptr) :: address
        address = c_null_ptr
        if (present(error)) address = c_loc(error)
    end function

    module procedure measure_regions_create
        type(regions_options) :: options
        character(kind=c_char), allocatable, target :: c_name(:), c_file(:)
        integer(c_int) :: code
        if (present(name)) then
            c_name = c_characters(name)
            options%name = c_loc(c_name)
        end if
        if (present(file)) then
            c_file = c_characters(file)
            options%file = c_loc(c_file)
        end if
        if (present(timer)) options%timer = timer%handle
        if (present(samples)) options%samples = int(samples, c_int64_t)
        code = c_regions_create(comm%handle, options, c_sizeof(options), regions%handle, place_of(error))
    end procedure

    module procedure measure_regions_free
        call c_regions_free(regions%handle)
        regions%handle = c_null_ptr
    end procedure

    module procedure measure_regions_on
        yes = c_regions_on(regions%handle) /= 0
    end procedure

    module procedure measure_regions_get
        integer(c_int) :: code
        code = c_regions_get(regions%handle, c_characters(name), region%handle, place_of(error))
    end procedure

    module procedure measure_region_begin
        call c_region_begin(region%handle)
    end procedure

    module procedure measure_region_end
        call c_region_end(region%handle)
    end procedure

    module procedure measure_regions_end
        integer(c_int) :: code
        code = c_regions_end(regions%handle, place_of(error))
    end procedure

end submodule
