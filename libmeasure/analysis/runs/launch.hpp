// SPDX-License-Identifier: BSD-3-Clause
/// Launch: one launch of a program, whether launches belong together, and how they differ. Pure, local.
#pragma once

#include <measure/read.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// One launch of a program.
struct Launch {
    std::string name{};  ///< name in messages: the file, with ":N" if it holds several runs
    RunRecord record{};
    std::string file{};  ///< file from which it was read
};

/// A file and the runs in it.
struct Source {
    std::string path{};              ///< "-": standard input
    std::vector<Launch> launches{};  ///< at least one
};

/// Whether the points of the run are in random order, so that their order has no meaning.
[[nodiscard]] bool is_shuffled(Environment const& run);

/// Campaign name of side B of a run with two sides; side A has the name of the run.
[[nodiscard]] std::string campaign_of_side_b(std::string const& run);

/// Message "monday and monday-b are two sides of a run: ..." if the launches include both sides of a run with
/// --against.
[[nodiscard]] std::optional<std::string> two_sides_text(std::span<Launch const> launches);

/// Whether the record joins several launches.
[[nodiscard]] bool is_joined(Launch const& launch);

/// Text such as "halo 0.1.0", or "halo" if the version is unknown.
[[nodiscard]] std::string program_text(Environment const& run);
/// Whether a point of a run is a control.
[[nodiscard]] bool is_control_of(Environment const& run, Record const& point);

/// Name of the program that measured the points; for a joined run, the program of its launches.
[[nodiscard]] std::string program_of(Environment const& run);

/// Host names of a run, in the order of their first ranks.
[[nodiscard]] std::vector<std::string> host_names(Environment const& run);

/// Start time in seconds since 1970; empty if the record has no valid time.
[[nodiscard]] std::optional<std::int64_t> started_at(Environment const& run);

/// Whether any launch had more ranks than cores.
[[nodiscard]] bool is_crowded(std::span<Launch const> launches);

/// Whether both are the same run, or one is an earlier state of the other.
[[nodiscard]] bool is_same_run(Launch const& a, Launch const& b);

/// Reason why launches do not belong to one series, as text; empty if they do. They do if they have the same campaign.
/// Without campaigns they need the same command (except --json and the seed) and start times within 24 hours. Joined
/// runs have no command and are not compared by it. \param with_command  whether commands are compared
[[nodiscard]] std::optional<std::string> why_apart(std::span<Launch const> launches, bool with_command = true);

/// Whether both are launches of one program with the same options and settings on the same machine. They must also
/// belong to one series (`why_apart`) unless `join` is set. \param join  accept launches of different series
[[nodiscard]] bool are_alike(Launch const& a, Launch const& b, bool join = false);

/// A difference between two launches.
struct Difference {
    std::string text{};    ///< "'a' and 'b' differ in options.start: \"slot\" and \"barrier\""
    std::string field{};   ///< "options.start"
    bool serious = false;  ///< values are not comparable: suite, program, ranks, timer, options or MPI settings differ
};

/// Whether the difference is an MPI setting, which may be the purpose of a comparison.
[[nodiscard]] bool is_setting(Difference const& difference);

/// Differences from the first launch: each field once, MPI settings first. Seeds, time limits and output options may
/// differ, and within a campaign also the tests of each launch and their numbers of runs. \param launches  at least one
[[nodiscard]] std::vector<Difference> differences(std::span<Launch const> launches);

/// Field with the joined launches. It always differs, and no value depends on it.
inline constexpr std::string_view joined_launches = "options.launches";

/// Differences between the first launches of two sides, named A and B. The program of joined launches is the one that
/// joined them, so it is not compared. If both belong to campaigns, tests and numbers of runs may differ, because
/// `measure run` chooses them.  \param a, b  each at least one
[[nodiscard]] std::vector<Difference> side_differences(std::span<Launch const> a, std::span<Launch const> b);

/// Whether an option may differ between two launches without affecting the values: "seed", and "valid_runs" within a
/// campaign.
[[nodiscard]] bool may_differ(std::string_view option, Launch const& a, Launch const& b);

}  // namespace measure
