// SPDX-License-Identifier: BSD-3-Clause
/// Environment: gathers where and how a run is made.
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

/// Fills everything that the machine knows: start time, MPI, ranks, hosts (by processor name, in the order of their
/// first ranks), and of the root's host kernel, clock source and governor; what cannot be read is left out. The timer
/// is calibrated on every rank; its resolution, granularity and costs are the largest over the ranks. Hosts that are
/// containers of one machine are warned of. The campaign is what the environment variable MEASURE_CAMPAIGN says on the
/// root, "ID:LAUNCH"; another text is warned of. Suite, program, version, command, options, clock_sync are the
/// caller's. Collective; complete on the root, where the memory grows with the number of ranks. On the other ranks
/// `timer`, `ranks` and `oversubscribed` alone are filled, with the same values. \throws MpiError
[[nodiscard]] Environment environment(Comm const& comm, AnyTimer const& timer);

namespace detail {

/// Name and version out of what MPI_Get_library_version says: "MPICH 4.0.2", "Open MPI 4.1.4"; of an unknown library
/// the first line.
[[nodiscard]] std::string short_library_name(std::string_view full);

/// What one rank says about where it runs.
struct RankPlace {
    std::string host{};
    std::string mask{};  ///< affinity mask, one bit per processing unit; empty where it is unknown
    std::string cpu{};   ///< model name; empty where it is unknown
    /// What a running system and everything in it has alone: its boot's number; empty where it is unknown.
    std::string boot{};
};

/// Hosts in the order of their first ranks; cores = processing units in the union of the masks, at least one.
/// \param places  [ranks]
[[nodiscard]] std::vector<Host> group_by_host(std::span<RankPlace const> places);

/// The processing units that each rank of a host may use, as ranges: "0|1"; once where they are the same for all ranks
/// of the host, "0-1". Hosts that are alike are told once, different ones behind "; ". A long text is cut, and ends
/// with a hash of the whole. Empty where nothing is known. \param places  [ranks]
[[nodiscard]] std::string binding_of(std::span<RankPlace const> places);

/// Behind each setting whose value is the path of one plain file of at most 1 MiB, with "/" or "." in it, another one
/// of the name "NAME (content)": a hash of what the file holds. Where the name speaks of output (logs, statistics,
/// dumps) there is none.
[[nodiscard]] std::vector<Setting> with_contents(std::vector<Setting> const& settings);

/// The lines "name = value" of Open MPI's parameter files as settings "FILE: name", by name. Of two files that are
/// called alike the first one wins, of two lines of a file the last one. What cannot be read is left out.
/// \param files  paths, "," or ":" between them
[[nodiscard]] std::vector<Setting> parameters_in(std::string_view files);

/// "ID:LAUNCH"; nothing for another text.
[[nodiscard]] std::optional<Campaign> campaign_from(std::string_view text);

/// One text for each machine that stands for several hosts, which containers do: "hosts a, b are containers of one
/// machine ..", with the ranks and the processing units that they share. \param places  [ranks]
[[nodiscard]] std::vector<std::string> shared_machines(std::span<RankPlace const> places);

}  // namespace detail

}  // namespace measure
#pragma GCC visibility pop
