! SPDX-License-Identifier: BSD-3-Clause
!
! The Fortran 2008 interface of libmeasure. Compile it with your own compiler, because module files are specific to a
! compiler, and link with libmeasure:
!
!     mpifort -c libmeasure.f90
!     mpifort my_program.f90 libmeasure.o -lmeasure
!
! Names and comments are taken from measure.h; its first comment describes the conventions. Differences from C:
!
! - Calls return their code and message in the optional argument "error" (type(measure_error)), which is the last one
!   before other optional ones. measure_message gives the message as a text. A setting of a plan or point that fails is
!   remembered; calls that use the plan or point then fail.
! - Handles of MPI are integers: comm of mpif.h and "use mpi", comm%MPI_VAL of "use mpi_f08".
! - measure_plan_set and measure_point_set accept texts, integers and reals.
! - Callbacks are bind(C) functions of a module with the interfaces measure_body, measure_finish, measure_prepare.
! - Texts are returned without trailing blanks. Missing numbers are NaN.
! - C's NULL corresponds to an object that was not created, or to an empty text. Numbers that may be NULL in C are not
!   optional here.
module libmeasure
    use, intrinsic :: iso_c_binding
    implicit none
    private

    public :: measure_error, measure_body, measure_finish, measure_prepare
    public :: measure_message, measure_plan_set, measure_point_set
@public@

@enums@

    integer, parameter :: message_size = 508

    !> Why a call failed.
    type, bind(C) :: measure_error
        !> return value of the function, a measure_code
        integer(c_int) :: code = measure_ok
        !> see measure_message
        character(kind=c_char) :: message(message_size) = c_null_char
    end type

@types@

    type, bind(C) :: measure_operation
        type(c_funptr) :: body
        type(c_funptr) :: finish
        type(c_funptr) :: prepare
        type(c_ptr) :: context
    end type

    abstract interface
        integer(c_int) function measure_body(context, iteration) bind(C)
            import :: c_int, c_ptr, measure_iteration
            type(c_ptr), value :: context
            type(measure_iteration), value :: iteration
        end function
        integer(c_int) function measure_finish(context) bind(C)
            import :: c_int, c_ptr
            type(c_ptr), value :: context
        end function
        subroutine measure_prepare(context, iteration) bind(C)
            import :: c_ptr, measure_iteration
            type(c_ptr), value :: context
            type(measure_iteration), value :: iteration
        end subroutine
    end interface

    !> Sets an option or a number of a plan: see measure_plan_set_text and measure_plan_set_number of measure.h.
    interface measure_plan_set
        module procedure plan_set_text, plan_set_number, plan_set_single, plan_set_integer, plan_set_long
    end interface

    !> Adds or replaces a coordinate: see measure_point_set_integer, _number and _text of measure.h.
    interface measure_point_set
        module procedure point_set_text, point_set_number, point_set_single, point_set_integer, point_set_short
    end interface

    ! Regions: implemented in libmeasure_regions.f90.
    interface
        !> Creates the regions of a communicator: see measure.h. \param file  if absent, the environment decides
        module subroutine measure_regions_create(comm, regions, error, name, file, timer, samples)
            type(measure_comm), intent(in) :: comm
            type(measure_regions), intent(out) :: regions
            type(measure_error), intent(out), optional, target :: error
            character(len=*), intent(in), optional :: name
            character(len=*), intent(in), optional :: file
            type(measure_timer), intent(in), optional :: timer
            integer, intent(in), optional :: samples
        end subroutine
@declarations_of_regions@
    end interface

    interface
        pure integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
            import :: c_size_t, c_ptr
            type(c_ptr), intent(in), value :: text
        end function
@interfaces@
    end interface

