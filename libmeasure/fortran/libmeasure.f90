! SPDX-License-Identifier: BSD-3-Clause
!
! The Fortran 2008 interface of libmeasure. Compile it with the compiler of your program, whose module files are its own,
! and link with libmeasure:
!
!     mpifort -c libmeasure.f90
!     mpifort my_program.f90 libmeasure.o -lmeasure
!
! Everything has the name that it has in measure.h, which says what it does, which units and values it has, and which
! calls are collective. What differs:
!
! - A call gives its code and message in the optional argument "error" (type(measure_error)), which stands last but for
!   other optional ones; measure_message is its text. A setting of a plan or point that fails is remembered, and makes
!   what uses the plan or point fail.
! - Handles of MPI are integers: comm of mpif.h and "use mpi", comm%MPI_VAL of "use mpi_f08".
! - measure_plan_set takes texts, integers and reals; measure_point_set as well.
! - Callbacks are bind(C) functions of a module with the interfaces measure_body, measure_finish, measure_prepare.
! - Texts are returned without trailing blanks. Numbers that do not exist are NaN.
module libmeasure
    use, intrinsic :: iso_c_binding
    implicit none
    private

    public :: measure_ok, measure_error_argument, measure_error_mpi, measure_error_body, measure_error_memory, &
              measure_error_file, measure_error_internal
    public :: measure_valid, measure_overrun, measure_slip, measure_late, measure_failed, measure_backward
    public :: measure_error, measure_comm, measure_timer, measure_timer_info, measure_clock, measure_sync_report, &
              measure_harmony, measure_plan, measure_iteration, measure_result, measure_estimate, measure_counts, &
              measure_rank_summary, measure_sample, measure_point, measure_record, measure_regions, measure_region
    public :: measure_body, measure_finish, measure_prepare
    public :: measure_message, measure_version
    public :: measure_comm_create, measure_comm_create_solo, measure_comm_free, measure_comm_rank, measure_comm_size, &
              measure_comm_is_oversubscribed
    public :: measure_timer_names, measure_timer_create, measure_timer_free, measure_timer_name, measure_timer_now, &
              measure_timer_seconds, measure_timer_calibrate
    public :: measure_clock_create, measure_clock_free, measure_clock_algorithm, measure_clock_now, &
              measure_clock_to_root, measure_clock_to_local, measure_clock_offset, measure_clock_bound, &
              measure_clock_uncertainty, measure_clock_age, measure_clock_report, measure_clock_residual, &
              measure_harmonize
    public :: measure_plan_create, measure_plan_free, measure_plan_set, measure_plan_set_timer, measure_plan_set_clock
    public :: measure_run, measure_result_free, measure_result_estimate, measure_result_counts, measure_result_mine, &
              measure_result_rank, measure_result_sample, measure_result_verdict, measure_result_stop_reason, &
              measure_result_message, measure_result_start, measure_result_flags, measure_result_text
    public :: measure_point_create, measure_point_free, measure_point_set
    public :: measure_record_open, measure_record_free, measure_record_point, measure_record_rate, &
              measure_record_missing, measure_record_end
    public :: measure_regions_create, measure_regions_free, measure_regions_on, measure_regions_get, &
              measure_region_begin, measure_region_end, measure_regions_end

    enum, bind(C)
        enumerator :: measure_ok = 0
        enumerator :: measure_error_argument = 1
        enumerator :: measure_error_mpi = 2
        enumerator :: measure_error_body = 3
        enumerator :: measure_error_memory = 4
        enumerator :: measure_error_file = 5
        enumerator :: measure_error_internal = 6
    end enum
    enum, bind(C)
        enumerator :: measure_valid = 0
        enumerator :: measure_overrun = 1
        enumerator :: measure_slip = 2
        enumerator :: measure_late = 3
        enumerator :: measure_failed = 4
        enumerator :: measure_backward = 5
    end enum

    integer, parameter :: message_size = 508

    type, bind(C) :: measure_error
        integer(c_int) :: code = measure_ok
        character(kind=c_char) :: message(message_size) = c_null_char
    end type

    ! Objects: what a _create, _open or run makes, and _free gives back.
    type :: measure_comm
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type :: measure_timer
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type :: measure_clock
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type :: measure_plan
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type :: measure_result
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type :: measure_point
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type :: measure_record
        private
        type(c_ptr) :: handle = c_null_ptr
    end type

    type :: measure_regions
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type :: measure_region
        private
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(C) :: measure_timer_info
        real(c_double) :: frequency
        real(c_double) :: nominal
        real(c_double) :: resolution
        real(c_double) :: granularity
        real(c_double) :: overhead
        real(c_double) :: overhead_p99
        integer(c_int64_t) :: backward
    end type

    type, bind(C) :: measure_sync_report
        real(c_double) :: duration
        real(c_double) :: bound
        real(c_double) :: uncertainty
        real(c_double) :: drift
        real(c_double) :: closure
        real(c_double) :: closure_bound
        real(c_double) :: rtt_min
        real(c_double) :: rtt_median
        real(c_double) :: rtt_max
        real(c_double) :: offset_max
        integer(c_int64_t) :: consistent
        integer(c_int64_t) :: poor
        integer(c_int64_t) :: hosts
        integer(c_int64_t) :: edges
        integer(c_int64_t) :: messages
        integer(c_int64_t) :: kept
        integer(c_int64_t) :: shared
    end type

    type, bind(C) :: measure_harmony
        real(c_double) :: start
        real(c_double) :: lateness
        integer(c_int64_t) :: in_time
    end type

    type, bind(C) :: measure_iteration
        integer(c_int64_t) :: index
        integer(c_int64_t) :: sample
    end type

    type, bind(C) :: measure_operation
        type(c_funptr) :: body
        type(c_funptr) :: finish
        type(c_funptr) :: prepare
        type(c_ptr) :: context
    end type

    type, bind(C) :: measure_estimate
        real(c_double) :: value
        real(c_double) :: standard_error
        real(c_double) :: confidence
        real(c_double) :: interval_low
        real(c_double) :: interval_high
        real(c_double) :: median
        real(c_double) :: median_low
        real(c_double) :: median_high
        real(c_double) :: min
        real(c_double) :: max
        real(c_double) :: quantile_05
        real(c_double) :: quantile_25
        real(c_double) :: quantile_75
        real(c_double) :: quantile_95
        real(c_double) :: relative_standard_error
        real(c_double) :: skewness
        real(c_double) :: autocorrelation
        real(c_double) :: effective_samples
        real(c_double) :: ranks_min
        real(c_double) :: ranks_mean
        real(c_double) :: ranks_max
        real(c_double) :: span
        real(c_double) :: start_imbalance
        real(c_double) :: exit_imbalance
        real(c_double) :: correction
        real(c_double) :: corrected
        real(c_double) :: sync_bound
        real(c_double) :: sync_age
        real(c_double) :: sync_residual
        real(c_double) :: elapsed
        real(c_double) :: kept_min
        real(c_double) :: kept_max
        real(c_double) :: standard_error_over_sqrt_n
        real(c_double) :: standard_error_over_sqrt_kept
        real(c_double) :: standard_error_winsorized
        real(c_double) :: first_call
        real(c_double) :: second_call
        real(c_double) :: broadcast_bound
        real(c_double) :: relative_mad
        real(c_double) :: clock_step
        real(c_double) :: middle
    end type

    type, bind(C) :: measure_counts
        integer(c_int64_t) :: attempts
        integer(c_int64_t) :: valid
        integer(c_int64_t) :: kept
        integer(c_int64_t) :: late
        integer(c_int64_t) :: overrun
        integer(c_int64_t) :: slip
        integer(c_int64_t) :: failed
        integer(c_int64_t) :: iterations_per_sample
        integer(c_int64_t) :: backward
        integer(c_int64_t) :: lost_in_slots
    end type

    type, bind(C) :: measure_rank_summary
        integer(c_int64_t) :: rank
        integer(c_int64_t) :: valid
        real(c_double) :: mean
        real(c_double) :: standard_error
        real(c_double) :: median
        real(c_double) :: min
        real(c_double) :: max
        real(c_double) :: kept_mean
    end type

    type, bind(C) :: measure_sample
        real(c_double) :: time
        real(c_double) :: span
        integer(c_int64_t) :: stage
        integer(c_int64_t) :: invalid
        integer(c_int64_t) :: iterations
        real(c_double) :: start_imbalance
        real(c_double) :: exit_imbalance
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

    interface measure_plan_set
        module procedure plan_set_text, plan_set_real, plan_set_single, plan_set_integer, plan_set_long
    end interface

    interface measure_point_set
        module procedure point_set_text, point_set_real, point_set_single, point_set_integer, point_set_long
    end interface

    ! Regions: libmeasure_regions.f90 has what they do.
    interface
        ! file: without it the environment decides
        module subroutine measure_regions_create(comm, regions, error, name, file, timer, samples)
            type(measure_comm), intent(in) :: comm
            type(measure_regions), intent(out) :: regions
            type(measure_error), intent(out), optional, target :: error
            character(len=*), intent(in), optional :: name
            character(len=*), intent(in), optional :: file
            type(measure_timer), intent(in), optional :: timer
            integer, intent(in), optional :: samples
        end subroutine
        module subroutine measure_regions_free(regions)
            type(measure_regions), intent(inout) :: regions
        end subroutine
        module logical function measure_regions_on(regions) result(yes)
            type(measure_regions), intent(in) :: regions
        end function
        module subroutine measure_regions_get(regions, name, region, error)
            type(measure_regions), intent(in) :: regions
            character(len=*), intent(in) :: name
            type(measure_region), intent(out) :: region
            type(measure_error), intent(out), optional, target :: error
        end subroutine
        module subroutine measure_region_begin(region)
            type(measure_region), intent(in) :: region
        end subroutine
        module subroutine measure_region_end(region)
            type(measure_region), intent(in) :: region
        end subroutine
        ! error: without it rank 0 writes the message to standard error
        module subroutine measure_regions_end(regions, error)
            type(measure_regions), intent(in) :: regions
            type(measure_error), intent(out), optional, target :: error
        end subroutine
    end interface

    ! What many functions of C have in common.
    abstract interface
        type(c_ptr) function c_text_getter(object) bind(C)
            import :: c_ptr
            type(c_ptr), value :: object
        end function
        real(c_double) function c_number_getter(object) bind(C)
            import :: c_double, c_ptr
            type(c_ptr), value :: object
        end function
        subroutine c_procedure(object) bind(C)
            import :: c_ptr
            type(c_ptr), value :: object
        end subroutine
    end interface
    procedure(c_text_getter), bind(C, name="measure_timer_name") :: c_timer_name
    procedure(c_text_getter), bind(C, name="measure_clock_algorithm") :: c_clock_algorithm
    procedure(c_text_getter), bind(C, name="measure_result_verdict") :: c_result_verdict
    procedure(c_text_getter), bind(C, name="measure_result_stop_reason") :: c_result_stop_reason
    procedure(c_text_getter), bind(C, name="measure_result_message") :: c_result_message
    procedure(c_text_getter), bind(C, name="measure_result_start") :: c_result_start
    procedure(c_text_getter), bind(C, name="measure_result_flags") :: c_result_flags
    procedure(c_text_getter), bind(C, name="measure_result_text") :: c_result_text
    procedure(c_number_getter), bind(C, name="measure_clock_now") :: c_clock_now
    procedure(c_number_getter), bind(C, name="measure_clock_offset") :: c_clock_offset
    procedure(c_number_getter), bind(C, name="measure_clock_bound") :: c_clock_bound
    procedure(c_number_getter), bind(C, name="measure_clock_uncertainty") :: c_clock_uncertainty
    procedure(c_number_getter), bind(C, name="measure_clock_age") :: c_clock_age
    procedure(c_procedure), bind(C, name="measure_comm_free") :: c_comm_free
    procedure(c_procedure), bind(C, name="measure_timer_free") :: c_timer_free
    procedure(c_procedure), bind(C, name="measure_clock_free") :: c_clock_free
    procedure(c_procedure), bind(C, name="measure_plan_free") :: c_plan_free
    procedure(c_procedure), bind(C, name="measure_result_free") :: c_result_free
    procedure(c_procedure), bind(C, name="measure_point_free") :: c_point_free
    procedure(c_procedure), bind(C, name="measure_record_free") :: c_record_free

    interface
        pure integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
            import :: c_size_t, c_ptr
            type(c_ptr), intent(in), value :: text
        end function
        type(c_ptr) function c_version() bind(C, name="measure_version")
            import :: c_ptr
        end function

        integer(c_int) function c_comm_create(user, comm, error) bind(C, name="measure_comm_create_fortran")
            import :: c_int, c_ptr
            integer(c_int), value :: user
            type(c_ptr), intent(out) :: comm
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_comm_create_solo(comm, error) bind(C, name="measure_comm_create_solo")
            import :: c_int, c_ptr
            type(c_ptr), intent(out) :: comm
            type(c_ptr), value :: error
        end function
        pure integer(c_int) function c_comm_rank(comm) bind(C, name="measure_comm_rank")
            import :: c_int, c_ptr
            type(c_ptr), intent(in), value :: comm
        end function
        pure integer(c_int) function c_comm_size(comm) bind(C, name="measure_comm_size")
            import :: c_int, c_ptr
            type(c_ptr), intent(in), value :: comm
        end function
        pure integer(c_int) function c_comm_is_oversubscribed(comm) bind(C, name="measure_comm_is_oversubscribed")
            import :: c_int, c_ptr
            type(c_ptr), intent(in), value :: comm
        end function

        type(c_ptr) function c_timer_names() bind(C, name="measure_timer_names")
            import :: c_ptr
        end function
        integer(c_int) function c_timer_create(comm, name, timer, error) bind(C, name="measure_timer_create")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: comm
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr), intent(out) :: timer
            type(c_ptr), value :: error
        end function
        integer(c_int64_t) function c_timer_now(timer) bind(C, name="measure_timer_now")
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: timer
        end function
        real(c_double) function c_timer_seconds(timer, from, to) bind(C, name="measure_timer_seconds")
            import :: c_double, c_int64_t, c_ptr
            type(c_ptr), value :: timer
            integer(c_int64_t), value :: from
            integer(c_int64_t), value :: to
        end function
        integer(c_int) function c_timer_calibrate(timer, info, size, error) bind(C, name="measure_timer_calibrate")
            import :: c_int, c_ptr, c_size_t, measure_timer_info
            type(c_ptr), value :: timer
            type(measure_timer_info), intent(out) :: info
            integer(c_size_t), value :: size
            type(c_ptr), value :: error
        end function

        integer(c_int) function c_clock_create(comm, timer, algorithm, clock, error) bind(C, name="measure_clock_create")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: comm
            type(c_ptr), value :: timer
            character(kind=c_char), intent(in) :: algorithm(*)
            type(c_ptr), intent(out) :: clock
            type(c_ptr), value :: error
        end function
        real(c_double) function c_clock_to_root(clock, stamp) bind(C, name="measure_clock_to_root")
            import :: c_double, c_int64_t, c_ptr
            type(c_ptr), value :: clock
            integer(c_int64_t), value :: stamp
        end function
        integer(c_int64_t) function c_clock_to_local(clock, root_time) bind(C, name="measure_clock_to_local")
            import :: c_double, c_int64_t, c_ptr
            type(c_ptr), value :: clock
            real(c_double), value :: root_time
        end function
        integer(c_int) function c_clock_report(clock, report, size, error) bind(C, name="measure_clock_report")
            import :: c_int, c_ptr, c_size_t, measure_sync_report
            type(c_ptr), value :: clock
            type(measure_sync_report), intent(out) :: report
            integer(c_size_t), value :: size
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_clock_residual(comm, clock, largest, rms, error) bind(C, name="measure_clock_residual")
            import :: c_int, c_ptr, c_double
            type(c_ptr), value :: comm
            type(c_ptr), value :: clock
            real(c_double), intent(inout) :: largest
            real(c_double), intent(inout) :: rms
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_harmonize(comm, clock, ahead, harmony, size, error) bind(C, name="measure_harmonize")
            import :: c_int, c_ptr, c_double, c_size_t, measure_harmony
            type(c_ptr), value :: comm
            type(c_ptr), value :: clock
            real(c_double), value :: ahead
            type(measure_harmony), intent(out) :: harmony
            integer(c_size_t), value :: size
            type(c_ptr), value :: error
        end function

        integer(c_int) function c_plan_create(pattern, plan, error) bind(C, name="measure_plan_create")
            import :: c_int, c_ptr, c_char
            character(kind=c_char), intent(in) :: pattern(*)
            type(c_ptr), intent(out) :: plan
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_plan_set_text(plan, name, value, error) bind(C, name="measure_plan_set_text")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: plan
            character(kind=c_char), intent(in) :: name(*)
            character(kind=c_char), intent(in) :: value(*)
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_plan_set_number(plan, name, value, error) bind(C, name="measure_plan_set_number")
            import :: c_int, c_ptr, c_char, c_double
            type(c_ptr), value :: plan
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_plan_set_timer(plan, timer, error) bind(C, name="measure_plan_set_timer")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            type(c_ptr), value :: timer
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_plan_set_clock(plan, clock, error) bind(C, name="measure_plan_set_clock")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            type(c_ptr), value :: clock
            type(c_ptr), value :: error
        end function

        integer(c_int) function c_run(comm, plan, operation, size, result, error) bind(C, name="measure_run")
            import :: c_int, c_ptr, c_size_t, measure_operation
            type(c_ptr), value :: comm
            type(c_ptr), value :: plan
            type(measure_operation), intent(in) :: operation
            integer(c_size_t), value :: size
            type(c_ptr), intent(out) :: result
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_result_estimate(result, estimate, size, error) bind(C, name="measure_result_estimate")
            import :: c_int, c_ptr, c_size_t, measure_estimate
            type(c_ptr), value :: result
            type(measure_estimate), intent(out) :: estimate
            integer(c_size_t), value :: size
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_result_counts(result, counts, size, error) bind(C, name="measure_result_counts")
            import :: c_int, c_ptr, c_size_t, measure_counts
            type(c_ptr), value :: result
            type(measure_counts), intent(out) :: counts
            integer(c_size_t), value :: size
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_result_mine(result, summary, size, error) bind(C, name="measure_result_mine")
            import :: c_int, c_ptr, c_size_t, measure_rank_summary
            type(c_ptr), value :: result
            type(measure_rank_summary), intent(out) :: summary
            integer(c_size_t), value :: size
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_result_rank(result, rank, summary, size, error) bind(C, name="measure_result_rank")
            import :: c_int, c_ptr, c_size_t, measure_rank_summary
            type(c_ptr), value :: result
            integer(c_int), value :: rank
            type(measure_rank_summary), intent(out) :: summary
            integer(c_size_t), value :: size
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_result_sample(result, index, sample, size, error) bind(C, name="measure_result_sample")
            import :: c_int, c_int64_t, c_ptr, c_size_t, measure_sample
            type(c_ptr), value :: result
            integer(c_int64_t), value :: index
            type(measure_sample), intent(out) :: sample
            integer(c_size_t), value :: size
            type(c_ptr), value :: error
        end function

        integer(c_int) function c_point_create(point, error) bind(C, name="measure_point_create")
            import :: c_int, c_ptr
            type(c_ptr), intent(out) :: point
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_point_set_integer(point, name, value, error) bind(C, name="measure_point_set_integer")
            import :: c_int, c_int64_t, c_ptr, c_char
            type(c_ptr), value :: point
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: value
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_point_set_number(point, name, value, error) bind(C, name="measure_point_set_number")
            import :: c_int, c_double, c_ptr, c_char
            type(c_ptr), value :: point
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_point_set_text(point, name, value, error) bind(C, name="measure_point_set_text")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: point
            character(kind=c_char), intent(in) :: name(*)
            character(kind=c_char), intent(in) :: value(*)
            type(c_ptr), value :: error
        end function

        integer(c_int) function c_record_open(comm, plan, path, program, argc, argv, record, error) &
            bind(C, name="measure_record_open")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: comm
            type(c_ptr), value :: plan
            character(kind=c_char), intent(in) :: path(*)
            character(kind=c_char), intent(in) :: program(*)
            integer(c_int), value :: argc
            type(c_ptr), intent(in) :: argv(*)
            type(c_ptr), intent(out) :: record
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_record_point(record, benchmark, at, result, error) bind(C, name="measure_record_point")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: record
            character(kind=c_char), intent(in) :: benchmark(*)
            type(c_ptr), value :: at
            type(c_ptr), value :: result
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_record_rate(record, benchmark, at, result, quantity, work, error) &
            bind(C, name="measure_record_rate")
            import :: c_int, c_ptr, c_char, c_double
            type(c_ptr), value :: record
            character(kind=c_char), intent(in) :: benchmark(*)
            type(c_ptr), value :: at
            type(c_ptr), value :: result
            character(kind=c_char), intent(in) :: quantity(*)
            real(c_double), value :: work
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_record_missing(record, benchmark, at, status, reason, error) &
            bind(C, name="measure_record_missing")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: record
            character(kind=c_char), intent(in) :: benchmark(*)
            type(c_ptr), value :: at
            character(kind=c_char), intent(in) :: status(*)
            character(kind=c_char), intent(in) :: reason(*)
            type(c_ptr), value :: error
        end function
        integer(c_int) function c_record_end(record, exit_code, message, error) bind(C, name="measure_record_end")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: record
            integer(c_int), value :: exit_code
            character(kind=c_char), intent(in) :: message(*)
            type(c_ptr), value :: error
        end function
    end interface

