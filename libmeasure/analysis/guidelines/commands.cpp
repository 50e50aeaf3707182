// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/guidelines/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace measure {

namespace {

/// Message sizes by operation, as total sizes.
using Wanted = std::map<std::string, std::set<Bytes>>;

/// A command is at most this long, so that it fits on an output line after its mark. A single size of an operation may
/// make it longer.
constexpr std::size_t line_columns = 96;

/// Size of the element type of mpiperf's reductions.
constexpr Bytes bytes_of_real = 8;

bool reduces(std::string const& operation) {
    return operation.find("educe") != std::string::npos || operation.find("can") != std::string::npos;
}

Bytes divided_up(Bytes a, Bytes b) { return a / b + (a % b != 0 ? 1 : 0); }

/// The size that a benchmark must be given to cover at least `whole` bytes in total.
Bytes own_size(Semantics const& meaning, Bytes whole, std::int64_t ranks) {
    return meaning.size == SizeOf::block ? divided_up(whole, ranks) : whole;
}

/// `own_size`, converted to elements if the suite counts in elements.
Bytes own_count(OperationSet const& set, Semantics const& meaning, std::string const& operation, Bytes whole,
                std::int64_t ranks) {
    Bytes const bytes = own_size(meaning, whole, ranks);
    return set.suite == "mpiperf" && reduces(operation) ? divided_up(bytes, bytes_of_real) : bytes;
}

/// Beginning of the command line. Wraps it in `measure launches` if the existing points have several launches.
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

/// Operations that need equal options share one command.
std::vector<std::string> by_options(OperationSet const& set, std::int64_t ranks, Wanted const& wanted,
                                    std::size_t number, std::string (*options)(std::set<Bytes> const& sizes),
                                    std::string (*sentence)(std::string const& start, std::string const& options,
                                                            std::vector<std::string> const& benchmarks)) {
    std::map<std::string, std::vector<std::string>> benchmarks;
    for (auto const& [operation, sizes] : wanted) {
        auto const known = *set.benchmark(operation);
        std::set<Bytes> own;
        for (Bytes const size : sizes)
            own.insert(own_count(set, known.semantics, operation, size, ranks));
        benchmarks[options(own)].emplace_back(known.name);
    }
    std::vector<std::string> commands;
    for (auto const& [words, names] : benchmarks)
        commands.push_back(sentence(started(set, ranks, number++), words, names));
    return commands;
}

/// mpiperf takes sizes as counts per operation: "Bcast:64,1024". Each command is filled up to `line_columns`.
std::vector<std::string> by_counts(OperationSet const& set, std::int64_t ranks, Wanted const& wanted,
                                   std::size_t number) {
    std::vector<std::string> commands;
    for (auto const& [operation, sizes] : wanted) {
        auto const known = *set.benchmark(operation);
        std::set<Bytes> counts;
        for (Bytes const size : sizes)
            counts.insert(own_count(set, known.semantics, operation, size, ranks));
        bool is_begun = false;
        for (Bytes const count : counts) {
            auto const more = is_begun ? fmt::format(",{}", count) : fmt::format(" {}:{}", known.name, count);
            if (!commands.empty() && commands.back().size() + more.size() <= line_columns) {
                commands.back() += more;
            } else {
                commands.push_back(fmt::format("{} {}:{}", started(set, ranks, number++), known.name, count));
            }
            is_begun = true;
        }
    }
    return commands;
}

std::vector<std::string> commands_of(OperationSet const& set, std::int64_t ranks, Wanted const& wanted,
                                     std::size_t number) {
    using Names = std::vector<std::string>;
    using Text = std::string const&;
    if (set.suite == "mpiperf")
        return by_counts(set, ranks, wanted, number);
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
        // Names of SKaMPI measurements differ from the MPI routines; the routine is needed here.
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

}  // namespace measure
