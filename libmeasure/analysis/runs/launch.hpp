// SPDX-License-Identifier: BSD-3-Clause
/// Launch: one start of a program, whether several are alike, and in what they differ. Pure, local.
#pragma once

#include <measure/read.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// One start of a program.
struct Launch {
    std::string name{};  ///< for people: the file, with ":N" where it holds several runs
    RunRecord record{};
    std::string file{};  ///< that it was read from
};

/// The runs of a file.
struct Source {
    std::string path{};              ///< "-": standard input
    std::vector<Launch> launches{};  ///< at least one
};

/// Whether the run has its points in a random order, which says nothing.
[[nodiscard]] bool is_shuffled(Environment const& run);

/// The campaign of side B of a run with two sides; side A has the name of the run.
[[nodiscard]] std::string campaign_of_side_b(std::string const& run);

/// "monday and monday-b are two sides": both sides of a run with --against are among the launches.
[[nodiscard]] std::optional<std::string> two_sides_text(std::span<Launch const> launches);

/// Whether it is of several starts, joined.
[[nodiscard]] bool is_joined(Launch const& launch);

/// "halo 0.1.0", or "halo" where the version is not known.
[[nodiscard]] std::string program_text(Environment const& run);
/// Whether a point of a run is a control.
[[nodiscard]] bool is_control_of(Environment const& run, Record const& point);

/// The program whose points they are: of a joined run that of its starts.
[[nodiscard]] std::string program_of(Environment const& run);

/// Of the hosts of a run, in the order of their first ranks.
[[nodiscard]] std::vector<std::string> host_names(Environment const& run);

/// Seconds since 1970; nothing for what is no time.
[[nodiscard]] std::optional<std::int64_t> started_at(Environment const& run);

/// Whether a launch had more ranks than cores.
[[nodiscard]] bool is_crowded(std::span<Launch const> launches);

/// Whether they are one and the same run, or one an earlier state of the other.
[[nodiscard]] bool is_same_run(Launch const& a, Launch const& b);

/// Why launches are not of one series, in words; nothing where they are of one campaign, or, without campaigns, of one
/// command (but for the file of --json and the seed) and started within 24 hours. What several starts were joined to
/// has no command of its own. \param with_command  whether commands count
[[nodiscard]] std::optional<std::string> why_apart(std::span<Launch const> launches, bool with_command = true);

/// Whether they are starts of one program with the same options and settings on the same machine, and of one series
/// (`why_apart`) unless they are joined all the same. \param join  whatever series they are of
[[nodiscard]] bool are_alike(Launch const& a, Launch const& b, bool join = false);

/// What two launches do not have in common.
struct Difference {
    std::string text{};    ///< "'a' and 'b' differ in options.start: \"slot\" and \"barrier\""
    std::string field{};   ///< "options.start"
    bool serious = false;  ///< the numbers are of different things: suite, program, ranks, options, MPI settings
};

/// Whether it is one of the MPI settings, which are what sides of a comparison may be about.
[[nodiscard]] bool is_setting(Difference const& difference);

/// What the launches do not have in common with the first, each field once, MPI settings first. Seeds, limits of time
/// and what is kept may differ, and within a campaign also which tests each start ran and how often.
/// \param launches  at least one
[[nodiscard]] std::vector<Difference> differences(std::span<Launch const> launches);

/// Which starts were joined: always differs, and no numbers depend on it.
inline constexpr std::string_view joined_launches = "options.launches";

/// The differences between the first launches of two sides, which are called A and B. The program of joined
/// starts is the one that joined them. Where both are of campaigns, tests and numbers of runs may differ: `measure run`
/// chooses them.  \param a, b  each at least one
[[nodiscard]] std::vector<Difference> side_differences(std::span<Launch const> a, std::span<Launch const> b);

/// Whether an option of two launches may differ without a difference of their numbers: "seed", and "valid_runs" of
/// launches that a command has started.
[[nodiscard]] bool may_differ(std::string_view option, Launch const& a, Launch const& b);

}  // namespace measure