contains

    ! Converts a C text to Fortran.
    function text_of(text) result(copy)
        type(c_ptr), intent(in) :: text
        character(len=:), allocatable :: copy
        character(kind=c_char), pointer :: characters(:)
        integer :: i
        call c_f_pointer(text, characters, [c_strlen(text)])
        allocate (character(len=size(characters)) :: copy)
        do i = 1, size(characters)
            copy(i:i) = characters(i)
        end do
    end function

    function c_text(text) result(copy)
        character(len=*), intent(in) :: text
        character(kind=c_char, len=:), allocatable :: copy
        copy = trim(text)//c_null_char
    end function

    ! Address of an error for C; null if the argument is absent.
    function place(error) result(address)
        type(measure_error), intent(inout), optional, target :: error
        type(c_ptr) :: address
        address = c_null_ptr
        if (present(error)) address = c_loc(error)
    end function

    !> Message of an error; "" after success.
    function measure_message(error) result(text)
        type(measure_error), intent(in) :: error
        character(len=:), allocatable :: text
        integer :: i, length
        length = 0
        do while (length < message_size - 1)
            if (error%message(length + 1) == c_null_char) exit
            length = length + 1
        end do
        allocate (character(len=length) :: text)
        do i = 1, length
            text(i:i) = error%message(i)
        end do
    end function

@procedures@

    subroutine plan_set_single(plan, name, value, error)
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: name
        real(c_float), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call plan_set_number(plan, name, real(value, c_double), error)
    end subroutine

    subroutine plan_set_integer(plan, name, value, error)
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: name
        integer(c_int), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call plan_set_number(plan, name, real(value, c_double), error)
    end subroutine

    subroutine plan_set_long(plan, name, value, error)
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: name
        integer(c_int64_t), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call plan_set_number(plan, name, real(value, c_double), error)
    end subroutine

    subroutine point_set_single(point, name, value, error)
        type(measure_point), intent(in) :: point
        character(len=*), intent(in) :: name
        real(c_float), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call point_set_number(point, name, real(value, c_double), error)
    end subroutine

    subroutine point_set_short(point, name, value, error)
        type(measure_point), intent(in) :: point
        character(len=*), intent(in) :: name
        integer(c_int), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call point_set_integer(point, name, int(value, c_int64_t), error)
    end subroutine

    !> Measures an operation by a plan: see measure.h. \param context  c_loc of the callbacks' data, or c_null_ptr
    subroutine measure_run(comm, plan, body, context, result, error, finish, prepare)
        type(measure_comm), intent(in) :: comm
        type(measure_plan), intent(in) :: plan
        procedure(measure_body) :: body
        type(c_ptr), intent(in) :: context
        type(measure_result), intent(out) :: result
        type(measure_error), intent(out), optional, target :: error
        procedure(measure_finish), optional :: finish
        procedure(measure_prepare), optional :: prepare
        type(measure_operation) :: operation
        integer(c_int) :: code
        operation%body = c_funloc(body)
        operation%finish = c_null_funptr
        operation%prepare = c_null_funptr
        if (present(finish)) operation%finish = c_funloc(finish)
        if (present(prepare)) operation%prepare = c_funloc(prepare)
        operation%context = context
        code = c_run(comm%handle, plan%handle, operation, c_sizeof(operation), result%handle, place(error))
    end subroutine

    !> Opens a file of records: see measure.h. The command line is taken from the program.
    subroutine measure_record_open(comm, plan, path, program, record, error)
        type(measure_comm), intent(in) :: comm
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: path
        character(len=*), intent(in) :: program
        type(measure_record), intent(out) :: record
        type(measure_error), intent(out), optional, target :: error
        character(kind=c_char), allocatable, target :: characters(:)
        character(len=:), allocatable :: argument
        type(c_ptr), allocatable :: argv(:)
        integer :: i, k, n, first, length
        integer(c_int) :: code
        n = command_argument_count()
        length = 0
        do i = 0, n
            length = length + argument_length(i) + 1
        end do
        allocate (characters(length), argv(n + 1))
        first = 1
        do i = 0, n
            length = argument_length(i)
            argument = repeat(' ', length)
            call get_command_argument(i, argument)
            do k = 1, length
                characters(first + k - 1) = argument(k:k)
            end do
            characters(first + length) = c_null_char
            argv(i + 1) = c_loc(characters(first))
            first = first + length + 1
        end do
        code = c_record_open(comm%handle, plan%handle, c_text(path), c_text(program), int(n + 1, c_int), argv, &
                             record%handle, place(error))
    end subroutine

    integer function argument_length(i) result(length)
        integer, intent(in) :: i
        call get_command_argument(i, length=length)
    end function

end module
