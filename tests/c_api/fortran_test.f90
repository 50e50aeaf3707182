! SPDX-License-Identifier: BSD-3-Clause
!
! The Fortran interface: calls every procedure once and checks how errors look. The layers below are tested in C.
!
! usage: fortran_test FOLDER
module fortran_calls
    use, intrinsic :: iso_c_binding
    use libmeasure
    use mpi_f08
    implicit none

    type :: calls
        integer(c_int64_t) :: bodies = 0, finishes = 0, prepares = 0, last_index = -1
        logical :: fails = .false.
    end type

contains

    integer(c_int) function body(context, iteration) bind(C)
        type(c_ptr), value :: context
        type(measure_iteration), value :: iteration
        type(calls), pointer :: seen
        call c_f_pointer(context, seen)
        seen%bodies = seen%bodies + 1
        seen%last_index = iteration%index
        call MPI_Barrier(MPI_COMM_WORLD)
        body = merge(1, 0, seen%fails)
    end function

    integer(c_int) function finish(context) bind(C)
        type(c_ptr), value :: context
        type(calls), pointer :: seen
        call c_f_pointer(context, seen)
        seen%finishes = seen%finishes + 1
        finish = 0
    end function

    subroutine prepare(context, iteration) bind(C)
        type(c_ptr), value :: context
        type(measure_iteration), value :: iteration
        type(calls), pointer :: seen
        call c_f_pointer(context, seen)
        if (iteration%index == seen%bodies) seen%prepares = seen%prepares + 1
    end subroutine

end module