contains

    ! A C text as one of Fortran.
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

    ! Where C puts an error; nowhere where nobody asks for it.
    function place(error) result(address)
        type(measure_error), intent(inout), optional, target :: error
        type(c_ptr) :: address
        address = c_null_ptr
        if (present(error)) address = c_loc(error)
    end function

    ! What an error says, "" after success.
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

    function measure_version() result(text)
        character(len=:), allocatable :: text
        text = text_of(c_version())
    end function

    ! ---- Communicators ----

    ! user: the integer handle of an intra-communicator
    subroutine measure_comm_create(user, comm, error)
        integer, intent(in) :: user
        type(measure_comm), intent(out) :: comm
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_comm_create(int(user, c_int), comm%handle, place(error))
    end subroutine

    subroutine measure_comm_create_solo(comm, error)
        type(measure_comm), intent(out) :: comm
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_comm_create_solo(comm%handle, place(error))
    end subroutine

    subroutine measure_comm_free(comm)
        type(measure_comm), intent(inout) :: comm
        call c_comm_free(comm%handle)
        comm%handle = c_null_ptr
    end subroutine

    pure integer function measure_comm_rank(comm) result(rank)
        type(measure_comm), intent(in) :: comm
        rank = c_comm_rank(comm%handle)
    end function

    pure integer function measure_comm_size(comm) result(ranks)
        type(measure_comm), intent(in) :: comm
        ranks = c_comm_size(comm%handle)
    end function

    pure logical function measure_comm_is_oversubscribed(comm) result(yes)
        type(measure_comm), intent(in) :: comm
        yes = c_comm_is_oversubscribed(comm%handle) /= 0
    end function

    ! ---- Timers ----

    function measure_timer_names() result(text)
        character(len=:), allocatable :: text
        text = text_of(c_timer_names())
    end function

    subroutine measure_timer_create(comm, name, timer, error)
        type(measure_comm), intent(in) :: comm
        character(len=*), intent(in) :: name
        type(measure_timer), intent(out) :: timer
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_timer_create(comm%handle, c_text(name), timer%handle, place(error))
    end subroutine

    subroutine measure_timer_free(timer)
        type(measure_timer), intent(inout) :: timer
        call c_timer_free(timer%handle)
        timer%handle = c_null_ptr
    end subroutine

    function measure_timer_name(timer) result(text)
        type(measure_timer), intent(in) :: timer
        character(len=:), allocatable :: text
        text = text_of(c_timer_name(timer%handle))
    end function

    integer(c_int64_t) function measure_timer_now(timer) result(stamp)
        type(measure_timer), intent(in) :: timer
        stamp = c_timer_now(timer%handle)
    end function

    real(c_double) function measure_timer_seconds(timer, from, to) result(time)
        type(measure_timer), intent(in) :: timer
        integer(c_int64_t), intent(in) :: from
        integer(c_int64_t), intent(in) :: to
        time = c_timer_seconds(timer%handle, from, to)
    end function

    subroutine measure_timer_calibrate(timer, info, error)
        type(measure_timer), intent(in) :: timer
        type(measure_timer_info), intent(out) :: info
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_timer_calibrate(timer%handle, info, c_sizeof(info), place(error))
    end subroutine

    ! ---- Global clock ----

    subroutine measure_clock_create(comm, timer, algorithm, clock, error)
        type(measure_comm), intent(in) :: comm
        type(measure_timer), intent(in) :: timer
        character(len=*), intent(in) :: algorithm
        type(measure_clock), intent(out) :: clock
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_clock_create(comm%handle, timer%handle, c_text(algorithm), clock%handle, place(error))
    end subroutine

    subroutine measure_clock_free(clock)
        type(measure_clock), intent(inout) :: clock
        call c_clock_free(clock%handle)
        clock%handle = c_null_ptr
    end subroutine

    function measure_clock_algorithm(clock) result(text)
        type(measure_clock), intent(in) :: clock
        character(len=:), allocatable :: text
        text = text_of(c_clock_algorithm(clock%handle))
    end function

    real(c_double) function measure_clock_now(clock) result(time)
        type(measure_clock), intent(in) :: clock
        time = c_clock_now(clock%handle)
    end function

    real(c_double) function measure_clock_to_root(clock, stamp) result(time)
        type(measure_clock), intent(in) :: clock
        integer(c_int64_t), intent(in) :: stamp
        time = c_clock_to_root(clock%handle, stamp)
    end function

    integer(c_int64_t) function measure_clock_to_local(clock, root_time) result(stamp)
        type(measure_clock), intent(in) :: clock
        real(c_double), intent(in) :: root_time
        stamp = c_clock_to_local(clock%handle, root_time)
    end function

    real(c_double) function measure_clock_offset(clock) result(time)
        type(measure_clock), intent(in) :: clock
        time = c_clock_offset(clock%handle)
    end function

    real(c_double) function measure_clock_bound(clock) result(time)
        type(measure_clock), intent(in) :: clock
        time = c_clock_bound(clock%handle)
    end function

    real(c_double) function measure_clock_uncertainty(clock) result(time)
        type(measure_clock), intent(in) :: clock
        time = c_clock_uncertainty(clock%handle)
    end function

    real(c_double) function measure_clock_age(clock) result(time)
        type(measure_clock), intent(in) :: clock
        time = c_clock_age(clock%handle)
    end function

    subroutine measure_clock_report(clock, report, error)
        type(measure_clock), intent(in) :: clock
        type(measure_sync_report), intent(out) :: report
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_clock_report(clock%handle, report, c_sizeof(report), place(error))
    end subroutine

    subroutine measure_clock_residual(comm, clock, largest, rms, error)
        type(measure_comm), intent(in) :: comm
        type(measure_clock), intent(in) :: clock
        real(c_double), intent(inout) :: largest
        real(c_double), intent(inout) :: rms
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_clock_residual(comm%handle, clock%handle, largest, rms, place(error))
    end subroutine

    subroutine measure_harmonize(comm, clock, ahead, harmony, error)
        type(measure_comm), intent(in) :: comm
        type(measure_clock), intent(in) :: clock
        real(c_double), intent(in) :: ahead
        type(measure_harmony), intent(out) :: harmony
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_harmonize(comm%handle, clock%handle, ahead, harmony, c_sizeof(harmony), place(error))
    end subroutine

    ! ---- Plans ----

    subroutine measure_plan_create(pattern, plan, error)
        character(len=*), intent(in) :: pattern
        type(measure_plan), intent(out) :: plan
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_plan_create(c_text(pattern), plan%handle, place(error))
    end subroutine

    subroutine measure_plan_free(plan)
        type(measure_plan), intent(inout) :: plan
        call c_plan_free(plan%handle)
        plan%handle = c_null_ptr
    end subroutine

    subroutine plan_set_text(plan, name, value, error)
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: name
        character(len=*), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_plan_set_text(plan%handle, c_text(name), c_text(value), place(error))
    end subroutine

    subroutine plan_set_real(plan, name, value, error)
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: name
        real(c_double), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_plan_set_number(plan%handle, c_text(name), value, place(error))
    end subroutine

    subroutine plan_set_single(plan, name, value, error)
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: name
        real(c_float), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call plan_set_real(plan, name, real(value, c_double), error)
    end subroutine

    subroutine plan_set_integer(plan, name, value, error)
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: name
        integer(c_int), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call plan_set_real(plan, name, real(value, c_double), error)
    end subroutine

    subroutine plan_set_long(plan, name, value, error)
        type(measure_plan), intent(in) :: plan
        character(len=*), intent(in) :: name
        integer(c_int64_t), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call plan_set_real(plan, name, real(value, c_double), error)
    end subroutine

    subroutine measure_plan_set_timer(plan, timer, error)
        type(measure_plan), intent(in) :: plan
        type(measure_timer), intent(in) :: timer
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_plan_set_timer(plan%handle, timer%handle, place(error))
    end subroutine

    subroutine measure_plan_set_clock(plan, clock, error)
        type(measure_plan), intent(in) :: plan
        type(measure_clock), intent(in) :: clock
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_plan_set_clock(plan%handle, clock%handle, place(error))
    end subroutine

    ! ---- Measurements ----

    ! context: c_loc of what the callbacks need, or c_null_ptr
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

    subroutine measure_result_free(result)
        type(measure_result), intent(inout) :: result
        call c_result_free(result%handle)
        result%handle = c_null_ptr
    end subroutine

    subroutine measure_result_estimate(result, estimate, error)
        type(measure_result), intent(in) :: result
        type(measure_estimate), intent(out) :: estimate
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_result_estimate(result%handle, estimate, c_sizeof(estimate), place(error))
    end subroutine

    subroutine measure_result_counts(result, counts, error)
        type(measure_result), intent(in) :: result
        type(measure_counts), intent(out) :: counts
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_result_counts(result%handle, counts, c_sizeof(counts), place(error))
    end subroutine

    subroutine measure_result_mine(result, summary, error)
        type(measure_result), intent(in) :: result
        type(measure_rank_summary), intent(out) :: summary
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_result_mine(result%handle, summary, c_sizeof(summary), place(error))
    end subroutine

    subroutine measure_result_rank(result, rank, summary, error)
        type(measure_result), intent(in) :: result
        integer, intent(in) :: rank
        type(measure_rank_summary), intent(out) :: summary
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_result_rank(result%handle, int(rank, c_int), summary, c_sizeof(summary), place(error))
    end subroutine

    ! index: from 0
    subroutine measure_result_sample(result, index, sample, error)
        type(measure_result), intent(in) :: result
        integer(c_int64_t), intent(in) :: index
        type(measure_sample), intent(out) :: sample
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_result_sample(result%handle, index, sample, c_sizeof(sample), place(error))
    end subroutine

    function measure_result_verdict(result) result(text)
        type(measure_result), intent(in) :: result
        character(len=:), allocatable :: text
        text = text_of(c_result_verdict(result%handle))
    end function

    function measure_result_stop_reason(result) result(text)
        type(measure_result), intent(in) :: result
        character(len=:), allocatable :: text
        text = text_of(c_result_stop_reason(result%handle))
    end function

    function measure_result_message(result) result(text)
        type(measure_result), intent(in) :: result
        character(len=:), allocatable :: text
        text = text_of(c_result_message(result%handle))
    end function

    function measure_result_start(result) result(text)
        type(measure_result), intent(in) :: result
        character(len=:), allocatable :: text
        text = text_of(c_result_start(result%handle))
    end function

    function measure_result_flags(result) result(text)
        type(measure_result), intent(in) :: result
        character(len=:), allocatable :: text
        text = text_of(c_result_flags(result%handle))
    end function

    function measure_result_text(result) result(text)
        type(measure_result), intent(in) :: result
        character(len=:), allocatable :: text
        text = text_of(c_result_text(result%handle))
    end function

    ! ---- Records ----

    subroutine measure_point_create(point, error)
        type(measure_point), intent(out) :: point
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_point_create(point%handle, place(error))
    end subroutine

    subroutine measure_point_free(point)
        type(measure_point), intent(inout) :: point
        call c_point_free(point%handle)
        point%handle = c_null_ptr
    end subroutine

    subroutine point_set_text(point, name, value, error)
        type(measure_point), intent(in) :: point
        character(len=*), intent(in) :: name
        character(len=*), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_point_set_text(point%handle, c_text(name), c_text(value), place(error))
    end subroutine

    subroutine point_set_real(point, name, value, error)
        type(measure_point), intent(in) :: point
        character(len=*), intent(in) :: name
        real(c_double), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_point_set_number(point%handle, c_text(name), value, place(error))
    end subroutine

    subroutine point_set_single(point, name, value, error)
        type(measure_point), intent(in) :: point
        character(len=*), intent(in) :: name
        real(c_float), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call point_set_real(point, name, real(value, c_double), error)
    end subroutine

    subroutine point_set_long(point, name, value, error)
        type(measure_point), intent(in) :: point
        character(len=*), intent(in) :: name
        integer(c_int64_t), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_point_set_integer(point%handle, c_text(name), value, place(error))
    end subroutine

    subroutine point_set_integer(point, name, value, error)
        type(measure_point), intent(in) :: point
        character(len=*), intent(in) :: name
        integer(c_int), intent(in) :: value
        type(measure_error), intent(out), optional, target :: error
        call point_set_long(point, name, int(value, c_int64_t), error)
    end subroutine

    ! The command line is the program's own.
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

    subroutine measure_record_free(record)
        type(measure_record), intent(inout) :: record
        call c_record_free(record%handle)
        record%handle = c_null_ptr
    end subroutine

    subroutine measure_record_point(record, benchmark, at, result, error)
        type(measure_record), intent(in) :: record
        character(len=*), intent(in) :: benchmark
        type(measure_point), intent(in) :: at
        type(measure_result), intent(in) :: result
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_record_point(record%handle, c_text(benchmark), at%handle, result%handle, place(error))
    end subroutine

    subroutine measure_record_rate(record, benchmark, at, result, quantity, work, error)
        type(measure_record), intent(in) :: record
        character(len=*), intent(in) :: benchmark
        type(measure_point), intent(in) :: at
        type(measure_result), intent(in) :: result
        character(len=*), intent(in) :: quantity
        real(c_double), intent(in) :: work
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_record_rate(record%handle, c_text(benchmark), at%handle, result%handle, c_text(quantity), work, place(error))
    end subroutine

    subroutine measure_record_missing(record, benchmark, at, status, reason, error)
        type(measure_record), intent(in) :: record
        character(len=*), intent(in) :: benchmark
        type(measure_point), intent(in) :: at
        character(len=*), intent(in) :: status
        character(len=*), intent(in) :: reason
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_record_missing(record%handle, c_text(benchmark), at%handle, c_text(status), c_text(reason), place(error))
    end subroutine

    ! message: the error, or ''
    subroutine measure_record_end(record, exit_code, message, error)
        type(measure_record), intent(in) :: record
        integer, intent(in) :: exit_code
        character(len=*), intent(in) :: message
        type(measure_error), intent(out), optional, target :: error
        integer(c_int) :: code
        code = c_record_end(record%handle, int(exit_code, c_int), c_text(message), place(error))
    end subroutine

end module
