// SPDX-License-Identifier: BSD-3-Clause
/// Result: what was measured, cell by cell, and the averages that are b_eff. Pure.
#pragma once

#include "b_eff/catalogue.hpp"
#include "b_eff/lengths.hpp"

#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/settle.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace b_eff {

/// One loop of one pattern. Times in seconds.
struct Cell {
    enum class State : std::uint8_t {
        missing,  ///< was not run
        measured,
        unresolved,  ///< too short for the timer, or the clock went back
        copied,      ///< was not run; what stands here was measured by another method or in another repetition
    };
    State state = State::missing;
    bool lengthened = false;     ///< the loop was doubled for the timer's sake
    bool late_start = false;     ///< with slots: no common start was kept, a barrier began the loop
    bool is_backward = false;    ///< a clock went back in each try: unresolved by that
    std::int64_t loop = 0;       ///< executions
    measure::RankSpread time{};  ///< of the loop, over the processes of the pattern
    double elapsed = 0;          ///< from the barrier until the times are known
    std::int64_t runs = 0;       ///< executions in which the kernel was watched
    measure::SettlingReport settling{};
    [[nodiscard]] bool has_value() const noexcept { return state == State::measured || state == State::copied; }
    /// Whether memory was new while it was measured: as the flag of its record.
    [[nodiscard]] bool unsettled() const noexcept {
        return state == State::measured && measure::is_unsettled(settling.faults_counted, static_cast<double>(runs));
    }
};

/// Indices from 0.
struct Place {
    std::size_t repetition = 0;
    std::size_t length = 0;
    std::size_t pattern = 0;
    std::size_t method = 0;  ///< among those that are measured
};

/// b = L M k / t, bytes/s.
[[nodiscard]] double bandwidth(measure::Bytes length, std::int64_t messages, std::int64_t loop, double time) noexcept;

/// All cells of a run.
struct Results {
    Results(int processes, Lengths const& all_lengths, std::vector<Pattern> all_patterns, std::vector<Method> chosen,
            std::size_t repetition_count);

    [[nodiscard]] Cell& at(Place p) { return cells[index(p)]; }
    [[nodiscard]] Cell const& at(Place p) const { return cells[index(p)]; }
    /// bytes/s by the longest time; nothing for a cell without a value.
    [[nodiscard]] std::optional<double> value(Place p) const;
    [[nodiscard]] measure::RankSpread rates(Place p) const;

    int ranks;
    Lengths lengths;
    std::vector<Pattern> patterns;
    std::vector<Method> methods;
    std::size_t repetitions;
    std::vector<Cell> cells;

private:
    [[nodiscard]] std::size_t index(Place p) const {
        return ((p.repetition * length_count + p.length) * patterns.size() + p.pattern) * methods.size() + p.method;
    }
};

using Number = std::optional<double>;

/// The larger of those that there are.
[[nodiscard]] inline Number larger(Number a, Number b) noexcept { return a && b ? std::max(*a, *b) : a ? a : b; }

[[nodiscard]] inline Number divided(Number value, double by) noexcept { return value ? Number{*value / by} : value; }

/// A mean over the six rings, one over the random patterns, and one over both kinds: logarithmic ones. bytes/s.
struct Overall {
    double ring = 0;
    double random = 0;
    double both = 0;
};

/// Averages over cells, in the order in which b_eff takes them. bytes/s; nothing where a value is missing.
class Averages {
public:
    explicit Averages(Results const& results) : r_{results} {}

    /// Over repetitions: the largest one.
    [[nodiscard]] Number by_method(std::size_t pattern, std::size_t length, std::size_t method) const;
    /// Over methods: the largest one.
    [[nodiscard]] Number by_repetition(std::size_t pattern, std::size_t length, std::size_t repetition) const;
    /// The larger of all.
    [[nodiscard]] Number best(std::size_t pattern, std::size_t length) const;