program fortran_test
    use, intrinsic :: ieee_arithmetic
    use fortran_calls
    implicit none
    integer :: failures = 0, rank, ranks
    type(measure_comm) :: team
    type(measure_timer) :: timer
    type(measure_clock) :: clock
    type(measure_error) :: error
    character(len=4096) :: folder

    call get_command_argument(1, folder)
    call before_mpi()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call test_comm()
    call test_timer()
    call test_clock()
    call test_run()
    call test_record()
    call test_regions()
    call measure_clock_free(clock)
    call measure_timer_free(timer)
    call measure_comm_free(team)
    call MPI_Finalize()
    if (rank == 0 .and. failures == 0) print '(a)', 'passed fortran'
    if (failures > 0) error stop 1

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        failures = failures + 1
        print '(a, i0, 4a)', 'rank ', rank, ': ', what, '; the last error: ', measure_message(error)
    end subroutine

    logical function near(x, y)
        real(c_double), intent(in) :: x, y
        near = abs(x - y) <= 1d-12*abs(y)
    end function

    subroutine check_error(code, part)
        integer, intent(in) :: code
        character(len=*), intent(in) :: part
        call check(error%code == code .and. index(measure_message(error), part) > 0, 'expected the error: '//part)
    end subroutine

    subroutine before_mpi()
        type(measure_comm) :: comm
        rank = 0
        call measure_comm_create_solo(comm, error)
        call check(error%code == measure_ok .and. len(measure_message(error)) == 0, 'solo')
        call check(measure_comm_rank(comm) == 0 .and. measure_comm_size(comm) == 1, 'one rank')
        call measure_comm_free(comm)
        call check(measure_comm_rank(comm) == -1, 'free')
        call measure_comm_create(0, comm, error)
        call check_error(measure_error_argument, 'MPI is not initialised')
    end subroutine

    subroutine test_comm()
        type(measure_comm) :: none
        call measure_comm_create(MPI_COMM_WORLD%MPI_VAL, team, error)
        call check(error%code == measure_ok, 'world')
        call check(measure_comm_rank(team) == rank .and. measure_comm_size(team) == ranks, 'ranks of the world')
        if (ranks == 1) call check(.not. measure_comm_is_oversubscribed(team), 'one rank has a core')
        call measure_comm_create(MPI_COMM_NULL%MPI_VAL, none, error)
        call check_error(measure_error_argument, 'MPI_COMM_NULL')
        call check(len(measure_version()) >= 5, 'version')
    end subroutine

    subroutine test_timer()
        type(measure_timer_info) :: info
        type(measure_timer) :: none
        integer(c_int64_t) :: stamp
        call measure_timer_create(team, 'MONOTONIC_raw ', timer, error)
        call check(measure_timer_name(timer) == 'monotonic_raw', 'timer')
        call check(index(measure_timer_names(), 'monotonic_raw') > 0, 'names')
        stamp = measure_timer_now(timer)
        call check(near(measure_timer_seconds(timer, stamp, stamp + 1000000), 1d-3), 'a millisecond')
        call measure_timer_calibrate(timer, info, error)
        call check(error%code == measure_ok .and. near(info%nominal, 1d-9) .and. info%overhead > 0, 'calibrate')
        call measure_timer_create(team, 'sundial', none, error)
        call check_error(measure_error_argument, "unknown timer 'sundial'; known: mpi_wtime")
        call check(ieee_is_nan(measure_timer_seconds(none, stamp, stamp)), 'no timer, no time')
        call measure_timer_create(team, 'sundial', none)
    end subroutine

    subroutine test_clock()
        type(measure_sync_report) :: report
        type(measure_harmony) :: harmony
        real(c_double) :: now, largest, rms
        call measure_clock_create(team, timer, 'linear', clock, error)
        call check(error%code == measure_ok .and. measure_clock_algorithm(clock) == 'linear', 'clock')
        now = measure_clock_now(clock)
        call check(abs(measure_clock_to_root(clock, measure_clock_to_local(clock, now)) - now) < 2d-9, 'there and back')
        call check(abs(measure_clock_offset(clock)) < 1 .and. measure_clock_bound(clock) >= 0, 'offset')
        call check(ieee_is_nan(measure_clock_uncertainty(clock)) .and. measure_clock_age(clock) >= 0, 'age')
        call measure_clock_report(clock, report, error)
        call check(report%edges == ranks - 1 .and. report%duration >= 0 .and. report%hosts >= 1, 'report')
        largest = -1
        rms = -1
        call measure_clock_residual(team, clock, largest, rms, error)
        call check(error%code == measure_ok .and. .not. largest < rms .and. .not. rms < 0, 'residual')
        call measure_harmonize(team, clock, 1d-3, harmony, error)
        call check(error%code == measure_ok .and. measure_clock_now(clock) >= harmony%start, 'harmonize')
        call measure_harmonize(team, clock, -1d0, harmony, error)
        call check_error(measure_error_argument, "'ahead'")
    end subroutine

    subroutine new_plan(plan)
        type(measure_plan), intent(out) :: plan
        call measure_plan_create('default', plan, error)
        call measure_plan_set(plan, 'start', 'barrier', error)
        call measure_plan_set(plan, 'keep', 'samples')
        call measure_plan_set(plan, 'count', 8, error)
        call measure_plan_set(plan, 'at_most', 8)
        call measure_plan_set(plan, 'warm_up', 2_c_int64_t)
        call measure_plan_set(plan, 'settle', 0)
        call measure_plan_set(plan, 'trim', 0.125)
        call measure_plan_set(plan, 'confidence', 0.9d0, error)
        call measure_plan_set_timer(plan, timer, error)
        call measure_plan_set_clock(plan, clock, error)
        call check(error%code == measure_ok, 'plan')
    end subroutine

    subroutine test_run()
        type(measure_plan) :: plan
        type(measure_result) :: result
        type(measure_estimate) :: e
        type(measure_counts) :: n
        type(measure_rank_summary) :: mine, first
        type(measure_sample) :: sample
        type(calls), target :: seen
        call new_plan(plan)
        call measure_run(team, plan, body, c_loc(seen), result, error, finish, prepare)
        call check(error%code == measure_ok, 'run')
        call check(seen%bodies == 10 .and. seen%finishes == 10 .and. seen%prepares == 10 .and. seen%last_index == 9, 'calls')
        call measure_result_counts(result, n, error)
        call check(n%attempts == 8 .and. n%valid == 8 .and. n%iterations_per_sample == 1, 'counts')
        call measure_result_estimate(result, e, error)
        if (rank == 0) then
            call check(e%value > 0 .and. e%min <= e%median .and. e%median <= e%max, 'estimate')
            call check(near(e%confidence, 0.9d0), 'confidence')
            call check(index(measure_result_text(result), '8 of 8 samples valid, stopped: count') > 0, 'text')
            call measure_result_sample(result, 7_c_int64_t, sample, error)
            call check(error%code == measure_ok .and. sample%invalid == measure_valid .and. sample%time > 0, 'sample')
            call measure_result_rank(result, 0, first, error)
            call measure_result_mine(result, mine)
            call check(near(first%mean, mine%mean) .and. mine%valid == 8, 'rank')
        else
            call check(ieee_is_nan(e%value), 'no estimate')
            call measure_result_rank(result, 0, first, error)
            call check_error(measure_error_argument, 'the root has')
        end if
        call check(measure_result_verdict(result) == 'converged' .and. measure_result_stop_reason(result) == 'count', 'verdict')
        call check(measure_result_start(result) == 'barrier' .and. measure_result_message(result) == '', 'start')
        call check(len(measure_result_flags(result)) >= 0, 'flags')
        call measure_result_free(result)

        seen%fails = rank == ranks - 1
        call measure_run(team, plan, body, c_loc(seen), result, error)
        call measure_result_counts(result, n)
        call check(n%failed == 8 .and. n%valid == 0 .and. measure_result_verdict(result) == 'no_valid_samples', 'failed')
        call check(index(measure_result_message(result), '8 failed') > 0, 'message')
        call measure_result_free(result)

        ! A setting that cannot be applied is reported by the run.
        call measure_plan_set(plan, 'start', 'jump')
        call measure_run(team, plan, body, c_loc(seen), result, error)
        call check_error(measure_error_argument, "unknown start 'jump'")
        call check(measure_result_verdict(result) == '', 'no result')
        call measure_plan_free(plan)
    end subroutine

    subroutine test_record()
        type(measure_plan) :: plan
        type(measure_result) :: result
        type(measure_point) :: at
        type(measure_record) :: record
        type(calls), target :: seen
        call new_plan(plan)
        call measure_run(team, plan, body, c_loc(seen), result, error)
        call measure_record_open(team, plan, trim(folder)//'/fortran.jsonl', 'fortran_test', record, error)
        call check(error%code == measure_ok, 'open')
        call measure_point_create(at, error)
        call measure_point_set(at, 'bytes', 5000000000_c_int64_t, error)
        call measure_point_set(at, 'ranks', ranks, error)
        call measure_point_set(at, 'share', 0.5d0, error)
        call measure_point_set(at, 'share', 0.25, error)
        call measure_point_set(at, 'kind', 'halo', error)
        call check(error%code == measure_ok, 'point')
        call measure_record_point(record, 'Barrier', at, result, error)
        call check(error%code == measure_ok, 'record a point')
        call measure_record_rate(record, 'Barrier', at, result, 'bandwidth', 8d0, error)
        call check(error%code == measure_ok, 'record a rate')
        call measure_record_missing(record, 'Barrier', at, 'skipped', 'too large', error)
        call check(error%code == measure_ok, 'record a missing point')
        call measure_record_end(record, 3, 'wrong sum', error)
        call check(error%code == measure_ok, 'end')
        call measure_record_end(record, 0, '', error)
        call check_error(measure_error_argument, 'already ended')
        call measure_record_free(record)
        call measure_record_open(team, plan, trim(folder)//'/no/such/folder', 'fortran_test', record, error)
        call check_error(measure_error_file, 'no/such')
        call measure_point_free(at)
        call measure_result_free(result)
        call measure_plan_free(plan)
    end subroutine

    subroutine test_regions()
        type(measure_regions) :: regions
        type(measure_region) :: step, halo, none
        integer :: i
        call measure_regions_create(team, regions, error, name='fortran', file=trim(folder)//'/regions.jsonl', &
                                    timer=timer, samples=2)
        call check(error%code == measure_ok .and. measure_regions_on(regions), 'regions are on')
        call measure_regions_get(regions, 'step', step, error)
        call measure_regions_get(regions, 'halo', halo)
        call measure_regions_get(regions, 'a/b', none, error)
        call check(error%code == measure_error_argument .and. index(measure_message(error), 'a/b') > 0, 'no slash')
        do i = 1, 5
            call measure_region_begin(step)
            call measure_region_begin(halo)
            call MPI_Barrier(MPI_COMM_WORLD)
            call measure_region_end(halo)
            call measure_region_end(step)
        end do
        call measure_region_begin(none)
        call measure_region_end(none)
        call measure_regions_end(regions, error)
        call check(error%code == measure_ok .and. .not. measure_regions_on(regions), 'regions are ended')
        call measure_regions_free(regions)

        call measure_regions_create(team, regions, file='')
        call check(.not. measure_regions_on(regions), 'regions are off')
        call measure_regions_end(regions)
        call measure_regions_free(regions)
    end subroutine

end program
