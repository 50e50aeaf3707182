// SPDX-License-Identifier: BSD-3-Clause
/// Checks: explicit tables of all checks. A check is a pure function of facts.
#pragma once

#include "doctor/findings.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure::tool::doctor {

/// A host with its ranks, in rank order.
struct HostView {
    Host const& host;
    std::vector<Rank const*> ranks{};
    int world = 1;         ///< number of ranks on all hosts
    double own_cores = 0;  ///< cores in use by the ranks, including those in other containers of the machine
};

[[nodiscard]] HostView view_of(Host const& host, World const& world);

/// A rank with its host.
struct RankView {
    Rank const& rank;
    Host const& host;
    int world = 1;  ///< number of ranks on all hosts
};

/// A check of a host or rank. It returns an empty text if it has nothing to judge.
template <class View>
struct Check {
    char const* topic;
    Judgement (*judge)(View const&);
};

/// Checks of a machine: clock rate, clock source, virtual machine, memory, space for files.
[[nodiscard]] std::span<Check<HostView> const> machine_checks() noexcept;
/// Checks of the resources for the ranks: processing units, quota, shared cores, other programs, stolen time.
[[nodiscard]] std::span<Check<HostView> const> room_checks() noexcept;
/// Checks of a rank: binding, clocks, MPI library, interruptions.
[[nodiscard]] std::span<Check<RankView> const> rank_checks() noexcept;

/// Differences between hosts, and between ranks, that should be equal.
[[nodiscard]] std::vector<Finding> differences(World const& world);

/// Whether two hosts are known to be containers of one machine.
[[nodiscard]] bool are_of_one_machine(Host const& a, Host const& b);

/// The processing units that the ranks of a host may use together, ascending; nullopt if a rank has unknown units.
[[nodiscard]] std::optional<std::vector<int>> united_units(HostView const& view);

/// A process that is not a rank.
struct OtherProcess {
    std::string pid{};
    std::string name{};
    double share = 0;  ///< share of a core's time while the ranks watched
};
/// The other processes, busiest first.
[[nodiscard]] std::vector<OtherProcess> others_of(HostView const& view);

/// "2, 3, ..": the first of these numbers.
[[nodiscard]] std::string some_of(std::vector<int> const& numbers);

}  // namespace measure::tool::doctor
