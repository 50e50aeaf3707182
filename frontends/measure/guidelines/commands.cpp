// SPDX-License-Identifier: BSD-3-Clause
#include "guidelines/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace measure_tool {

namespace {

using measure::Bytes;
/// Sizes of the whole by operation.
using Wanted = std::map<std::string, std::set<Bytes>>;

/// Bytes of one element of mpiperf's reductions.
constexpr Bytes bytes_of_real = 8;

bool reduces(std::string const& operation) {
    return operation.find("educe") != std::string::npos || operation.find("can") != std::string::npos;
}

Bytes divided_up(Bytes a, Bytes b) { return a / b + (a % b != 0 ? 1 : 0); }

/// A size as a benchmark counts it, at least.
Bytes own_size(Semantics const& meaning, Bytes whole, std::int64_t ranks) {
    return meaning.size == SizeOf::block ? divided_up(whole, ranks) : whole;
}

/// The launcher's words: as many starts as the points have that there are.
std::string started(OperationSet const& set, std::int64_t ranks, std::size_t number) {
    auto program = fmt::format("mpiexec -n {} {}", ranks, set.program);
    if (set.suite == "mpiperf" && !set.start.empty())
        program += fmt::format(" -z {}", set.start);
    if (set.suite == "pmb")
        program +=
            fmt::format(" -npmin {}{}", ranks, set.start.empty() || set.start == "loop" ? "" : " -start " + set.start);
    return set.launches > 1
               ? fmt::format("measure launches -n {} --keep more-{}.jsonl {}", set.launches, number, program)
               : fmt::format("{} --json more-{}.jsonl", program, number);
}

std::string listed(std::set<Bytes> const& sizes) { return fmt::format("{}", fmt::join(sizes, ",")); }

/// Operations that are wanted with the same words of a command line go into one command.
std::vector<std::string> by_options(OperationSet const& set, std::int64_t ranks, Wanted const& wanted,
                                    std::size_t number, std::string (*options)(std::set<Bytes> const& sizes),
                                    std::string (*sentence)(std::string const& start, std::string const& options,
                                                            std::vector<std::string> const& benchmarks)) {
    std::map<std::string, std::vector<std::string>> benchmarks;
    for (auto const& [operation, sizes] : wanted) {
        auto const known = *set.benchmark(operation);
        std::set<Bytes> own;
        for (Bytes const size : sizes) {
            Bytes const bytes = own_size(known.semantics, size, ranks);
            own.insert(set.suite == "mpiperf" && reduces(operation) ? divided_up(bytes, bytes_of_real) : bytes);
        }
        benchmarks[options(own)].emplace_back(known.name);
    }
    std::vector<std::string> commands;
    for (auto const& [words, names] : benchmarks)
        commands.push_back(sentence(started(set, ranks, number++), words, names));
    return commands;
}

/// Powers of two from the smallest size on meet, or are at most twice, each of the others.
std::string doubling_range(std::set<Bytes> const& sizes) {
    auto const low = std::max<Bytes>(1, *sizes.begin());
    auto const last = *sizes.rbegin();
    auto high = low;
    while (high < last)
        high = high > std::numeric_limits<Bytes>::max() / 2 ? last : 2 * high;
    return fmt::format("-x {} -X {}", low, high);
}

std::vector<std::string> commands_of(OperationSet const& set, std::int64_t ranks, Wanted const& wanted,
                                     std::size_t number) {
    using Names = std::vector<std::string>;
    using Text = std::string const&;
    if (set.suite == "mpiperf")
        return by_options(set, ranks, wanted, number, doubling_range, [](Text start, Text options, Names const& names) {
            return fmt::format("{} {} {}", start, options, fmt::join(names, " "));
        });
    if (set.suite == "pmb")
        return by_options(set, ranks, wanted, number, listed, [](Text start, Text options, Names const& names) {
            return fmt::format("{} -msgsize {} {}", start, options, fmt::join(names, " "));
        });
    if (set.suite == "mpbench")
        return by_options(set, ranks, wanted, number, listed, [](Text start, Text options, Names const& names) {
            return fmt::format("{} --test {} -M {}", start, fmt::join(names, ","), options);
        });
    if (set.suite != "skampi")
        return {};
    std::vector<std::string> blocks;
    for (auto const& [operation, sizes] : wanted) {
        auto const known = *set.benchmark(operation);
        // Measurements have names of their own: what is wanted is the routine.
        auto const routine = benchmark_of(set.suite, operation);
        blocks.push_back(fmt::format("{}-length {{ Default_Nodes = {}; Start_Argument = {}; End_Argument = {}; }}",
                                     routine ? routine->name : "MPI_" + operation, ranks,
                                     own_size(known.semantics, *sizes.begin(), ranks),
                                     own_size(known.semantics, *sizes.rbegin(), ranks)));
    }
    return {fmt::format("printf '@NODE -\\n@NETWORK -\\n@USER -\\n@MEASUREMENTS\\n{0}\\n' > more-{1}.skampi && {2} -f "
                        "more-{1}.skampi -o more-{1}.out -l more-{1}.log",
                        fmt::join(blocks, "\\n"), number, started(set, ranks, number))};
}

}  // namespace

std::vector<std::string> commands_for(std::span<Unchecked const> unchecked, std::span<OperationSet const> sets) {
    std::vector<std::string> commands;
    for (auto const& set : sets) {
        std::map<std::int64_t, Wanted> wanted;
        for (auto const& one : unchecked)
            if (one.set == set.label && one.unknown.empty())
                for (auto const& [operation, sizes] : one.missing)
                    wanted[one.ranks][operation].insert(sizes.begin(), sizes.end());
        for (auto const& [ranks, operations] : wanted)
            for (auto& command : commands_of(set, ranks, operations, commands.size() + 1))
                commands.push_back(std::move(command));
    }
    return commands;
}

}  // namespace measure_tool
