// SPDX-License-Identifier: BSD-3-Clause
#include "tune/library/rule_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <array>

namespace measure::tool::tune {

namespace {

/// The size that Open MPI compares with its rules.
measure::Bytes counted_bytes(RuleSize size, measure::Bytes bytes, int ranks) {
    return size == RuleSize::all ? bytes * ranks : bytes;
}

/// Default fan-out of a chain (coll_tuned_init_chain_fanout). A file must state it explicitly.
constexpr int chain_fanout = 4;

/// Lines for one number of ranks: the first size of each algorithm.
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
    measure::Bytes next = 0;  // the smallest size that no line covers yet
    for (auto const& rule : tuned.rules) {
        auto const low = counted_bytes(collective.size, rule.low, ranks);
        auto const high = counted_bytes(collective.size, rule.high, ranks);
        if (low < next || high < low)
            throw measure::UsageError(fmt::format("{}: the rules are not in ascending order of size", name));
        if (low > next)
            lines.add(next, 0, "the library chooses");
        lines.add(low, number_of(known, name, rule.algorithm), rule.algorithm);
        next = high + 1;
    }
    lines.add(next, 0, "the library chooses");
    return lines;
}

/// Lines for all numbers of ranks; each group holds up to the next number.
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
            throw measure::UsageError(fmt::format("files of Open MPI cannot have rules for {}", name));
        RankLines lines;
        // The smallest number of ranks that no line covers yet. Begins at 1, because the first rules also hold for
        // smaller communicators.
        int next = 1;
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
