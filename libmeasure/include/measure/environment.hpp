// SPDX-License-Identifier: BSD-3-Clause
/// Environment: collects the description of a launch.
#pragma once

#include "measure/comm.hpp"
#include "measure/environment_info.hpp"
#include "measure/timer.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Collects the description of a launch: start time, MPI, ranks, hosts, the timer, the compiler of the library, and the
/// kernel, clock source and governor of the root's host. Hosts are identified by MPI_Get_processor_name, and ordered by
/// their first ranks. Values that cannot be read are left out. The caller fills suite, program, version, command,
/// options and clock_sync.
///
/// The timer is calibrated on every rank. Its resolution, granularity and costs are the largest over the ranks. The
/// root reads the campaign from the environment variable MEASURE_CAMPAIGN, "ID:LAUNCH". Any other text causes a
/// warning. Another warning says that several hosts are containers of one machine.
///
/// Collective. Complete on the root, where the memory grows with the number of ranks. Other ranks have only `timer`,
/// `ranks` and `oversubscribed`, with the same values. \throws MpiError
[[nodiscard]] Environment environment(Comm const& comm, AnyTimer const& timer);

namespace detail {

/// Short name and version from the text of MPI_Get_library_version: "MPICH 4.0.2", "Open MPI 4.1.4". The first line of
/// the text for an unknown library.
[[nodiscard]] std::string short_library_name(std::string_view full);

/// The location of one rank.
struct RankPlace {
    std::string host{};
    std::string mask{};  ///< affinity mask, one bit per processing unit; empty if unknown
    std::string cpu{};   ///< model name of the processor; empty if unknown
    /// The boot ID, which is unique to a running system and shared by its containers; empty if unknown.
    std::string boot{};
};

/// Groups ranks by host, in the order of their first ranks. `cores` counts the processing units in the union of the
/// masks, at least one. \param places  [ranks]
[[nodiscard]] std::vector<Host> group_by_host(std::span<RankPlace const> places);

/// Processing units that the ranks may use, as ranges. "0-3|4-7": "|" separates the ranks of a host. "0-1": all ranks
/// of the host may use units 0 and 1. "; " separates hosts. Hosts with the same text appear once. A long text is
/// truncated and ends with a hash of the complete text. Empty if unknown. \param places  [ranks]
[[nodiscard]] std::string binding_of(std::span<RankPlace const> places);

/// Adds a setting "NAME (content)" after each setting whose value is the path of a plain file of at most 1 MiB. The
/// value of the new setting is a hash of the file's content. Only a value that contains "/" or "." is taken as a path.
/// Settings whose names suggest output files (logs, statistics, dumps) are skipped.
[[nodiscard]] std::vector<Setting> with_contents(std::vector<Setting> const& settings);

/// Lines "name = value" of Open MPI's parameter files as settings "FILE: name", sorted by name. FILE is a file name
/// without folders. If files of the same name set the same parameter, the first of these files counts. In a file, the
/// last line for a parameter counts. Unreadable files are ignored. \param files  paths, "," or ":" between them
[[nodiscard]] std::vector<Setting> parameters_in(std::string_view files);

/// Parses "ID:LAUNCH"; empty for any other text.
[[nodiscard]] std::optional<Campaign> campaign_from(std::string_view text);

/// A text for each machine that runs several hosts as containers: "hosts a, b are containers on one machine ..", with
/// the numbers of ranks and of shared processing units. \param places  [ranks]
[[nodiscard]] std::vector<std::string> shared_machines(std::span<RankPlace const> places);

}  // namespace detail

}  // namespace measure
#pragma GCC visibility pop
