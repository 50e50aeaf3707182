// SPDX-License-Identifier: BSD-3-Clause
/// Checks: explicit tables of what is judged. A check is a pure function of facts.
#pragma once

#include "doctor/findings.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure::tool::doctor {

/// A host beside its ranks, in their order.
struct HostView {
    Host const& host;
    std::vector<Rank const*> ranks{};
    int world = 1;         ///< number of all ranks
    double own_cores = 0;  ///< that the ranks use, those of other containers on the machine too
};

[[nodiscard]] HostView view_of(Host const& host, World const& world);

/// A rank beside its host.
struct RankView {
    Rank const& rank;
    Host const& host;
    int world = 1;  ///< number of all ranks
};

/// A check says nothing (an empty text) where there is nothing to judge.
template <class View>
struct Check {
    char const* topic;
    Judgement (*judge)(View const&);
};

/// Clock rate, clock source, virtual machine, memory, space for files.
[[nodiscard]] std::span<Check<HostView> const> machine_checks() noexcept;
/// Room for the ranks: processing units, quota, shared cores, other programs, time stolen.
[[nodiscard]] std::span<Check<HostView> const> room_checks() noexcept;
/// Binding, clocks, MPI library, interruptions.
[[nodiscard]] std::span<Check<RankView> const> rank_checks() noexcept;

/// In what hosts, and ranks, differ that should be alike.
[[nodiscard]] std::vector<Finding> differences(World const& world);

/// Two hosts that are containers of one machine, as far as that is known.
[[nodiscard]] bool are_of_one_machine(Host const& a, Host const& b);

/// The processing units that the ranks of a host may use together, ascending; nothing where one rank's are unknown.
[[nodiscard]] std::optional<std::vector<int>> united_units(HostView const& view);

/// A process that is no rank.
struct OtherProcess {
    std::string pid{};
    std::string name{};
    double share = 0;  ///< of a core's time while the ranks watched
};
/// The busiest first.
[[nodiscard]] std::vector<OtherProcess> others_of(HostView const& view);

/// "2, 3": at most so many of these numbers.
[[nodiscard]] std::string some_of(std::vector<int> const& numbers);

}  // namespace measure::tool::doctor
