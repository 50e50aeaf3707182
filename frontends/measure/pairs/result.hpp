// SPDX-License-Identifier: BSD-3-Clause
/// Result: measurements and findings of `measure pairs`. Every process has the rows of its nodes and the summary
/// of all pairs. Only the root has the findings.
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

/// The quantities by which pairs are compared.
enum class Metric {
    latency,
    bandwidth,
    direction,  ///< bandwidth one way against the other way; derived from the bandwidths
};
inline constexpr std::size_t metrics = 3;
[[nodiscard]] std::string_view name(Metric quantity) noexcept;
/// The quantity that is measured for it: bandwidth for direction, otherwise itself.
[[nodiscard]] Metric measured_as(Metric quantity) noexcept;
/// Benchmark name in a record, such as "Pair_latency". \param quantity  latency or bandwidth
[[nodiscard]] std::string_view benchmark_of(Metric quantity) noexcept;
/// The mode's name in options and records. \param mode  not `both`
[[nodiscard]] std::string_view name(Mode mode) noexcept;

/// A participant of the tournament.
struct Node {
    int rank = 0;
    Place place{};
    std::string name{};     ///< name of the host, or "rank 3"
    bool migrated = false;  ///< the rank ran on several processing units while it measured
};

/// The number of hosts that the nodes are on.
[[nodiscard]] std::size_t host_count(std::vector<Node> const& nodes);
/// Whether no two nodes share a host.
[[nodiscard]] inline bool is_by_host(std::vector<Node> const& nodes) { return host_count(nodes) == nodes.size(); }

/// Names each node after its host if no two nodes share one, otherwise by rank.
void name_nodes(std::vector<Node>& nodes);

/// Flag of points measured with more ranks than cores.
inline constexpr char const* oversubscribed_flag = "oversubscribed";
/// Flag of pairs with a rank that moved between processing units.
inline constexpr char const* migrated_flag = "migrated";

/// Values of the repetitions of a pair, in the order measured: latencies one way in s, bandwidths as s/B.
struct PairValues {
    std::vector<double> latency{};
    std::vector<double> up{};    ///< from the node with the smaller number to the other
    std::vector<double> down{};  ///< in the opposite direction
};

/// Median over repetitions of the time from one node to another, or `not_measured`. Seconds for a latency, seconds per
/// byte in this direction for a bandwidth. \param values  values of their pair
[[nodiscard]] double one_way(PairValues const& values, Metric quantity, int from, int to);
/// The mean of both directions.
[[nodiscard]] double time_of(PairValues const& values, Metric quantity);
/// Number of repetitions that the pair's time is based on.
[[nodiscard]] inline std::size_t count_of(PairValues const& values, Metric quantity) {
    return quantity == Metric::latency ? values.latency.size() : values.up.size();
}

/// One tournament: all pairs, or fewer if the time budget was spent.
struct Tournament {
    Mode mode = Mode::hosts;  ///< not `both`
    Rows<PairValues> values{};
};

/// Times of the pairs of a class, in seconds or seconds per byte.
struct ClassTimes {
    std::size_t pairs = 0;
    double median = not_measured;
    double quickest = not_measured;
    double slowest = not_measured;
};

/// The analysis of one quantity.
struct Judged {
    Metric quantity = Metric::latency;
    /// Logarithms of the reference's times. Has no nodes if there is no reference.
    Rows<double> reference{};
    /// Logarithms of the first tournament's times, minus the logarithms of the reference. For directions: logarithm of
    /// the time from i to j over that from j to i.
    Rows<double> logs{};
    Fit fit{};
    /// Standard deviation of the logarithm of one measurement: the median over pairs. With fewer than three repetitions
    /// it is estimated from the scatter between pairs, or is `not_measured` if there are too few partners.
    double noise = not_measured;
    Detectable smallest{};            ///< the smallest slowdowns that would have been found
    std::vector<ClassTimes> times{};  ///< [class]; empty for directions
    std::size_t referred_pairs = 0;   ///< number of pairs that the reference contains
    [[nodiscard]] bool has_reference() const { return reference.share().nodes > 0; }
    /// The logarithm of the reference's time; 0 without a reference. \param i  own node
    [[nodiscard]] double referred(int i, int j) const { return has_reference() ? reference.at(i, j) : 0; }
    std::array<double, 3> loaded{};  ///< 5 %, 50 %, 95 % quantiles of loaded / unloaded time; 0: no second tournament
};

