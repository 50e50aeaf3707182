// SPDX-License-Identifier: BSD-3-Clause
// A program whose communicator outlives MPI: collective calls throw one clear text. MPI itself would end the program.
#include "measure/clock_sync.hpp"
#include "measure/environment.hpp"
#include "measure/error.hpp"
#include "measure/harmonize.hpp"
#include "measure/regions.hpp"
#include "measure/run.hpp"
#include "measure/sweep.hpp"
#include "measure/window_sync.hpp"

#include <cstdio>
#include <string>

namespace {

/// Returns 0 if the call throws the expected text. Otherwise returns 1 and prints what the call did.
template <class Call>
int failures(char const* what, std::string const& expected, Call call) {
    std::string said = "nothing was thrown";
    try {
        call();
    } catch (measure::UsageError const& e) {
        said = e.what();
    }
    if (said == expected)
        return 0;
    std::printf("%s: %s\n", what, said.c_str());
    return 1;
}

struct NoSink {
    void write(measure::Record const&) {}
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    measure::Comm const comm{MPI_COMM_WORLD};
    measure::AnyTimer const timer = measure::MonotonicTimer{};
    auto const clock = measure::synchronise(comm, timer);
    MPI_Finalize();

    measure::Plan const plan{.timer = timer, .start = measure::BarrierStart{}};
    std::string const ended = "MPI is finalised: the communicator can only be freed";
    int wrong = 0;
    wrong += failures("run", ended, [&] { (void)measure::run(comm, plan, [] {}); });
    wrong += failures("sweep", ended, [&] {
        (void)measure::sweep(
            comm, plan, {measure::powers_of_two("bytes", 1, 2)},
            [](measure::Comm const&, measure::Point const&) { return [] {}; }, {}, NoSink{});
    });
    wrong += failures("synchronise", ended, [&] { (void)measure::synchronise(comm, timer); });
    wrong += failures("residual", ended, [&] { (void)measure::residual(comm, clock); });
    wrong += failures("harmonize", ended, [&] { (void)measure::harmonize(comm, clock); });
    wrong += failures("window", ended, [&] { measure::WindowSync{comm, clock, measure::seconds{1e-3}}; });
    wrong += failures("environment", ended, [&] { (void)measure::environment(comm, timer); });
    wrong += failures("regions", ended, [&] { measure::Regions{comm}; });
    wrong += failures("a new communicator",
                      "MPI is not initialised, or is finalised: only a communicator without MPI can be made",
                      [&] { measure::Comm{MPI_COMM_WORLD}; });
    // A communicator without MPI still works.
    wrong += measure::run(measure::Comm::solo(), plan, [] {}).valid > 0 ? 0 : 1;
    return wrong > 0;
}
