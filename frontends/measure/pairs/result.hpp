// SPDX-License-Identifier: BSD-3-Clause
/// Result: what a run of `measure pairs` saw and found. Every process has the rows of its own nodes, and all that is
/// said of all pairs; findings are the root's.
#pragma once

#include "pairs/exchange.hpp"
#include "pairs/fit.hpp"
#include "pairs/options.hpp"
#include "pairs/place.hpp"
#include "pairs/suspects.hpp"

#include <measure/timer_info.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::pairs {

/// What pairs are compared by.
enum class Metric {
    latency,
    bandwidth,
    direction,  ///< of bandwidths one way against the other; measured with them
};
inline constexpr std::size_t metrics = 3;
[[nodiscard]] std::string_view name(Metric quantity) noexcept;
/// What is measured for it: bandwidth for direction.
[[nodiscard]] Metric measured_as(Metric quantity) noexcept;
/// Of the points of a record: "Pair_latency". \param quantity  one that is measured
[[nodiscard]] std::string_view benchmark_of(Metric quantity) noexcept;
/// As options and records have it. \param mode  not `both`
[[nodiscard]] std::string_view name(Mode mode) noexcept;

/// Who takes part.
struct Node {
    int rank = 0;
    Place place{};
    std::string name{};     ///< of the host, or "rank 3"
    bool migrated = false;  ///< ran on several processing units while it measured
};

/// How many hosts they are on.
[[nodiscard]] std::size_t host_count(std::vector<Node> const& nodes);
/// Whether each is a host of its own.
[[nodiscard]] inline bool is_by_host(std::vector<Node> const& nodes) { return host_count(nodes) == nodes.size(); }

/// Names each by its host where no two share one, otherwise by rank.
void name_nodes(std::vector<Node>& nodes);

/// Of points measured with more ranks than cores.
inline constexpr char const* oversubscribed_flag = "oversubscribed";
/// Of pairs one of whose ranks did.
inline constexpr char const* migrated_flag = "migrated";

/// What repetitions said of a pair, in the order measured. Seconds; one way, or per byte.
struct PairValues {
    std::vector<double> latency{};
    std::vector<double> up{};    ///< from the smaller node to the larger one
    std::vector<double> down{};  ///< the other way
};

/// The time from one node to another, from the median over repetitions; of bandwidths per byte, and of this direction
/// alone. `not_measured`. \param values  of their pair
[[nodiscard]] double one_way(PairValues const& values, Metric quantity, int from, int to);
/// The mean of both directions.
[[nodiscard]] double time_of(PairValues const& values, Metric quantity);
/// How many repetitions are behind it.
[[nodiscard]] inline std::size_t count_of(PairValues const& values, Metric quantity) {
    return quantity == Metric::latency ? values.latency.size() : values.up.size();
}

/// One tournament: all pairs, or as many as there was time for.
struct Tournament {
    Mode mode = Mode::hosts;  ///< not `both`
    Rows<PairValues> values{};
};

/// Of the pairs of a class, seconds or seconds per byte.
struct ClassTimes {
    std::size_t pairs = 0;
    double median = not_measured;
    double quickest = not_measured;
    double slowest = not_measured;
};

/// What is said of one quantity.
struct Judged {
    Metric quantity = Metric::latency;
    /// Logarithms of an earlier run's times; of no nodes: there is none.
    Rows<double> reference{};
    /// Of the first tournament's times, over the reference's; of directions the one to a node over the one from it.
    Rows<double> logs{};
    Fit fit{};
    /// Standard deviation of the logarithm of one measurement: the median over pairs, or of fewer than three
    /// repetitions all that scatters between pairs. `not_measured` where that cannot be told either.
    double noise = not_measured;
    Detectable smallest{};            ///< what would have been found
    std::vector<ClassTimes> times{};  ///< [class]; none of directions
    std::size_t referred_pairs = 0;   ///< that the reference has
    [[nodiscard]] bool has_reference() const { return reference.share().nodes > 0; }
    /// What a logarithm is taken over: 0 without a reference. \param i  own node
    [[nodiscard]] double referred(int i, int j) const { return has_reference() ? reference.at(i, j) : 0; }
    std::array<double, 3> loaded{};  ///< 5 %, 50 %, 95 % of loaded time over time; 0: there is no second tournament
};

