// SPDX-License-Identifier: BSD-3-Clause
/// A program on the common wrapper that can end in every possible way; common_test.py runs it.
#include "program/runtime/files.hpp"
#include "program/runtime/main.hpp"
#include "program/runtime/temporary_file.hpp"
#include "support/full_at_last.hpp"

#include <measure/run.hpp>

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

namespace {

using program::Session;

struct Options {
    std::string mode = "measure";
    int rank = 0;
    int points = 3;
    std::string file;
    std::string temporary;
    std::vector<std::string> words;
};

void declare(program::Parser& parser, Options& options) {
    parser.option("-m,--mode", "NAME", "how to behave", options.mode, program::as::Text{});
    parser.option("-npoints", "N", "number of points", options.points, program::as::Int{.low = 1});
    parser.option("-r", "RANK", "the rank that misbehaves", options.rank, program::as::Int{.low = 0});
    parser.option("-i", "FILE", "input file", options.file, program::as::Text{});
    parser.option("-t", "FILE", "temporary file", options.temporary, program::as::Text{});
    parser.arguments("WORD...", "ignored", options.words);
}

[[noreturn]] void hang() {
    for (;;)
        std::this_thread::sleep_for(std::chrono::seconds{1});
}

/// Mode "stay": no rank returns from MPI_Finalize.
bool stays_in_finalize = false;

/// Measures one point of 1 ms bodies on the first ranks of the world; in mode "hang" rank `rank` hangs in the 7th body.
void measure_point(Options const& options, Session& session, measure::AnyTimer const& timer, int point) {
    bool const faulty = options.mode == "hang" && session.world().rank() == options.rank;
    auto const part = session.world().first_ranks(options.mode == "part" ? 1 : session.world().size());
    if (!part)
        return;
    measure::Plan plan{.timer = timer};
    plan.start = measure::FreeStart{};
    plan.stop = measure::stop::Count{.valid = options.mode == "endless" || options.mode == "part" ? 1000000 : 8};
    plan.control = session.control();
    auto const result = measure::run(*part, plan, [&](measure::Iteration it) {
        if (faulty && it.index == 6)
            hang();
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    });
    session.text() << "point " << point << '\n';
    if (part->is_root())
        session.point(measure::make_record(
            "Sleep", {{"ranks", std::int64_t{part->size()}}, {"index", std::int64_t{point}}}, result));
}

void measure_all(Options const& options, Session& session, measure::AnyTimer const& timer) {
    session.plan(options.points);
    for (int point = 0; point < options.points; ++point) {
        session.next("Sleep index=" + std::to_string(point));
        if (session.meet())
            session.point(measure::make_record("Sleep", {{"index", std::int64_t{point}}}, measure::PointStatus::skipped,
                                               "time_budget"));
        else
            measure_point(options, session, timer, point);
    }
    static_cast<void>(session.meet());
}

/// Modes with a special end. The other ranks finish, or wait in MPI.
void misbehave(Options const& options, Session& session) {
    auto const& world = session.world();
    bool const mine = world.rank() == options.rank;
    if (options.mode == "usage")
        throw measure::UsageError("no such thing");
    if (options.mode == "faults")
        throw program::ParseErrors{{{"in.txt", 1, 2, "first"}, {"in.txt", 3, 4, "second"}}};
    if (options.mode == "throw-all")
        throw std::runtime_error("everything\nbroke");
    if (options.mode == "throw-one" && mine)
        throw std::runtime_error("this rank broke");
    if (options.mode == "throw-lone") {
        if (mine)
            throw std::runtime_error("this rank broke");
        world.barrier();
    }
    if (options.mode == "check" && mine)
        session.check_failed();
    if (options.mode == "incomplete" && mine)
        session.incomplete();
    if (options.mode == "fail" && mine)
        session.fail("the file vanished");
    if (options.mode == "fail-lone" && mine) {
        session.fail("the file vanished");
        try {
            static_cast<void>(session.meet());
        } catch (measure::Interrupted const&) {
            hang();
        }
    }
    test::is_full_at_last = options.mode == "late";
    stays_in_finalize = options.mode == "stay" || options.mode == "stay-check";
    if (options.mode == "stay-check")
        session.check_failed();
    if (options.mode == "deaf")
        hang();
}

void run(Options const& options, Session& session) {
    if (!options.file.empty())
        session.text() << program::read_file(session.world(), options.file);
    if (options.mode == "usage-early")
        throw measure::UsageError("no such thing");
    static_cast<void>(session.test_hook("MEASURE_TEST_PROBE"));
    measure::AnyTimer const timer = measure::timer_from(session.common().timer, session.world());
    if (options.mode == "slow-start")
        std::this_thread::sleep_for(std::chrono::milliseconds{1100});
    session.begin(timer, measure::Value::Object{{"mode", options.mode}});
    std::unique_ptr<program::TemporaryFile> temporary;
    if (!options.temporary.empty() && session.world().is_root()) {
        temporary = std::make_unique<program::TemporaryFile>(options.temporary);
        std::ofstream{options.temporary} << "scratch\n";
    }
    session.text() << "begun\n" << std::flush;
    misbehave(options, session);
    measure_all(options, session, timer);
}

program::Suite suite(bool uses_mpi) {
    return {.name = "probe",
            .program = "probe",
            .summary = "Ends in every way that a program can.",
            .common = {.seed = true, .aliases = {{"--version", "-v"}}},
            .uses_mpi = uses_mpi,
            .prepare = program::prepared<Options>(declare, run)};
}

}  // namespace

int MPI_Finalize() {
    if (stays_in_finalize)
        hang();
    return PMPI_Finalize();
}

int main(int argc, char** argv) { return program::run_main(argc, argv, suite(std::getenv("PROBE_SOLO") == nullptr)); }