    /// The same with the mean over lengths behind it.
    [[nodiscard]] Number mean_by_method(std::size_t pattern, std::size_t method) const;
    [[nodiscard]] Number mean_by_repetition(std::size_t pattern, std::size_t repetition) const;
    /// B(pattern).
    [[nodiscard]] Number mean(std::size_t pattern) const;
    /// The largest after the mean over lengths.
    [[nodiscard]] Number method_last(std::size_t pattern) const;
    [[nodiscard]] Number repetition_last(std::size_t pattern) const;

    /// Joins one value of each pattern of b_eff. \throws std::logic_error for a value that is not positive
    template <class F>
    [[nodiscard]] std::optional<Overall> overall(F value_of_pattern) const {
        std::vector<double> ring;
        std::vector<double> random;
        for (std::size_t p = 0; p < r_.patterns.size(); ++p) {
            if (!r_.patterns[p].counts())
                continue;
            Number const v = value_of_pattern(p);
            if (!v)
                return std::nullopt;
            (r_.patterns[p].family == Family::ring ? ring : random).push_back(*v);
        }
        return join(ring, random);
    }

    /// Median over the cells of b_eff of (max - min) / max over repetitions; nothing with one repetition.
    [[nodiscard]] Number spread() const;

    [[nodiscard]] Results const& results() const noexcept { return r_; }

private:
    [[nodiscard]] static Overall join(std::span<double const> ring, std::span<double const> random);
    Results const& r_;
};

/// Over the repetitions of a cell.
struct Spread {
    double min = 0;
    double mean = 0;
    double max = 0;
};

/// Everything that is said of a whole run. Bandwidths in bytes/s, times in s.
struct Figures {
    std::optional<Overall> b_eff{};
    std::optional<Overall> at_lmax{};
    std::optional<Overall> at_one_byte{};
    std::optional<Spread> ping_pong_bandwidth{};  ///< at Lmax; the mean is that of the times
    std::optional<Spread> ping_pong_latency{};    ///< half a round trip of 1 byte
    std::optional<Overall> method_last{};
    std::optional<Overall> repetition_last{};
    std::vector<std::optional<Overall>> single_method{};  ///< [methods]
    Number spread{};
};
[[nodiscard]] Figures figures(Averages const& averages);

/// What the repetitions and the scheduler say of b_eff.
struct Noise {
    Number agreement{};    ///< share of the cells of b_eff whose two best repetitions differ by a tenth at most
    Number spread{};       ///< Averages::spread
    Number undisturbed{};  ///< b_eff of loops in which no process was put off its core, bytes/s
    std::string reason{};  ///< why the run should be repeated; empty: it can be trusted
};
/// \param value  b_eff, bytes/s; nothing: there is none \param oversubscribed  more processes than cores
[[nodiscard]] Noise noise(Averages const& averages, Number value, bool oversubscribed);
/// "agreement 97.3 %, spread 4.1 %, undisturbed 6331.200 MB/s: trust".
[[nodiscard]] std::string text(Noise const& noise);

/// What the summary lines need beside the figures.
struct SummaryFacts {
    measure::Bytes memory = 0;
    std::optional<double> rmax{};  ///< flop/s
    std::vector<std::string> marks{};
    Noise noise{};
    std::vector<std::string> pair{};  ///< the hosts of the ping-pong
};
/// The record's summary lines; those of b_eff only where there is one.
[[nodiscard]] std::vector<measure::Summary> summaries(Averages const& averages, Figures const& figures,
                                                      SummaryFacts const& facts);

/// The record of a cell that was run.
[[nodiscard]] measure::Record record(Results const& results, Place place);
/// The coordinates of a cell.
[[nodiscard]] measure::Point coordinates(Results const& results, Place place);

/// After one of the two longest lengths by the best method alone: what the others would have there.
void copy_methods(Results& results, std::size_t repetition, std::size_t length);
/// The longest length in a repetition that leaves it out.
void copy_repetition(Results& results, std::size_t repetition, std::size_t length);

}  // namespace b_eff
