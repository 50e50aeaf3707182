// SPDX-License-Identifier: BSD-3-Clause
/// Result: what a run of `measure pairs` saw and found. Values, of the root.
#pragma once

#include "pairs/exchange.hpp"
#include "pairs/fit.hpp"
#include "pairs/options.hpp"
#include "pairs/place.hpp"
#include "pairs/suspects.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace measure_tool::pairs {

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

/// One tournament: all pairs, or as many as there was time for.
struct Tournament {
    Mode mode = Mode::hosts;  ///< not `both`
    PairTable<PairValues> values{};

    /// The time of a pair, from the medians over repetitions; per byte, the mean of both directions. `not_measured`.
    [[nodiscard]] double time(Metric quantity, int i, int j) const;
    /// The same of bandwidths in one direction alone.
    [[nodiscard]] double one_way(Metric quantity, int from, int to) const;
    /// How many repetitions are behind it.
    [[nodiscard]] std::size_t count(Metric quantity, int i, int j) const;
};

/// What is said of one quantity.
struct Judged {
    Metric quantity = Metric::latency;
    PairTable<double> reference{};  ///< logarithms of an earlier run's times; of no seats: there is none
    /// Of the first tournament's times, over the reference's; of directions the one from the smaller node over the
    /// other.
    PairTable<double> logs{};
    Fit fit{};
    /// Standard deviation of the logarithm of one measurement: the median over pairs, or of fewer than three
    /// repetitions all that scatters between pairs. `not_measured` where that cannot be told either.
    double noise = not_measured;
    Detectable smallest{};  ///< what would have been found
    /// What a logarithm is taken over: 0 without a reference.
    [[nodiscard]] double referred(int i, int j) const {
        return reference.seats() == 0          ? 0
               : quantity == Metric::direction ? directed(reference, i, j)
                                               : reference.at(i, j);
    }
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
    std::vector<std::string> groups{};  ///< of hosts
    std::vector<int> group{};           ///< [node] its group; empty without groups
    PairTable<int> classes{};
    std::vector<Tournament> tournaments{};  ///< at least one
    std::vector<Judged> judged{};
    std::optional<Effort> effort{};  ///< that was chosen
    Verdict verdict{};
    std::vector<Finding> bindings{};  ///< confirmed; notes, no findings
    std::vector<WrongData> wrong{};
    std::set<Pair> unanswered{};     ///< that had no answer, twice: they rested from then on
    std::string matrix_sha256{};     ///< of the file of --matrix
    std::string untested{};          ///< why there is no test; empty: there was one
    std::size_t planned = 0;         ///< pairs that were to be measured
    int rounds = 0;                  ///< of the tournament, of `rounds_of` the nodes
    bool is_oversubscribed = false;  ///< more ranks than cores
    bool is_interrupted = false;
    bool is_comparison = false;  ///< of two runs that were measured before: findings are suspicions

    [[nodiscard]] bool has_finding() const;
    /// Pairs of the first tournament that were measured in every repetition.
    [[nodiscard]] std::size_t measured() const;
    [[nodiscard]] bool wants(Metric quantity) const {
        return options.what == What::both || (options.what == What::latency) == (quantity == Metric::latency);
    }
    /// All that it wants.
    [[nodiscard]] std::vector<Metric> wanted() const;
    [[nodiscard]] std::string link_name(int a, int b) const { return name_of(a) + " - " + name_of(b); }
    [[nodiscard]] std::string const& name_of(int node) const { return nodes[index(node)].name; }
};

/// Memory for the values of all pairs and what is judged of them, about; bytes.
/// \param measured  pairs that are to be measured  \param result  with its options
[[nodiscard]] double memory_of(std::size_t nodes, std::size_t measured, std::size_t tournaments, Result const& result);

/// Logarithms, fit and noise of the first tournament. Pure. \param reference  of no seats: there is none
[[nodiscard]] Judged judge(Result const& result, Metric quantity, PairTable<double> reference);
/// What suspects are looked for in. Refers to the result.
[[nodiscard]] std::vector<Seen> seen_of(Result const& result);
[[nodiscard]] bool is_directed(Result const& result, Finding const& finding);
/// Half of what one direction is slower is in the time of both. Takes away the bandwidth's finding of a link or node
/// whose interval holds no more than that, where its direction is a finding.
void leave_to_directions(Result const& result, std::vector<Finding>& findings);
/// Why nothing can be tested, whatever the times are; empty where it can. Pure.
[[nodiscard]] std::string why_untested(Result const& result);
/// How much longer loaded pairs take. Pure. \param result  with two tournaments
[[nodiscard]] std::array<double, 3> loaded_ratios(Result const& result, Metric quantity);

}  // namespace measure_tool::pairs
