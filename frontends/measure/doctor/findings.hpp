// SPDX-License-Identifier: BSD-3-Clause
/// Findings: what will disturb a measurement, on which ranks, and what helps.
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
    unknown,  ///< could not be read: not to be taken for fine
    note,     ///< worth knowing; may disturb
    warning,  ///< will disturb
};
[[nodiscard]] std::string_view name(Level level) noexcept;

/// What one check says of one host or rank.
struct Judgement {
    Level level = Level::fine;
    std::string text{};    ///< the same wherever the same is found: "the frequency governor is powersave"
    std::string detail{};  ///< what is of this place: "load 3.1"
    std::string remedy{};  ///< a command, or what to do; empty where nothing is to be done
};

/// What was found alike on some ranks.
struct Finding {
    std::string topic{};  ///< of the check: "governor"
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

/// One process.
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
    std::vector<Host> hosts{};  ///< in the order of their first ranks
    std::vector<Rank> ranks{};  ///< [ranks]
};

/// Everything that the checks have to say, warnings first. What they say alike of several hosts or ranks is one
/// finding. Pure. \param world  at least one rank; every rank on one host
[[nodiscard]] std::vector<Finding> diagnose(World const& world);

/// The highest level that there is. Pure.
[[nodiscard]] Level worst(std::span<Finding const> findings) noexcept;

}  // namespace measure::tool::doctor
