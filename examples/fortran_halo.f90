! How long does the halo exchange of my Fortran code take, without the packing?
! SPDX-License-Identifier: BSD-3-Clause
!
! usage: fortran_halo [RECORD]
!
! A field is divided into strips. Each strip exchanges its outer columns with the strips to the left and to the right.
! Before each exchange the columns are packed, which is not timed. All processes start each sample at one instant of a
! global clock. The time of a sample is that of the slowest process.
module halo
    use, intrinsic :: iso_c_binding
    use mpi
    use libmeasure
    implicit none

    type :: strip
        integer :: left, right, rows
        real(c_double), allocatable :: field(:, :), out(:, :), in(:, :)
    end type

contains

    ! The timed exchange. A return value other than 0 makes the sample invalid.
    integer(c_int) function exchange(context, iteration) bind(C)
        type(c_ptr), value :: context
        type(measure_iteration), value :: iteration
        type(strip), pointer :: s
        integer :: tag, code(2)
        call c_f_pointer(context, s)
        tag = int(mod(iteration%index, 2_c_int64_t))
        call MPI_Sendrecv(s%out(:, 1), s%rows, MPI_DOUBLE_PRECISION, s%left, tag, s%in(:, 2), s%rows, &
                          MPI_DOUBLE_PRECISION, s%right, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code(1))
        call MPI_Sendrecv(s%out(:, 2), s%rows, MPI_DOUBLE_PRECISION, s%right, tag, s%in(:, 1), s%rows, &
                          MPI_DOUBLE_PRECISION, s%left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code(2))
        exchange = int(maxval(code), c_int)
    end function

    ! Packs the columns before each sample, untimed.
    subroutine pack(context, iteration) bind(C)
        type(c_ptr), value :: context
        type(measure_iteration), value :: iteration
        type(strip), pointer :: s
        call c_f_pointer(context, s)
        s%out(:, 1) = s%field(:, 1)
        s%out(:, 2) = s%field(:, size(s%field, 2))
        s%field(1, 1) = real(iteration%index, c_double)
    end subroutine

    ! Measures strips of one width and adds a line to the table and to the record.
    subroutine measure_width(team, plan, record, rows, incomplete, error)
        type(measure_comm), intent(in) :: team
        type(measure_plan), intent(in) :: plan
        type(measure_record), intent(in) :: record
        integer, intent(in) :: rows
        logical, intent(inout) :: incomplete
        type(measure_error), intent(out) :: error
        type(strip), target :: s
        type(measure_result) :: result
        type(measure_point) :: at
        type(measure_estimate) :: e
        type(measure_counts) :: n
        integer :: rank, ranks
        rank = measure_comm_rank(team)
        ranks = measure_comm_size(team)
        s%rows = rows
        s%left = modulo(rank - 1, ranks)
        s%right = modulo(rank + 1, ranks)
        allocate (s%field(rows, 8), s%out(rows, 2), s%in(rows, 2))
        s%field = rank

        call measure_run(team, plan, exchange, c_loc(s), result, error, prepare=pack)
        if (error%code /= measure_ok) return
        call measure_point_create(at)
        call measure_point_set(at, 'ranks', ranks)
        call measure_point_set(at, 'bytes', 8*rows)
        call measure_record_point(record, 'halo', at, result, error)
        call measure_result_estimate(result, e)
        call measure_result_counts(result, n)
        incomplete = incomplete .or. n%valid == 0
        if (rank == 0) print '(i8, a, f10.3, a, f8.3, a, i0, a, i0, 2a)', 8*rows, ' B ', e%value*1e6, ' us +- ', &
            e%standard_error*1e6, ' us  ', n%valid, ' of ', n%attempts, ' samples valid, stopped: ', &
            measure_result_stop_reason(result)
        call measure_point_free(at)
        call measure_result_free(result)
    end subroutine

end module

program fortran_halo
    use halo
    implicit none
    type(measure_comm) :: team
    type(measure_plan) :: plan
    type(measure_record) :: record
    type(measure_error) :: error
    character(len=4096) :: path
    integer :: rows, status, code
    logical :: incomplete
    interface
        subroutine c_exit(code) bind(C, name='exit')
            import :: c_int
            integer(c_int), value :: code
        end subroutine
    end interface

    path = '/dev/null'
    if (command_argument_count() > 0) call get_command_argument(1, path)
    call MPI_Init(code)
    call measure_comm_create(MPI_COMM_WORLD, team, error)

    ! Errors here need no check: a setting that fails makes the plan fail when it is used.
    call measure_plan_create('slotted', plan)
    call measure_plan_set(plan, 'relative_error', 0.05d0)
    call measure_plan_set(plan, 'at_most', 400)
    call measure_plan_set(plan, 'time_budget', 1)

    call measure_record_open(team, plan, path, 'fortran_halo', record, error)
    status = 2
    if (error%code == measure_ok) then
        rows = 1
        incomplete = .false.
        do while (rows <= 4096 .and. error%code == measure_ok)
            call measure_width(team, plan, record, rows, incomplete, error)
            rows = 16*rows
        end do
        if (error%code == measure_ok) then
            status = merge(4, 0, incomplete)
            call measure_record_end(record, status, '', error)
        else
            status = 1
            call measure_record_end(record, status, measure_message(error))
        end if
    end if
    if (error%code /= measure_ok .and. measure_comm_rank(team) == 0) &
        write (*, '(2a)') 'fortran_halo: error: ', measure_message(error)
    call measure_record_free(record)
    call measure_plan_free(plan)
    call measure_comm_free(team)
    call MPI_Finalize(code)
    call c_exit(int(status, c_int))
end program
