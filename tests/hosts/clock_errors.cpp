// SPDX-License-Identifier: BSD-3-Clause
/// Errors of synchronisers for clocks with known skew and drift, on hosts whose own clocks differ by a known time.
/// Prints the errors and checks nothing.
///
/// usage: clock_errors SEED HOST SECONDS [SYNCHRONISER...]
/// The monotonic clock of HOST is ahead by whole SECONDS. In addition the clock of each rank has a skew of up to 1 s
/// and a drift of up to 50 ppm, drawn with SEED. Prints a line for each synchroniser and each rank except 0: name,
/// rank, host, error at the end of the synchronisation, guaranteed bound, and the part that the bound does not contain:
/// the possible drift of the distorted clock against the root's since the measurement, or three standard errors of the
/// fitted line. All in seconds.
#include "program/runtime/finalize_drain.hpp"

#include <measure/clock_sync.hpp>
#include <measure/timer.hpp>

#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using measure::Comm;

/// The error of this rank's global clock now. The clock of the machine is the same on all hosts except for the time
/// that one is ahead.
double error_now(Comm const& comm, measure::SyntheticTimer const& timer, measure::GlobalClock const& clock,
                 std::int64_t ahead_ns) {
    std::int64_t machine_ns = measure::MonotonicTimer{}.now() - ahead_ns;
    comm.broadcast(machine_ns);
    double const time = clock.root_time(timer, timer.distort(machine_ns + ahead_ns)).count();
    double of_root = time;
    comm.broadcast(of_root);
    return time - of_root;
}

void synchronise_by(std::string const& name, Comm const& comm, measure::SyntheticTimer const& timer,
                    std::int64_t ahead_ns) {
    // A wire does not become faster by asking more often.
    auto const clock = measure::synchronise(comm, timer, measure::sync_from(name, {.patience = 20}));
    auto const errors = comm.gather(error_now(comm, timer, clock, ahead_ns));
    auto const bounds = comm.gather(clock.bound().value().count());
    double drift = timer.distortion().ppm;
    comm.broadcast(drift);
    double const since = std::abs(timer.distortion().ppm - drift) * 1e-6 * clock.report().duration;
    auto const line = clock.uncertainty();
    auto const since_then = comm.gather(line ? 3 * line->count() : since);
    auto const hosts = comm.gather(comm.host_name());
    for (std::size_t i = 1; i < errors.size(); ++i)
        std::printf("%s %zu %s %.9e %.9e %.9e\n", name.c_str(), i, hosts[i].c_str(), errors[i], bounds[i],
                    since_then[i]);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    measure::seconds wait{0};
    if (argc >= 4) {
        Comm const comm{MPI_COMM_WORLD};
        auto const seed = static_cast<std::uint64_t>(std::atoll(argv[1]));
        std::int64_t const ahead_ns = comm.host_name() == argv[2] ? std::atoll(argv[3]) * 1'000'000'000 : 0;
        auto const timer =
            measure::SyntheticTimer::parse("synthetic:monotonic,skew=random*1s,ppm=random*50", comm, seed);
        for (int i = 4; i < argc; ++i)
            synchronise_by(argv[i], comm, timer, ahead_ns);
        wait = program::drain_before_finalize(comm);
    }
    std::this_thread::sleep_for(wait);
    MPI_Finalize();
}
