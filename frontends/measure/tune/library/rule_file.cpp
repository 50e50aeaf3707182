// SPDX-License-Identifier: BSD-3-Clause
#include "tune/library/rule_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <array>

namespace measure::tool::tune {

namespace {

/// Bytes as Open MPI counts them.
measure::Bytes counted_bytes(RuleSize size, measure::Bytes bytes, int ranks) {
    return size == RuleSize::all ? bytes * ranks : bytes;
}

/// What a chain has where nothing is said (coll_tuned_init_chain_fanout); a file must say it.
constexpr int chain_fanout = 4;

/// Lines of one number of ranks: from which size which algorithm.
struct RuleLines {
    int count = 0;
    std::string text{};
    void add(measure::Bytes from, int algorithm, std::string_view comment) {
        ++count;
        text += fmt::format("{} {} {} 0  # {}\n", from, algorithm, comment == "chain" ? chain_fanout : 0, comment);
    }
};

int number_of(std::vector<Collective> const& known, std::string const& collective, std::string const& algorithm) {
    for (auto const& one : known)
        if (one.name == collective)
            for (auto const& each : one.algorithms)
                if (each.name == algorithm)
                    return each.value;
    throw measure::UsageError(fmt::format("{} has no algorithm '{}'", collective, algorithm));
}

RuleLines lines_of(RuleCollective const& collective, TunedCollective const& tuned,
                   std::vector<Collective> const& known) {
    RuleLines lines;
    auto const& [name, ranks] = tuned.place;
    if (tuned.rules.empty())
        throw measure::UsageError(fmt::format("{} has no rules", name));
    if (collective.size == RuleSize::none) {
        auto const& algorithm = tuned.rules.front().algorithm;
        lines.add(0, number_of(known, name, algorithm), algorithm + ", all sizes");
        return lines;
    }
    measure::Bytes next = 0;  // that no line so far holds for
    for (auto const& rule : tuned.rules) {
        auto const low = counted_bytes(collective.size, rule.low, ranks);
        auto const high = counted_bytes(collective.size, rule.high, ranks);
        if (low < next || high < low)
            throw measure::UsageError(fmt::format("{}: the sizes of rules do not ascend", name));
        if (low > next)
            lines.add(next, 0, "the library chooses");
        lines.add(low, number_of(known, name, rule.algorithm), rule.algorithm);
        next = high + 1;
    }
    lines.add(next, 0, "the library chooses");
    return lines;
}

/// Numbers of ranks, from which on the lines below each hold.
struct RankLines {
    int count = 0;
    std::string text{};
    void add(int from, RuleLines const& lines) {
        ++count;
        text += fmt::format("{}  # ranks\n{}\n{}", from, lines.count, lines.text);
    }
};

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

std::string rule_file(std::vector<TunedCollective> const& tuned, std::vector<Collective> const& known) {
    RuleLines untouched;
    untouched.add(0, 0, "the library chooses");
    auto const all = by_collective(tuned);
    auto text = fmt::format("# bytes, algorithm, fan-out, bytes of a segment\n{}  # collectives\n", all.size());
    for (auto const& [name, by_ranks] : all) {
        auto const collective = rule_collective(name);
        if (!collective)
            throw measure::UsageError(fmt::format("{} has no rules in a file of Open MPI", name));
        RankLines lines;
        int next = 1;  // that no line so far holds for; smaller communicators would take the first one's rules
        for (auto const& one : by_ranks) {
            if (one.place.ranks > next)
                lines.add(next, untouched);
            lines.add(one.place.ranks, lines_of(*collective, one, known));
            next = one.place.ranks + 1;
        }
        lines.add(next, untouched);
        text += fmt::format("{}  # {}\n{}  # numbers of ranks, each up to the next\n{}", collective->id,
                            collective->name, lines.count, lines.text);
    }
    return text;
}

}  // namespace measure::tool::tune
