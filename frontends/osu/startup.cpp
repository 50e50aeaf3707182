// SPDX-License-Identifier: BSD-3-Clause
#include "osu/startup.hpp"

#include "osu/table.hpp"

#include <measure/environment_info.hpp>
#include <measure/run.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <string_view>

namespace osu {

Initialised::Initialised(int& argc, char**& argv) {
    auto const begin = measure::SteadyClock::now();
#if MPI_VERSION >= 4
    bool const with_session =
        std::any_of(argv + 1, argv + argc, [](std::string_view word) { return word == "-I" || word == "--session"; });
    if (with_session) {
        MPI_Group group = MPI_GROUP_NULL;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session_);
        MPI_Group_from_session_pset(session_, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "osu_init", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all_);
        time_ = measure::SteadyClock::now() - begin;
        MPI_Group_free(&group);
    }
#endif
    MPI_Init(&argc, &argv);
    if (time_.count() <= 0)
        time_ = measure::SteadyClock::now() - begin;
}

Initialised::~Initialised() {
#if MPI_VERSION >= 4
    if (session_ != MPI_SESSION_NULL) {
        MPI_Comm_free(&all_);
        MPI_Session_finalize(&session_);
    }
#endif
    MPI_Finalize();
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

void report_startup(Row const& row, Options const& options, measure::seconds init, program::Session& session) {
    auto const& world = session.world();
    measure::Value described = measure::Value::Object{};
    if (options.session)
        described["session"] = true;
    program::warn_of_quota(session);
    session.begin(measure::timer_from("monotonic", world), described);
    auto& out = session.text();
    session.remark(signature(options, measure::version()));
    out << title(row, Format::v7_4);
    if (row.pattern == Pattern::hello) {
        out << fmt::format("This is a test with {} processes\n", world.size());
        return;
    }
    measure::Point const at{{"ranks", std::int64_t{world.size()}}};
    if (options.session && MPI_VERSION < 4) {
        constexpr char const* why = "this MPI library has no MPI_Session_init";
        session.warn(why);
        session.point(measure::make_record(row.name, at, measure::PointStatus::skipped, why));
        return;
    }
    auto const all = measure::over_ranks(world, init.count());
    auto const whole = [](double time) { return static_cast<std::int64_t>(std::floor(time * 1e3)); };
    out << fmt::format("nprocs: {}, min: {} ms, max: {} ms, avg: {} ms\n", world.size(), whole(all.min), whole(all.max),
                       whole(all.mean));
    session.remark(
        fmt::format("#+ min={:.3f}ms max={:.3f}ms avg={:.3f}ms\n", all.min * 1e3, all.max * 1e3, all.mean * 1e3));
    if (options.session)
        session.remark("#+ measured: an MPI session and its communicator instead of MPI_Init\n");
    auto record =
        measure::make_record(row.name, at, measure::LoopTimes{.iterations = 1, .time = all.max, .over_ranks = all});
    record.value = all.mean;
    session.point(record);
}

}  // namespace osu
