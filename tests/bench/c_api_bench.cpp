// SPDX-License-Identifier: BSD-3-Clause
/// The cost of the C interface per timed iteration. Compares the same body in `measure::run`, which inlines it, and in
/// `measure_run`, which calls it through a pointer. The bodies are an empty one and a barrier. Nothing is asserted.
#include <measure/comm.hpp>
#include <measure/run.hpp>
#include <measure/statistics.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <measure.h>
#include <vector>

namespace {

constexpr int rounds = 51;

struct Way {
    std::vector<double> times{};
    [[nodiscard]] double least() const { return *std::min_element(times.begin(), times.end()); }
    [[nodiscard]] double middle() const { return measure::median(times); }
};

/// Seconds per iteration with the C++ interface.
template <class Body>
double by_template(measure::Comm const& comm, measure::Plan const& plan, Body body) {
    return measure::run(comm, plan, body).time().count();
}

/// Seconds per iteration with the C interface.
double by_pointer(measure_comm const* comm, measure_plan const* plan, measure_operation const& operation) {
    measure_result* result = nullptr;
    measure_estimate estimate{};
    measure_run(comm, plan, &operation, sizeof operation, &result, nullptr);
    measure_result_estimate(result, &estimate, sizeof estimate, nullptr);
    measure_result_free(result);
    return estimate.value;
}

extern "C" int nothing(void*, measure_iteration) {
    asm volatile("" ::: "memory");
    return 0;
}
extern "C" int barrier(void* comm, measure_iteration) { return MPI_Barrier(*static_cast<MPI_Comm*>(comm)); }

/// Rounds alternate between the two, and the first one alternates too, so that a slow phase of the machine affects
/// both.
template <class Body>
void compare(char const* what, std::int64_t iterations, Body body, measure_operation const& operation) {
    measure::Comm const comm{MPI_COMM_WORLD};
    measure::Plan const plan{.timer = measure::MonotonicRawTimer{},
                             .start = measure::BarrierStart{},
                             .batch = measure::FixedCount{iterations},
                             .stop = measure::stop::Count{.valid = 16}};
    measure_comm* c_comm = nullptr;
    measure_timer* c_timer = nullptr;
    measure_plan* c_plan = nullptr;
    measure_comm_create(MPI_COMM_WORLD, &c_comm, nullptr);
    measure_timer_create(c_comm, "monotonic_raw", &c_timer, nullptr);
    measure_plan_create("default", &c_plan, nullptr);
    measure_plan_set_timer(c_plan, c_timer, nullptr);
    measure_plan_set_text(c_plan, "start", "barrier", nullptr);
    measure_plan_set_number(c_plan, "iterations", static_cast<double>(iterations), nullptr);
    measure_plan_set_number(c_plan, "count", 16, nullptr);
    Way cpp;
    Way c;
    for (int i = 0; i < 2 * rounds; ++i) {
        bool const first = (i % 2 + i / 2) % 2 == 0;
        (first ? cpp : c)
            .times.push_back((first ? by_template(comm, plan, body) : by_pointer(c_comm, c_plan, operation)) * 1e9);
    }
    if (comm.is_root())
        std::printf(
            "%-8s template %9.2f ns   C %9.2f ns   %+.2f ns, ratio of medians %.3f, of minima %.3f   (%d rounds)\n",
            what, cpp.middle(), c.middle(), c.middle() - cpp.middle(), c.middle() / cpp.middle(),
            c.least() / cpp.least(), rounds);
    measure_plan_free(c_plan);
    measure_timer_free(c_timer);
    measure_comm_free(c_comm);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    compare("nothing", 10000,
            [] {
                asm volatile("" ::: "memory");
            },
            {.body = nothing, .finish = nullptr, .prepare = nullptr, .context = nullptr});
    compare("barrier", 100, [world] { MPI_Barrier(world); },
            {.body = barrier, .finish = nullptr, .prepare = nullptr, .context = &world});
    MPI_Finalize();
}
