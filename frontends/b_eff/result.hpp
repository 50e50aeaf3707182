// SPDX-License-Identifier: BSD-3-Clause
/// Result: the measured cells, and the averages that form b_eff. Pure.
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

/// One loop of one pattern. Times are in seconds.
struct Cell {
    enum class State : std::uint8_t {
        missing,  ///< not measured
        measured,
        unresolved,  ///< too short for the timer, or the clock went back
        copied,      ///< not measured; the value comes from another method or repetition
    };
    State state = State::missing;
    bool lengthened = false;     ///< the loop was doubled because it was too short for the timer
    bool late_start = false;     ///< with slots: the common start was missed, and a barrier began the loop
    bool is_backward = false;    ///< a clock went back in each attempt, so the cell is unresolved
    std::int64_t loop = 0;       ///< number of executions
    measure::RankSpread time{};  ///< time of the loop, over the processes of the pattern
    double elapsed = 0;          ///< seconds from the barrier until the times are known
    std::int64_t runs = 0;       ///< executions over which kernel events were counted
    measure::SettlingReport settling{};
    [[nodiscard]] bool has_value() const noexcept { return state == State::measured || state == State::copied; }
    /// Whether memory was new during the measurement, as in the flag of its record.
    [[nodiscard]] bool unsettled() const noexcept {
        return state == State::measured && measure::is_unsettled(settling.faults_counted, static_cast<double>(runs));
    }
};

/// Indices from 0.
struct Place {
    std::size_t repetition = 0;
    std::size_t length = 0;
    std::size_t pattern = 0;
    std::size_t method = 0;  ///< index among the chosen methods
};

/// b = L M k / t, bytes/s.
[[nodiscard]] double bandwidth(measure::Bytes length, std::int64_t messages, std::int64_t loop, double time) noexcept;

/// All cells of a run.
struct Results {
    Results(int processes, Lengths const& all_lengths, std::vector<Pattern> all_patterns, std::vector<Method> chosen,
            std::size_t repetition_count);

    [[nodiscard]] Cell& at(Place p) { return cells[index(p)]; }
    [[nodiscard]] Cell const& at(Place p) const { return cells[index(p)]; }
    /// Bandwidth in bytes/s, computed from the longest time. Missing for a cell without a value.
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

/// The larger of the existing values.
[[nodiscard]] inline Number larger(Number a, Number b) noexcept { return a && b ? std::max(*a, *b) : a ? a : b; }

[[nodiscard]] inline Number divided(Number value, double by) noexcept { return value ? Number{*value / by} : value; }

/// Logarithmic means in bytes/s: over the six rings, over the random patterns, and over these two values.
struct Overall {
    double ring = 0;
    double random = 0;
    double both = 0;
};

/// Averages over cells, in the order in which b_eff computes them. In bytes/s; missing if a value is missing.
class Averages {
public:
    explicit Averages(Results const& results) : r_{results} {}

    /// The maximum over repetitions.
    [[nodiscard]] Number by_method(std::size_t pattern, std::size_t length, std::size_t method) const;
    /// The maximum over methods.
    [[nodiscard]] Number by_repetition(std::size_t pattern, std::size_t length, std::size_t repetition) const;
    /// The maximum over methods and repetitions.
    [[nodiscard]] Number best(std::size_t pattern, std::size_t length) const;

    /// The maximum over repetitions or methods, followed by the mean over lengths.
    [[nodiscard]] Number mean_by_method(std::size_t pattern, std::size_t method) const;
    [[nodiscard]] Number mean_by_repetition(std::size_t pattern, std::size_t repetition) const;
    /// B(pattern) of the b_eff definition: the mean over lengths of `best`.
    [[nodiscard]] Number mean(std::size_t pattern) const;
    /// The maximum over methods or repetitions, taken after the mean over lengths.
    [[nodiscard]] Number method_last(std::size_t pattern) const;
    [[nodiscard]] Number repetition_last(std::size_t pattern) const;

    /// Averages one value of each pattern of b_eff. \throws std::logic_error for a value that is not positive
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

    /// Median over the cells of b_eff of (max - min) / max over repetitions. Missing with only one repetition.
    [[nodiscard]] Number spread() const;

    [[nodiscard]] Results const& results() const noexcept { return r_; }

private:
    [[nodiscard]] static Overall join(std::span<double const> ring, std::span<double const> random);
    Results const& r_;
};

/// Statistics over the repetitions of a cell.
struct Spread {
    double min = 0;
    double mean = 0;
    double max = 0;
};

/// All results of a run. Bandwidths are in bytes/s, times in seconds.
struct Figures {
    std::optional<Overall> b_eff{};
    std::optional<Overall> at_lmax{};
    std::optional<Overall> at_one_byte{};
    std::optional<Spread> ping_pong_bandwidth{};  ///< at Lmax; the mean is computed from the mean time
    std::optional<Spread> ping_pong_latency{};    ///< half of the round-trip time of 1 byte
    std::optional<Overall> method_last{};
    std::optional<Overall> repetition_last{};
    std::vector<std::optional<Overall>> single_method{};  ///< [methods]
    Number spread{};
};
[[nodiscard]] Figures figures(Averages const& averages);

/// The quality of b_eff, judged from repetitions and interruptions.
struct Noise {
    Number agreement{};    ///< share of the cells of b_eff whose two best repetitions differ by at most a tenth
    Number spread{};       ///< Averages::spread
    Number undisturbed{};  ///< b_eff of loops in which no process was interrupted, bytes/s
    std::string reason{};  ///< reason to repeat the run; empty: the result can be trusted
};
/// \param value  b_eff in bytes/s, missing if there is none \param oversubscribed  more processes than cores
[[nodiscard]] Noise noise(Averages const& averages, Number value, bool oversubscribed);
/// "agreement 97.3 %, spread 4.1 %, undisturbed 6331.200 MB/s: trust".
[[nodiscard]] std::string text(Noise const& noise);

/// The input of the summary lines besides the figures.
struct SummaryFacts {
    measure::Bytes memory = 0;
    std::optional<double> rmax{};  ///< flop/s
    std::vector<std::string> marks{};
    Noise noise{};
    std::vector<std::string> pair{};  ///< hosts of the ping-pong
};
/// The summary lines of the record. The lines of b_eff exist only if it has a value.
[[nodiscard]] std::vector<measure::Summary> summaries(Averages const& averages, Figures const& figures,
                                                      SummaryFacts const& facts);

/// The record of a measured cell.
[[nodiscard]] measure::Record record(Results const& results, Place place);
/// The coordinates of a cell.
[[nodiscard]] measure::Point coordinates(Results const& results, Place place);

/// Copies values to the other methods, after one of the two longest lengths was measured only with the best method.
void copy_methods(Results& results, std::size_t repetition, std::size_t length);
/// Copies the values of the longest length to a repetition that leaves it out.
void copy_repetition(Results& results, std::size_t repetition, std::size_t length);

}  // namespace b_eff
