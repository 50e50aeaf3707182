// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/options.hpp"

#include "program/cli/option_table.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace b_eff_io {

namespace {

namespace as = program::as;
using measure::Bytes;
using measure::UsageError;
using program::Argument;

constexpr int most_partitions = 10;

/// A number of MBytes, or "auto".
struct Memory {
    std::int64_t high = std::numeric_limits<std::int64_t>::max() / megabyte;
    [[nodiscard]] std::int64_t operator()(Argument const& argument) const {
        return program::lower(argument.value) == "auto" ? from_machine : as::Integer{.low = 1, .high = high}(argument);
    }
};

/// A number without a unit is in MBytes, as in the other options of this suite.
constexpr as::Size megabytes{.low = 1, .bare = megabyte};

std::vector<int> partitions(Argument const& argument) {
    std::vector<int> sizes;
    for (auto const& part : program::split(argument.value, ','))
        sizes.push_back(as::Int{.low = 1}({argument.option, part}));
    if (sizes.size() > most_partitions)
        throw UsageError(fmt::format("{}: '{}' has {} partitions, at most {} are allowed", argument.option,
                                     argument.value, sizes.size(), most_partitions));
    auto ascending = sizes;
    std::sort(ascending.begin(), ascending.end());
    if (auto const twice = std::adjacent_find(ascending.begin(), ascending.end()); twice != ascending.end())
        throw UsageError(fmt::format("{}: '{}' names {} twice", argument.option, argument.value, *twice));
    return sizes;
}

/// Names or numbers of pattern types.
struct TypeList {
    [[nodiscard]] std::vector<Type> operator()(Argument const& argument) const {
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
    [[nodiscard]] std::string text(std::vector<Type> const& types) const {
        std::vector<std::string> names;
        for (Type const type : types)
            names.push_back(type_names()[index(type)]);
        return fmt::format("{}", fmt::join(names, ","));
    }
};

program::OptionTable<Options> option_table() {
    using measure::Termination;
    program::OptionTable<Options> table;
    as::Integer const positive{.low = 1};
    table.heading("b_eff_io");
    table.option("-MB", "MBYTES",
                 "set the memory of one process in MBytes of 2^20 bytes (required); auto: memory of the host or cgroup "
                 "divided by its processes",
                 &Options::memory_per_process, Memory{.high = most_memory});
    table.option("-MT", "MBYTES",
                 "set the memory of the whole system in MBytes (required unless -MB is auto); auto: memory of all "
                 "hosts",
                 &Options::memory_total, Memory{});
    table
        .option("-N", "N[,N...]", "measure partitions of these numbers of processes, at most 10 numbers",
                &Options::partitions, partitions)
        .unset("about n^0.35, n^0.7 and n for n processes");
    table.option("-T", "S", "schedule S seconds for all partitions together", &Options::time, positive).unset("1800");
    table.option("-p", "DIR", "store the data files in DIR", &Options::directory, as::Text{});
    table.option("-f", "PREFIX", "write the reports PREFIX.prot, .sum, .plot and .gps", &Options::prefix,
                 as::ScriptName{});
    table.option("-i", "FILE", "read MPI hints from FILE; format of a line: processes access type chunk key value",
                 &Options::info, as::Text{});
    table.option("-e", "N", "print at most N messages about wrong data for each pattern and process",
                 &Options::messages, as::Int{.low = 1, .high = 10000});
    table.flag("-noshared", "use individual file pointers instead of the shared one; never valid", &Options::no_shared);
    table.flag("-rewrite", "rewrite with all pattern types instead of only scatter", &Options::rewrite);
    table.flag("-keep", "keep the data files", &Options::keep);
    table.flag("-d", "delete the data files (default)", &Options::erase);
    table.flag("-unique", "open files with MPI_MODE_UNIQUE_OPEN; never valid", &Options::unique);
    table.flag("-nounique", "open files without MPI_MODE_UNIQUE_OPEN (default)", &Options::no_unique);

    table.heading("Extensions to the original");
    table.flag("--quick", "make a short test run: -T 60 unless given, chunks of at most 2 MBytes", &Options::quick);
    table.list("--note", "TEXT",
               "add TEXT to reports and record, for facts about the file system that no program can detect",
               &Options::notes, as::Text{});
    table
        .option("--cache", "SIZE", "set the cache size of the file system; a bare number is MBytes", &Options::cache,
                megabytes)
        .unset("all memory");
    table
        .option("--max-bytes", "SIZE", "limit the total size of all files; a bare number is MBytes",
                &Options::max_bytes, megabytes)
        .unset("80 % of the free space");
    table.option("--termination", "NAME",
                 "agree on the end of a pattern: geometric (after growing blocks of calls), classic (after each call)",
                 &Options::termination,
                 as::Choice<Termination>{{{"geometric", Termination::geometric}, {"classic", Termination::classic}}});
    table.option("--types", "LIST", "measure only these pattern types, given by name or 0 to 4; never valid",
                 &Options::types, TypeList{});
    table.flag("--random",
               "also access chunks at random places of a shared file, which is not part of b_eff_io; adds 20 % to -T",
               &Options::random);
    table.flag("--direct",
               "use direct I/O by the hints direct_read and direct_write; fails if the MPI library lacks support",
               &Options::direct);
    table.flag("--read-neighbor", "read data that another process wrote, on another host if possible; never valid",
               &Options::read_neighbor);
    table
        .option("--idle", "NAME", "let processes outside a partition wait by: spin, sleep", &Options::idle,
                as::Choice<Idle>{{{"spin", Idle::spin}, {"sleep", Idle::sleep}}})
        .unset("sleep with more processes than cores, else spin");
    table.flag("--cleanup", "only remove files that earlier runs left in -p", &Options::cleanup);

    table.excludes("-keep", "-d");
    table.excludes("-unique", "-nounique");
    table.excludes("--cleanup", "--list");
    return table;
}

bool has(Options const& o, Type type) { return std::find(o.types.begin(), o.types.end(), type) != o.types.end(); }

}  // namespace

void declare(program::Parser& parser, Options& options) { option_table().declare(parser, options); }

void check(Options const& o, program::CommonOptions const& common) {
    bool const needs_others = std::any_of(o.types.begin(), o.types.end(), is_segmented);
    if (needs_others && !(has(o, Type::scatter) && has(o, Type::shared) && has(o, Type::separated)))
        throw UsageError("--types: segmented and seg_coll need scatter, shared and separated, which determine their "
                         "repetitions");
    if (o.random && !has(o, Type::separated))
        throw UsageError("--random needs the pattern type separated (--types), which determines its repetitions");
    if (o.cleanup || common.list)
        return;
    if (!o.memory_per_process)
        throw UsageError("-MB is missing: give the memory of one process in MBytes (see -help)");
    if (!o.memory_total && o.memory_per_process != from_machine)
        throw UsageError("-MT is missing: give the memory of the whole system in MBytes (see -help)");
}

}  // namespace b_eff_io
