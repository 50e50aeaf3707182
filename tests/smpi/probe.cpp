// SPDX-License-Identifier: BSD-3-Clause
// Prints results of the library in a simulation with known durations, as lines of JSON. smpi_test.py knows the truth.
//
// usage: probe clocks ALGORITHM | pingpong BYTES.. | refine LOW HIGH | collective NAME BYTES | instant
//        probe waits TIMER ALGORITHM
#include <measure/clock_sync.hpp>
#include <measure/harmonize.hpp>
#include <measure/pattern.hpp>
#include <measure/refine.hpp>
#include <measure/run.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

using measure::Comm;
using Words = std::span<std::string const>;

/// All ranks read one clock, so each offset should be zero.
void clocks(Comm const& comm, Words words) {
    // A line through the offsets of a millisecond, because a simulated wait costs readings of the clock.
    measure::FitOptions const fit{.points = 5, .span = measure::seconds{1e-3}};
    auto sync = measure::sync_from(words[0], {.patience = 5, .warm_up = 1});
    if (auto* const jk = std::get_if<measure::JkSync>(&sync))
        jk->fit = fit;
    if (auto* const hca3 = std::get_if<measure::Hca3Sync>(&sync))
        hca3->fit = fit;
    if (auto* const hier = std::get_if<measure::HierSync>(&sync))
        hier->fit = fit;
    auto const clock = measure::synchronise(comm, measure::WtimeTimer{}, sync);
    double const worst = comm.max(std::abs(clock.offset().count()));
    double const broken = comm.max(std::max(0.0, std::abs(clock.offset().count()) - clock.bound()->count()));
    auto const& report = clock.report();
    if (comm.is_root())
        fmt::print(
            R"({{"algorithm": "{}", "offset": {}, "beyond": {}, "bound": {}, "rtt": {}, "edges": {}, "messages": {}, )"
            R"("duration": {}}})"
            "\n",
            report.algorithm, worst, broken, *report.bound, report.rtt_min, report.edges, report.messages,
            report.duration);
}

/// Half of the time until the answer arrives.
double half_round_trip(Comm const& comm, int bytes) {
    std::vector<char> data(static_cast<std::size_t>(std::max(1, bytes)), 'x');
    auto plan = measure::pattern::ping_pong();
    plan.correction = measure::Correction::none;
    plan.stop = measure::stop::Count{.valid = 8};
    int const other = 1 - comm.rank();
    auto const m = measure::run(comm, plan, [&] {
        if (comm.is_root())
            MPI_Send(data.data(), bytes, MPI_BYTE, other, 0, comm.native());
        MPI_Recv(data.data(), bytes, MPI_BYTE, other, 0, comm.native(), MPI_STATUS_IGNORE);
        if (!comm.is_root())
            MPI_Send(data.data(), bytes, MPI_BYTE, other, 0, comm.native());
    });
    double time = m.time().count() / 2;
    comm.broadcast(time);
    if (comm.is_root())
        fmt::print("{{\"bytes\": {}, \"time\": {}}}\n", bytes, time);
    return time;
}

void ping_pong(Comm const& comm, Words words) {
    for (auto const& word : words)
        static_cast<void>(half_round_trip(comm, std::atoi(word.c_str())));
}

void refine(Comm const& comm, Words words) {
    measure::Refiner refiner({.tolerance = 0.02, .at_most = 40});
    auto const measured = [&](std::int64_t x) { refiner.add(x, half_round_trip(comm, static_cast<int>(x))); };
    for (auto const x : measure::geometric_points(std::atoi(words[0].c_str()), std::atoi(words[1].c_str()), 2))
        measured(x);
    while (auto const x = refiner.next())
        measured(*x);
    if (comm.is_root())
        fmt::print("{{\"end\": \"{}\"}}\n", name(refiner.end()));
}

/// One collective with slot starts: the longest rank, the span on the global clock, and the imbalance of the starts.
void collective(Comm const& comm, Words words) {
    int const bytes = std::atoi(words[1].c_str());
    auto const n = static_cast<std::size_t>(std::max(1, bytes));
    std::vector<char> send(n, 'x');
    std::vector<char> receive(n * static_cast<std::size_t>(comm.size()), 'y');
    auto const call = [&] {
        if (words[0] == "barrier")
            MPI_Barrier(comm.native());
        else if (words[0] == "bcast")
            MPI_Bcast(send.data(), bytes, MPI_BYTE, 0, comm.native());
        else if (words[0] == "allgather")
            MPI_Allgather(send.data(), bytes, MPI_BYTE, receive.data(), bytes, MPI_BYTE, comm.native());
        else if (words[0] == "allreduce")
            MPI_Allreduce(send.data(), receive.data(), bytes, MPI_BYTE, MPI_BOR, comm.native());
        else if (words[0] == "dissemination")
            measure::dissemination_barrier(comm);
    };
    auto plan = measure::pattern::slotted();
    plan.start = measure::SlotStart{.sync = measure::TreeSync{{.patience = 5}}};
    plan.stop = measure::stop::Count{.valid = 6, .at_most = 48};
    plan.keep = measure::Keep::samples;
    auto const m = measure::run(comm, plan, call);
    for (auto const& sample : m.samples)
        if (sample.invalid == measure::InvalidReason::none)
            fmt::print("{{\"time\": {}, \"span\": {}, \"start_imbalance\": {}}}\n", sample.time, *sample.span,
                       *sample.start_imbalance);
}

/// All ranks continue at one instant, checked with the true clock, which all of them read.
void instant(Comm const& comm, Words) {
    auto const clock = measure::synchronise(comm, measure::WtimeTimer{}, measure::TreeSync{{.patience = 5}});
    for (int i = 0; i < 3; ++i) {
        auto const harmony = measure::harmonize(comm, clock);
        double const now = MPI_Wtime();
        double const latest = comm.max(now);
        double const earliest = -comm.max(-now);
        double const in_time = -comm.max(harmony.in_time ? -1 : 0);
        if (comm.is_root())
            fmt::print("{{\"apart\": {}, \"in_time\": {}}}\n", latest - earliest, in_time > 0);
    }
}

/// Rank i waits (i + 1) us from a common start: prints the longest rank, with a timer whose clocks may differ.
void waits(Comm const& comm, Words words) {
    auto plan = measure::pattern::slotted();
    plan.timer = measure::timer_from(words[0], comm);
    plan.start = measure::SlotStart{.sync = measure::sync_from(words[1], {.patience = 5})};
    plan.correction = measure::Correction::none;
    plan.stop = measure::stop::Count{.valid = 6, .at_most = 48};
    plan.keep = measure::Keep::samples;
    auto const m = measure::run(comm, plan, [&](auto& lap) { lap.spin(measure::seconds{(comm.rank() + 1) * 1e-6}); });
    for (auto const& sample : m.samples)
        if (sample.invalid == measure::InvalidReason::none)
            fmt::print("{{\"time\": {}, \"start_imbalance\": {}}}\n", sample.time, *sample.start_imbalance);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        Comm const comm{MPI_COMM_WORLD};
        std::vector<std::string> const words(argv + 1, argv + argc);
        auto const rest = Words{words}.subspan(1);
        if (words[0] == "clocks")
            clocks(comm, rest);
        else if (words[0] == "pingpong")
            ping_pong(comm, rest);
        else if (words[0] == "refine")
            refine(comm, rest);
        else if (words[0] == "collective")
            collective(comm, rest);
        else if (words[0] == "instant")
            instant(comm, rest);
        else if (words[0] == "waits")
            waits(comm, rest);
    }
    MPI_Finalize();
}
