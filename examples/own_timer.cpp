// Does a rank that waits for a message keep its core busy?
// SPDX-License-Identifier: BSD-3-Clause
//
// The first rank sends a request and waits in MPI_Recv. The second rank sleeps before it answers. A user-defined clock,
// which counts the processor time of the process, times the first rank. The result is the fraction of the wait during
// which the core was busy: 1 for an MPI library that spins, near 0 for one that sleeps. With `--timer monotonic` it is
// always 1 or slightly more.
#include <measure/main.hpp>

#include <mpi.h>
#include <time.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace {

/// Processor time of this process in nanoseconds.
struct ProcessTimer {
    using stamp = std::int64_t;

    [[nodiscard]] stamp now() const noexcept {
        timespec t{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
    }
    [[nodiscard]] measure::seconds between(stamp a, stamp b) const noexcept {
        return measure::seconds{static_cast<double>(b - a) * 1e-9};
    }
    [[nodiscard]] stamp after(stamp a, measure::seconds d) const noexcept {
        return a + static_cast<stamp>(d.count() * 1e9);
    }
    [[nodiscard]] measure::seconds resolution() const noexcept { return measure::seconds{1e-9}; }
    [[nodiscard]] std::string name() const { return "process"; }
};

void wait_for_message(measure::Comm const& team, measure::seconds wait) {
    if (team.rank() == 0) {
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, team.native());
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, team.native(), MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, team.native(), MPI_STATUS_IGNORE);
        std::this_thread::sleep_for(wait);
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, team.native());
    }
}

}  // namespace

int main(int argc, char** argv) {
    measure::Program program{.name = "own_timer", .summary = "Measures how busy the core of a waiting rank is."};
    // A clock that stops while the process sleeps cannot schedule common starts. The message starts both ranks
    // together.
    program.plan = {.timer = ProcessTimer{},
                    .start = measure::FreeStart{},
                    .combine = measure::Combine::root,
                    .stop = measure::stop::Count{8}};
    program.axes = {measure::values("ranks", {2}), {"wait", {0.002, 0.01}}};
    program.benchmarks = {{.name = "busy",
                           .make =
                               [](measure::Comm const& team, measure::Point const& at) {
                                   if (team.size() != 2)
                                       throw measure::SkipPoint("needs two ranks");
                                   return [&team, wait = at.duration("wait")] { wait_for_message(team, wait); };
                               },
                           .summary = "busy fraction of a wait in MPI_Recv",
                           .finish =
                               [](measure::Record& record) {
                                   record = measure::scaled(record, 1 / record.at.number("wait"));
                                   record.quantity = measure::Quantity::ratio;
                               }}};
    return measure::run_main(argc, argv, program);
}