struct WrongData {
    int from = 0;           ///< sending node
    int to = 0;             ///< receiving node
    long long at = 0;       ///< index of the first wrong byte
    std::size_t times = 0;  ///< number of exchanges with wrong data
};

struct Result {
    Options options{};
    std::string where{};  ///< "MPICH 4.0.2, 16 ranks on 16 hosts, 2026-11-24T04:23:56Z"
    std::vector<Node> nodes{};
    std::vector<std::string> groups{};      ///< names of the groups of hosts
    std::vector<int> group{};               ///< [node] index of its group; empty without groups
    std::map<Pair, int> moved{};            ///< classes of pairs that differ from those of their places
    std::vector<Tournament> tournaments{};  ///< at least one
    std::vector<Judged> judged{};
    std::optional<Effort> effort{};  ///< effort chosen for --effect
    Verdict verdict{};
    std::vector<Finding> bindings{};  ///< confirmed bindings, which are notes rather than findings
    std::vector<WrongData> wrong{};
    std::set<Pair> unanswered{};  ///< pairs that timed out twice and were skipped from then on
    std::string untested{};       ///< reason why nothing was tested; empty if the test was made
    std::size_t planned = 0;      ///< number of pairs to measure
    std::size_t measured = 0;     ///< pairs that the first tournament measured in every repetition \see count_measured
    int rounds = 0;               ///< rounds of the tournament, at most `rounds_of` the nodes
    measure::TimerInfo timer{};   ///< timer of the root; without a name if nothing was measured
    bool is_oversubscribed = false;  ///< more ranks than cores
    bool is_interrupted = false;
    bool is_comparison = false;  ///< compares two earlier runs; findings are unconfirmed suspects

    [[nodiscard]] bool has_finding() const;
    /// The PairClass of two nodes, in either order.
    [[nodiscard]] int pair_class(int i, int j) const {
        auto const found = moved.empty() ? moved.end() : moved.find(pair_of(i, j));
        return found != moved.end() ? found->second
                                    : static_cast<int>(class_of(nodes[index(i)].place, nodes[index(j)].place));
    }
    [[nodiscard]] bool wants(Metric quantity) const {
        return options.what == What::both || (options.what == What::latency) == (quantity == Metric::latency);
    }
    /// All quantities to analyse.
    [[nodiscard]] std::vector<Metric> wanted() const;
    [[nodiscard]] std::string link_name(int a, int b) const { return name_of(a) + " - " + name_of(b); }
    [[nodiscard]] std::string const& name_of(int node) const { return nodes[index(node)].name; }
};

/// Approximate memory for the rows of one node and their analysis, in bytes.
/// \param partners  number of nodes with which it is measured  \param result  supplies the options
[[nodiscard]] double memory_of(std::size_t nodes, std::size_t partners, std::size_t tournaments, Result const& result);

/// Logarithms, fit and noise of the first tournament. Collective over the processes with its rows.
/// \param reference  has no nodes if there is no reference
[[nodiscard]] Judged judge(measure::Comm const& comm, Result const& result, Metric quantity, Rows<double> reference);
/// Sets `measured`. Collective over the processes with rows.
void count_measured(measure::Comm const& comm, Result& result);
/// Classes and fits for the search for suspects. Refers to the result.
[[nodiscard]] std::vector<Seen> seen_of(Result const& result);
[[nodiscard]] bool is_directed(Result const& result, Finding const& finding);
/// A slow direction also makes the mean of both directions slower, by half as much. If the direction of a link or node
/// is a confirmed finding, removes its bandwidth finding unless its whole interval is above that half.
void leave_to_directions(Result const& result, std::vector<Finding>& findings);
/// Reason why no test is possible, whatever the times are; empty if a test is possible. Pure.
[[nodiscard]] std::string why_untested(Result const& result);
/// 5 %, 50 % and 95 % quantiles of loaded over unloaded time. Collective over the processes with rows.
/// \param result  has two tournaments
[[nodiscard]] std::array<double, 3> loaded_ratios(measure::Comm const& comm, Result const& result, Metric quantity);

}  // namespace measure::tool::pairs
