// SPDX-License-Identifier: BSD-3-Clause
// Command lines refused by user programs, and invalid programs.
#include "program/engine/own_suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <measure/main.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

program::Supposed const world_of_one{.ranks = 1};

measure::Benchmark empty_benchmark(std::string const& name) {
    return {name, [](measure::Point const&) { return [] {}; }};
}

/// A program that refines sizes, like own_exchange.
measure::Program halo_program() {
    return {.name = "own_exchange",
            .summary = "Exchanges halos.",
            .axes = {measure::powers_of_two("bytes", 8, 1 << 18)},
            .benchmarks = {empty_benchmark("halo")},
            .refine = measure::Refinement{.tolerance = 0.2, .at_most = 24}};
}

/// A program for two ranks with an axis of durations, like own_timer.
measure::Program wait_program() {
    return {.name = "own_timer",
            .summary = "Waits.",
            .axes = {measure::values("ranks", {2}), {"wait", {0.002, 0.01}}},
            .benchmarks = {empty_benchmark("busy")}};
}

/// A program with two benchmarks to compare, like own_allreduce.
measure::Program sum_program() {
    return {.name = "own_allreduce",
            .summary = "Adds up.",
            .axes = {measure::values("bytes", {8, 512, 32768})},
            .benchmarks = {empty_benchmark("gather_and_add"), empty_benchmark("MPI_Allreduce")},
            .reference = "MPI_Allreduce"};
}

/// The program prints this single error line and nothing else.
void own_says(measure::Program const& program, std::string_view line, std::string const& text,
              program::Supposed const& supposed = world_of_one) {
    refuses(program::engine::own_suite(program), line, {program.name + ": error: " + text + "\n"}, supposed);
}

}  // namespace

TEST_CASE("a user program names the option and the wrong value", "[own]") {
    auto const halo = halo_program();
    auto const suite = program::engine::own_suite(halo);
    accepts(suite, "", world_of_one);
    accepts(suite, "--bytes 1,1K..4K,5..14:*3 --ranks 1 --refine 0 --shuffle", world_of_one);
    accepts(suite, "--bytes 1..9007199254740992", world_of_one);
    own_says(halo, "--bytes x", "--bytes: 'x' is not a size (a number with B, k, M, G, KiB, MiB or GiB)");
    own_says(halo, "--bytes 8..4", "--bytes: '8..4' is a descending range");
    own_says(halo, "--bytes 1..8:3",
             "--bytes: '1..8:3' is not a range (LOW..HIGH, LOW..HIGH:*FACTOR or LOW..HIGH:+STEP)");
    own_says(halo, "--bytes 0..1G:+1", "--bytes: '0..1G:+1' has more than 1000000 values");
    own_says(halo, "--bytes 1..9007199254740993", "--bytes: '1..9007199254740993' ends above 2^53");
    own_says(halo, "--bytes 1,2,1", "--bytes: '1,2,1' contains 1 twice");
    own_says(halo, "--widths 8", "unknown option '--widths' (see own_exchange --help)");
    own_says(halo, "--shuffle",
             "--shuffle cannot be combined with refinement, which chooses its own order (--refine 0 switches it off)");
}

TEST_CASE("a user program refuses unknown words in a plan", "[own]") {
    auto const halo = halo_program();
    accepts(program::engine::own_suite(halo), "--stop any(count:4,at_most=40,time:5s) --batch 2");
    own_says(halo, "--stop often",
             "--stop: 'often' is not a stopping rule: 'often' is unknown (count, relative_error, interval, quantile, "
             "skampi, time, any, all, sustained)");
    own_says(halo, "--batch 0",
             "--batch: '0' is not a batch: use a number >= 1, auto, time:DURATION or until:DURATION");
}

TEST_CASE("a user program refuses more ranks than there are, unless it lists points", "[own]") {
    auto const halo = halo_program();
    auto const two = wait_program();
    accepts(program::engine::own_suite(halo), "--ranks 1..2");
    accepts(program::engine::own_suite(halo), "--list --ranks 1..2", world_of_one);
    accepts(program::engine::own_suite(two), "");
    own_says(halo, "--ranks 1..2", "--ranks: 2 are needed, but there is only 1");
    own_says(halo, "--ranks 1..4", "--ranks: 4 are needed, but there are only 2", {.ranks = 2});
    own_says(two, "", "--ranks: 2 are needed, but there is only 1");
}

TEST_CASE("a user program refuses unknown benchmarks and axes that cannot be refined", "[own]") {
    auto const sums = sum_program();
    auto const waits = wait_program();
    accepts(program::engine::own_suite(sums), "mpi_ALLREDUCE");
    own_says(sums, "other", "NAME: 'other' is unknown (gather_and_add or MPI_Allreduce)");
    accepts(program::engine::own_suite(waits), "--wait 1ms,0.5");
    own_says(waits, "--wait soon", "--wait: 'soon' is not a number");
    own_says(waits, "--list --refine 0.1", "--refine: axis 'wait' needs integer values");
}

TEST_CASE("an invalid user program states the reason", "[own]") {
    auto const good = sum_program();
    accepts(program::engine::own_suite(good), "");
    auto nameless = good;
    nameless.name.clear();
    own_says(nameless, "", "the program has no name");
    auto twins = good;
    twins.benchmarks.push_back(empty_benchmark("MPI_ALLREDUCE"));
    own_says(twins, "", "the benchmark name 'MPI_ALLREDUCE' is empty or used twice");
    auto ranks = good;
    ranks.axes.push_back({"ranks", {1.0}});
    own_says(ranks, "", "axis 'ranks' needs integer values");
    auto types = good;
    types.axes.push_back({"mixed", {std::int64_t{1}, 2.5}});
    own_says(types, "", "axis 'mixed' mixes values of different types");
    auto reserved = good;
    reserved.axes.push_back(measure::values("benchmarks", {1}));
    own_says(reserved, "", "'benchmarks' cannot be an axis: this name is reserved for the benchmarks");
}

TEST_CASE("compared benchmarks of a user program cannot have their own points", "[own]") {
    auto sums = sum_program();
    sums.benchmarks.front().axes.push_back({"wait", {0.001, 0.002}});
    for (std::string const words : {"", "--list"})
        own_says(sums, words,
                 "gather_and_add: benchmarks that are compared cannot have their own variants, loop or axes");
    accepts(program::engine::own_suite(sums), "gather_and_add --list");
}
