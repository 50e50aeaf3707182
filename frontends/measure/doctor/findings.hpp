// SPDX-License-Identifier: BSD-3-Clause
/// Findings: what will disturb a measurement, on which ranks, and how to prevent it.
#pragma once

#include "machine/facts.hpp"

#include <measure/detours.hpp>
#include <measure/fwq.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::doctor {

using machine::Activity;
using machine::Facts;
using machine::Moment;
using machine::numbers_in;
using machine::Tree;

enum class Level {
    fine,
    unknown,  ///< could not be read; may or may not be fine
    note,     ///< worth knowing; may disturb
    warning,  ///< will disturb
};
[[nodiscard]] std::string_view name(Level level) noexcept;

/// The result of one check on one host or rank.
struct Judgement {
    Level level = Level::fine;
    std::string text{};    ///< finding, with equal text on every host or rank: "the frequency governor is powersave"
    std::string detail{};  ///< value on this host or rank: "load 3.1"
    std::string remedy{};  ///< command or advice; empty if no action is needed
};

/// A finding that several ranks have in common.
struct Finding {
    std::string topic{};  ///< topic of the check: "governor"
    Level level = Level::fine;
    std::string text{};
    std::string remedy{};
    std::vector<int> ranks{};  ///< ascending
    struct Detail {
        std::string text{};
        std::vector<int> ranks{};  ///< ascending
    };
    std::vector<Detail> details{};
};

/// Facts and observations of one process.
struct Rank {
    Facts facts{};
    measure::DetourSummary noise{};
    measure::FwqSummary work{};
};

/// One host with its ranks.
struct Host {
    std::string name{};
    Facts facts{};
    std::vector<int> ranks{};  ///< ascending, at least one
};

struct World {
    std::vector<Host> hosts{};  ///< ordered by their first ranks
    std::vector<Rank> ranks{};  ///< [ranks]
};

/// The findings of all checks, warnings first. Equal findings of several hosts or ranks are joined. Pure. \param world
/// at least one rank; every rank belongs to one host
[[nodiscard]] std::vector<Finding> diagnose(World const& world);

/// The highest level among the findings. Pure.
[[nodiscard]] Level worst(std::span<Finding const> findings) noexcept;

}  // namespace measure::tool::doctor
