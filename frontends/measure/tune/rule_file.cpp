// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rule_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>

namespace measure_tool::tune {

namespace {

/// Bytes as Open MPI counts them.
measure::Bytes counted_bytes(RuleSize size, measure::Bytes bytes, int ranks) {
    return size == RuleSize::all ? bytes * ranks : bytes;
}

/// Lines of one number of ranks: from which size which algorithm.
struct RuleLines {
    int count = 0;
    std::string text{};
    void add(measure::Bytes from, int algorithm, std::string_view comment) {
        ++count;
        text += fmt::format("{} {} 0 0{}{}\n", from, algorithm, comment.empty() ? "" : "  # ", comment);
    }
};

RuleLines lines_of(RuleCollective const& collective, RuledCollective const& tuned, int ranks) {
    RuleLines lines;
    if (collective.size == RuleSize::none) {
        lines.add(0, tuned.rules.front().algorithm, tuned.rules.front().algorithm_name + ", all sizes");
        return lines;
    }
    measure::Bytes next = 0;  // that no line so far holds for
    for (auto const& rule : tuned.rules) {
        auto const low = counted_bytes(collective.size, rule.low, ranks);
        auto const high = counted_bytes(collective.size, rule.high, ranks);
        if (low < next || high < low)
            throw measure::UsageError(fmt::format("{}: the sizes of rules do not ascend", tuned.collective));
        if (low > next)
            lines.add(next, 0, "the library chooses");
        lines.add(low, rule.algorithm, rule.algorithm_name);
        next = high + 1;
    }
    lines.add(next, 0, "the library chooses");
    return lines;
}

}  // namespace

std::optional<RuleCollective> rule_collective(std::string_view name) noexcept {
    static constexpr std::array table{
        RuleCollective{"Allgather", 0, RuleSize::all},
        RuleCollective{"Allgatherv", 1, RuleSize::share},
        RuleCollective{"Allreduce", 2, RuleSize::argument},
        RuleCollective{"Alltoall", 3, RuleSize::all},
        RuleCollective{"Alltoallv", 4, RuleSize::none},
        RuleCollective{"Barrier", 6, RuleSize::none},
        RuleCollective{"Bcast", 7, RuleSize::argument},
        RuleCollective{"Exscan", 8, RuleSize::none},
        RuleCollective{"Gather", 9, RuleSize::all},
        RuleCollective{"Reduce", 11, RuleSize::argument},
        RuleCollective{"Reduce_scatter", 12, RuleSize::argument},
        RuleCollective{"Reduce_scatter_block", 13, RuleSize::all},
        RuleCollective{"Scan", 14, RuleSize::none},
        RuleCollective{"Scatter", 15, RuleSize::all},
    };
    for (auto const& row : table)
        if (row.name == name)
            return row;
    return std::nullopt;
}

std::string rule_file(std::vector<RuledCollective> const& tuned, int ranks) {
    auto text = fmt::format("# {} ranks; bytes, algorithm, fan-out, bytes of a segment\n{}  # collectives\n", ranks,
                            tuned.size());
    for (auto const& one : tuned) {
        auto const collective = rule_collective(one.collective);
        if (!collective || one.rules.empty())
            throw measure::UsageError(fmt::format("{} has no rules in a file of Open MPI", one.collective));
        auto const lines = lines_of(*collective, one, ranks);
        // Smaller communicators would take the first one's rules.
        bool const is_smallest = ranks == 1;
        text +=
            fmt::format("{}  # {}\n{}  # numbers of ranks\n", collective->id, collective->name, is_smallest ? 2 : 3);
        if (!is_smallest)
            text += "1  # rank and more\n1\n0 0 0 0  # the library chooses\n";
        text += fmt::format("{}  # ranks\n{}\n{}", ranks, lines.count, lines.text);
        text += fmt::format("{}  # ranks and more\n1\n0 0 0 0  # the library chooses\n", ranks + 1);
    }
    return text;
}

}  // namespace measure_tool::tune
