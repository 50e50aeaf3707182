// SPDX-License-Identifier: BSD-3-Clause
#include "c_api/c_api.hpp"
#include "c_structs.hpp"
#include "measure/harmonize.hpp"

#include <cmath>

namespace c_api = measure::c_api;
using measure::c_api::guarded;
using measure::c_api::need;

int measure_clock_create(measure_comm const* comm, measure_timer const* timer, char const* algorithm,
                         measure_clock** clock, measure_error* error) {
    if (clock != nullptr)
        *clock = nullptr;
    return guarded(error, [&] {
        auto const& team = need(comm, "the communicator").comm;
        auto const sync = c_api::agreed(team, [&] {
            need(clock, "the place for the clock");
            need(timer, "the timer");
            return measure::sync_from(c_api::text_of(algorithm, "the name of the algorithm"));
        });
        *clock = new measure_clock{measure::synchronise(team, timer->timer, sync)};
    });
}

void measure_clock_free(measure_clock* clock) { delete clock; }

char const* measure_clock_algorithm(measure_clock const* clock) {
    return clock != nullptr ? clock->clock.report().algorithm.c_str() : "";
}

double measure_clock_now(measure_clock const* clock) {
    return clock != nullptr ? clock->clock.now().count() : c_api::nan;
}

double measure_clock_to_root(measure_clock const* clock, int64_t stamp) {
    if (clock == nullptr)
        return c_api::nan;
    return clock->clock.timer().visit([&](auto const& timer) {
        using Stamp = typename std::remove_cvref_t<decltype(timer)>::stamp;
        return clock->clock.root_time(timer, measure::detail::unpack_stamp<Stamp>(stamp)).count();
    });
}

int64_t measure_clock_to_local(measure_clock const* clock, double root_time) {
    if (clock == nullptr)
        return 0;
    return clock->clock.timer().visit([&](auto const& timer) {
        return measure::detail::pack_stamp(clock->clock.local_stamp(timer, measure::seconds{root_time}));
    });
}

double measure_clock_offset(measure_clock const* clock) {
    return clock != nullptr ? clock->clock.offset().count() : c_api::nan;
}

double measure_clock_bound(measure_clock const* clock) {
    return clock != nullptr && clock->clock.bound() ? clock->clock.bound()->count() : c_api::nan;
}

double measure_clock_uncertainty(measure_clock const* clock) {
    auto const error = clock != nullptr ? clock->clock.uncertainty() : std::nullopt;
    return error ? error->count() : c_api::nan;
}

double measure_clock_age(measure_clock const* clock) {
    return clock != nullptr ? clock->clock.age().count() : c_api::nan;
}

int measure_clock_report(measure_clock const* clock, measure_sync_report* report, size_t size, measure_error* error) {
    return guarded(error, [&] {
        auto const& known = need(clock, "the clock").clock.report();
        c_api::give(c_api::c_struct<measure_sync_report>(known), report, size);
    });
}

int measure_clock_residual(measure_comm const* comm, measure_clock const* clock, double* largest, double* rms,
                           measure_error* error) {
    return guarded(error, [&] {
        auto const& team = need(comm, "the communicator").comm;
        auto const* const mine = c_api::agreed(team, [&] { return &need(clock, "the clock").clock; });
        auto const found = measure::residual(team, *mine);
        if (largest != nullptr)
            *largest = found ? found->largest.count() : c_api::nan;
        if (rms != nullptr)
            *rms = found ? found->rms.count() : c_api::nan;
    });
}

int measure_harmonize(measure_comm const* comm, measure_clock const* clock, double ahead, measure_harmony* harmony,
                      size_t size, measure_error* error) {
    return guarded(error, [&] {
        auto const& team = need(comm, "the communicator").comm;
        auto const limit = c_api::agreed(team, [&] {
            need(clock, "the clock");
            c_api::give({}, harmony, size);
            if (!(ahead >= 0) || std::isinf(ahead))
                throw measure::UsageError(fmt::format("'ahead' is {} s, but must be >= 0 and finite", ahead));
            return ahead > 0 ? std::optional{measure::seconds{ahead}} : std::nullopt;
        });
        auto const left = measure::harmonize(team, clock->clock, limit);
        c_api::give(c_api::c_struct<measure_harmony>(left), harmony, size);
    });
}
