// SPDX-License-Identifier: BSD-3-Clause
/// A user program that initialises MPI itself and whose benchmarks end in every possible way; own_test.py runs it.
#include <measure/main.hpp>
#include <measure/temporary_file.hpp>

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using measure::Comm;
using measure::Point;

/// Puts an error into the description of the program.
void spoil(measure::Program& program, std::string const& how) {
    if (how == "twins")
        program.benchmarks.push_back({"GOOD", [](Point const&) { return [] {}; }});
    else if (how == "compared") {
        program.reference = "good";
        program.benchmarks.front().axes.push_back({"wait", {0.001, 0.002}});
    }
}

measure::Program program(int& seen) {
    measure::Program result{.name = "Own_Probe", .summary = "Ends in every way that a program can."};
    result.axes = {{"wait", {0.001}}, {"fast", {true}}, {"word", {std::string{"a"}}}, measure::values("msg_size", {1})};
    result.benchmarks = {
        {"good", [](Point const& at) { return [t = at.duration("wait")] { std::this_thread::sleep_for(t); }; }},
        {"wrong",
         [](Point const&) { return measure::op([] {}).check([](auto&) { return std::string{"all wrong"}; }); }},
        {"throws", [](Point const&) { return [] { throw std::runtime_error("the body broke"); }; }},
        {"unfit",
         [](Comm const& team, Point const&) {
             if (team.size() > 0)
                 throw measure::SkipPoint("needs another machine");
             return [] {};
         }},
        {"scratch", [](Comm const& team, Point const& at) {
             auto const file = std::make_shared<measure::TemporaryFile>(team, at.text("word"));
             if (std::FILE* const made = std::fopen(file->path().c_str(), "w"))
                 std::fclose(made);
             return [file] { std::this_thread::sleep_for(std::chrono::milliseconds{1}); };
         }}};
    result.plan = {.start = measure::FreeStart{}, .stop = measure::stop::Count{8}};
    result.sink = [&seen](measure::Record const&, measure::Measurement const&) { ++seen; };
    result.summarize = [](std::span<measure::Record const> records) {
        return std::vector<measure::Summary>{{.name = "points", .value = static_cast<double>(records.size())}};
    };
    result.version = "7.5.0";
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int seen = 0;
    auto measured = program(seen);
    if (char const* const how = std::getenv("OWN_PROBE"); how != nullptr)
        spoil(measured, how);
    int const code = measure::run_main(argc, argv, measured);
    // MPI is still initialised, and every rank has the exit code.
    int sum = 0;
    int size = 0;
    MPI_Allreduce(&code, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (seen > 0)
        std::fprintf(stderr, "sink: %d, codes agree: %s\n", seen, sum == code * size ? "yes" : "no");
    MPI_Finalize();
    return code;
}
