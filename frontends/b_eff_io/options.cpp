// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace b_eff_io {

namespace {

namespace as = program::as;
using measure::Bytes;
using measure::UsageError;
using program::Argument;
using program::Parser;

constexpr int most_partitions = 10;

/// A call moves M_PART as doubles, whose number is an int of MPI: 16 GiB, an 128th of this.
constexpr std::int64_t most_memory = (std::int64_t{1} << 21) - 1;

/// A bare number is MBytes, as in the other options of this suite.
constexpr as::Size megabytes{.low = 1, .bare = megabyte};

std::vector<int> partitions(Argument const& argument) {
    std::vector<int> sizes;
    for (auto const& part : program::split(argument.value, ','))
        sizes.push_back(as::Int{.low = 1}({argument.option, part}));
    if (sizes.size() > most_partitions)
        throw UsageError(fmt::format("{}: '{}' has {} partitions, at most {} are allowed", argument.option,
                                     argument.value, sizes.size(), most_partitions));
    return sizes;
}

std::vector<Type> types(Argument const& argument) {
    auto names = type_names();
    for (std::size_t t = 0; t < all_types.size(); ++t)
        names.push_back(fmt::format("{}", t));
    std::vector<Type> chosen;
    for (auto const& part : program::split(argument.value, ','))
        chosen.push_back(all_types[program::position({argument.option, part}, names) % all_types.size()]);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

void declare_original(Parser& parser, Options& o) {
    as::Integer const positive{.low = 1};
    parser.option("-MB", "MBYTES", "memory of one process in MBytes of 2^20 bytes; mandatory", o.memory_per_process,
                  as::Integer{.low = 1, .high = most_memory});
    parser.option("-MT", "MBYTES", "memory of the whole system in MBytes; mandatory", o.memory_total,
                  as::Integer{.low = 1, .high = std::numeric_limits<std::int64_t>::max() / megabyte});
    parser.option("-N", "N[,N...]", "sizes of the partitions, at most 10 (default: small, medium and all)",
                  o.partitions, partitions);
    parser.option("-T", "S", "scheduled time of all partitions together in s (default 1800)", o.time, positive);
    parser.option("-p", "DIR", "directory of the data files (default .)", o.directory, as::Text{});
    parser.option("-f", "PREFIX", "names of the reports: PREFIX.prot, .sum, .plot, .gps (default b_eff_io)", o.prefix,
                  as::ScriptName{});
    parser.option("-i", "FILE", "hints for MPI, line by line: processes access type chunk key value", o.info,
                  as::Text{});
    parser.option("-e", "N", "most messages about wrong data for each pattern and process (default 1)", o.messages,
                  as::Int{.low = 1, .high = 10000});
    parser.flag("-noshared", "individual file pointers instead of the shared one; never valid", o.no_shared);
    parser.flag("-rewrite", "rewrite with all pattern types, not with scatter only", o.rewrite);
    parser.flag("-keep", "leave the data files", o.keep);
    parser.flag("-d", "delete the data files (default)", o.erase);
    parser.flag("-unique", "open with MPI_MODE_UNIQUE_OPEN", o.unique);
    parser.flag("-nounique", "open without it (default)", o.no_unique);
    parser.flag("-adapt", "debugging only: time that a pattern took too much is taken from the next; never valid",
                o.adapt);
}

void declare_own(Parser& parser, Options& o) {
    using measure::Termination;
    parser.flag("--quick", "a short run for tests: -T 60 unless given, chunks of at most 2 MBytes", o.quick);
    parser.list("--note", "TEXT", "goes into reports and record: what no program can find out of a file system",
                o.notes, as::Text{});
    parser.option("--cache", "SIZE", "cache of the file system (bare number: MBytes; default: all memory)", o.cache,
                  megabytes);
    parser.option("--max-bytes", "SIZE",
                  "largest sum of all files (bare number: MBytes; default: 80 % of what is free)", o.max_bytes,
                  megabytes);
    parser.option("--termination", "NAME", "when the end of a pattern is agreed on: geometric, classic (each call)",
                  o.termination,
                  as::Choice<Termination>{{{"geometric", Termination::geometric}, {"classic", Termination::classic}}});
    parser.option("--types", "LIST", "only these pattern types, names or 0 to 4; never valid", o.types, types);
    parser.option("--idle", "NAME",
                  "how processes outside a partition wait: spin, sleep (default: sleep where they are "
                  "more than the cores)",
                  o.idle, as::Choice<Idle>{{{"spin", Idle::spin}, {"sleep", Idle::sleep}}});
    parser.flag("--cleanup", "only remove what earlier runs have left in -p", o.cleanup);
}

bool has(Options const& o, Type type) { return std::find(o.types.begin(), o.types.end(), type) != o.types.end(); }

}  // namespace

void declare(Parser& parser, Options& options) {
    parser.heading("b_eff_io");
    declare_original(parser, options);
    parser.heading("Beyond the original");
    declare_own(parser, options);
}

void check(Options const& o, program::CommonOptions const& common) {
    if (o.keep && o.erase)
        throw UsageError("-keep and -d exclude each other");
    if (o.unique && o.no_unique)
        throw UsageError("-unique and -nounique exclude each other");
    if (o.cleanup && common.list)
        throw UsageError("--cleanup and --list exclude each other");
    bool const needs_others = std::any_of(o.types.begin(), o.types.end(), is_segmented);
    if (needs_others && !(has(o, Type::scatter) && has(o, Type::shared) && has(o, Type::separated)))
        throw UsageError("--types: segmented and seg_coll need scatter, shared and separated, which give their "
                         "repetitions");
    if (o.cleanup || common.list)
        return;
    if (!o.memory_per_process)
        throw UsageError("-MB is missing: the memory of one process in MBytes (-help lists the options)");
    if (!o.memory_total)
        throw UsageError("-MT is missing: the memory of the whole system in MBytes (-help lists the options)");
}

}  // namespace b_eff_io
