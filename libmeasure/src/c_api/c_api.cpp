// SPDX-License-Identifier: BSD-3-Clause
#include "c_api/c_api.hpp"

#include "c_structs.hpp"
#include "core/mpi_state.hpp"
#include "measure/environment.hpp"

namespace measure::c_api {

std::string name_of(char const* text, char const* what) {
    auto name = text_of(text, what);
    if (name.empty())
        throw UsageError(fmt::format("{} is empty", what));
    return name;
}

namespace {

template <class Handle>
int create_comm(measure_comm** comm, measure_error* error, Handle handle) {
    if (comm != nullptr)
        *comm = nullptr;
    return guarded(error, [&] {
        // Without MPI not even the handle can be converted.
        Comm made{detail::mpi_runs() ? handle() : MPI_COMM_SELF};
        agreed(made, [&] { return &need(comm, "the place for the communicator"); });
        *comm = new measure_comm{std::move(made)};
    });
}

}  // namespace

}  // namespace measure::c_api

namespace c_api = measure::c_api;
using measure::c_api::guarded;
using measure::c_api::need;

char const* measure_version(void) { return measure::version(); }

int measure_comm_create(MPI_Comm user, measure_comm** comm, measure_error* error) {
    return c_api::create_comm(comm, error, [&] { return user; });
}

int measure_comm_create_fortran(MPI_Fint user, measure_comm** comm, measure_error* error) {
    return c_api::create_comm(comm, error, [&] { return MPI_Comm_f2c(user); });
}

int measure_comm_create_solo(measure_comm** comm, measure_error* error) {
    return guarded(error, [&] {
        need(comm, "the place for the communicator") = nullptr;
        *comm = new measure_comm{measure::Comm::solo()};
    });
}

void measure_comm_free(measure_comm* comm) { delete comm; }

int measure_comm_rank(measure_comm const* comm) { return comm != nullptr ? comm->comm.rank() : -1; }

int measure_comm_size(measure_comm const* comm) { return comm != nullptr ? comm->comm.size() : 0; }

int measure_comm_is_oversubscribed(measure_comm const* comm) {
    return comm != nullptr && comm->comm.oversubscribed() ? 1 : 0;
}

char const* measure_timer_names(void) { return "mpi_wtime gettimeofday tsc monotonic monotonic_raw"; }

int measure_timer_create(measure_comm const* comm, char const* name, measure_timer** timer, measure_error* error) {
    if (timer != nullptr)
        *timer = nullptr;
    return guarded(error, [&] {
        auto const& team = need(comm, "the communicator").comm;
        auto const wanted = c_api::agreed(team, [&] {
            need(timer, "the place for the timer");
            return c_api::text_of(name, "the name of the timer");
        });
        auto made = measure::timer_from(wanted, team);
        auto made_name = made.name();
        *timer = new measure_timer{std::move(made), std::move(made_name)};
    });
}

void measure_timer_free(measure_timer* timer) { delete timer; }

char const* measure_timer_name(measure_timer const* timer) { return timer != nullptr ? timer->name.c_str() : ""; }

int64_t measure_timer_now(measure_timer const* timer) {
    if (timer == nullptr)
        return 0;
    return timer->timer.visit([](auto const& t) { return measure::detail::pack_stamp(t.now()); });
}

double measure_timer_seconds(measure_timer const* timer, int64_t from, int64_t to) {
    if (timer == nullptr)
        return c_api::nan;
    return timer->timer.visit([&](auto const& t) {
        using Stamp = typename std::remove_cvref_t<decltype(t)>::stamp;
        return t.between(measure::detail::unpack_stamp<Stamp>(from), measure::detail::unpack_stamp<Stamp>(to)).count();
    });
}

int measure_timer_calibrate(measure_timer const* timer, measure_timer_info* info, size_t size, measure_error* error) {
    return guarded(error, [&] {
        auto const seen = measure::calibrate(need(timer, "the timer").timer);
        c_api::give(c_api::c_struct<measure_timer_info>(seen), info, size);
    });
}
