// SPDX-License-Identifier: BSD-3-Clause
#include "startup.hpp"

#include "table.hpp"

#include <measure/environment_info.hpp>
#include <measure/run.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>

namespace osu {

measure::seconds initialise(int& argc, char**& argv) {
    auto const begin = std::chrono::steady_clock::now();
    MPI_Init(&argc, &argv);
    return std::chrono::steady_clock::now() - begin;
}

Children::Children(int count) {
    constexpr unsigned seconds_asleep = 2;
    for (int i = 0; i < count; ++i) {
        pid_t const child = fork();
        if (child == 0) {
            for (int const each : {SIGINT, SIGTERM, SIGHUP})
                std::signal(each, SIG_DFL);
            sleep(seconds_asleep);
            _exit(0);
        }
        if (child > 0)
            children_.push_back(child);
    }
}

Children::~Children() {
    for (pid_t const child : children_)
        waitpid(child, nullptr, 0);
}

void report_startup(Row const& row, measure::seconds init, program::Session& session) {
    auto const& world = session.world();
    session.begin(measure::timer_from("monotonic", world), measure::Value::Object{});
    auto& out = session.text();
    out << title(row, Format::v7_4, measure::version());
    if (row.pattern == Pattern::hello) {
        out << fmt::format("This is a test with {} processes\n", world.size());
        return;
    }
    auto const all = measure::over_ranks(world, init.count());
    auto const whole = [](double time) { return static_cast<std::int64_t>(std::floor(time * 1e3)); };
    out << fmt::format("nprocs: {}, min: {} ms, max: {} ms, avg: {} ms\n", world.size(), whole(all.min), whole(all.max),
                       whole(all.mean));
    out << fmt::format("#+ min={:.3f}ms max={:.3f}ms avg={:.3f}ms\n", all.min * 1e3, all.max * 1e3, all.mean * 1e3);
    auto record = measure::make_record(row.name, {{"ranks", std::int64_t{world.size()}}},
                                       measure::LoopTimes{.iterations = 1, .time = all.max, .over_ranks = all});
    record.value = all.mean;
    session.point(record);
}

}  // namespace osu