struct WrongData {
    int from = 0;  ///< node
    int to = 0;
    long long at = 0;  ///< byte
    std::size_t times = 0;
};

struct Result {
    Options options{};
    std::string where{};  ///< "MPICH 4.0.2, 16 ranks on 16 hosts, 2026-11-24T04:23:56Z"
    std::vector<Node> nodes{};
    std::vector<std::string> groups{};      ///< of hosts
    std::vector<int> group{};               ///< [node] its group; empty without groups
    std::map<Pair, int> moved{};            ///< classes of pairs that are not those of their places
    std::vector<Tournament> tournaments{};  ///< at least one
    std::vector<Judged> judged{};
    std::optional<Effort> effort{};  ///< that was chosen
    Verdict verdict{};
    std::vector<Finding> bindings{};  ///< confirmed; notes, no findings
    std::vector<WrongData> wrong{};
    std::set<Pair> unanswered{};     ///< that had no answer, twice: they rested from then on
    std::string untested{};          ///< why there is no test; empty: there was one
    std::size_t planned = 0;         ///< pairs that were to be measured
    std::size_t measured = 0;        ///< of the first tournament, in every repetition \see count_measured
    int rounds = 0;                  ///< of the tournament, of `rounds_of` the nodes
    measure::TimerInfo timer{};      ///< of the root; without a name: nothing was measured
    bool is_oversubscribed = false;  ///< more ranks than cores
    bool is_interrupted = false;
    bool is_comparison = false;  ///< of two runs that were measured before: findings are suspicions

    [[nodiscard]] bool has_finding() const;
    /// Of two nodes in either order: a PairClass.
    [[nodiscard]] int pair_class(int i, int j) const {
        auto const found = moved.empty() ? moved.end() : moved.find(pair_of(i, j));
        return found != moved.end() ? found->second
                                    : static_cast<int>(class_of(nodes[index(i)].place, nodes[index(j)].place));
    }
    [[nodiscard]] bool wants(Metric quantity) const {
        return options.what == What::both || (options.what == What::latency) == (quantity == Metric::latency);
    }
    /// All that it wants.
    [[nodiscard]] std::vector<Metric> wanted() const;
    [[nodiscard]] std::string link_name(int a, int b) const { return name_of(a) + " - " + name_of(b); }
    [[nodiscard]] std::string const& name_of(int node) const { return nodes[index(node)].name; }
};

/// Memory for the rows of one node, and what is judged of them, about; bytes.
/// \param partners  with which it is measured  \param result  with its options
[[nodiscard]] double memory_of(std::size_t nodes, std::size_t partners, std::size_t tournaments, Result const& result);

/// Logarithms, fit and noise of the first tournament. Collective over those who have its rows. \param reference  of no
/// nodes: there is none
[[nodiscard]] Judged judge(measure::Comm const& comm, Result const& result, Metric quantity, Rows<double> reference);
/// Sets `measured`. Collective over those who have rows.
void count_measured(measure::Comm const& comm, Result& result);
/// What suspects are looked for in. Refers to the result.
[[nodiscard]] std::vector<Seen> seen_of(Result const& result);
[[nodiscard]] bool is_directed(Result const& result, Finding const& finding);
/// Half of what one direction is slower is in the time of both. Takes away the bandwidth's finding of a link or node
/// whose interval holds no more than that, where its direction is a finding.
void leave_to_directions(Result const& result, std::vector<Finding>& findings);
/// Why nothing can be tested, whatever the times are; empty where it can. Pure.
[[nodiscard]] std::string why_untested(Result const& result);
/// How much longer loaded pairs take. Collective over those who have rows. \param result  with two tournaments
[[nodiscard]] std::array<double, 3> loaded_ratios(measure::Comm const& comm, Result const& result, Metric quantity);

}  // namespace measure::tool::pairs
