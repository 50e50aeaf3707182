// SPDX-License-Identifier: BSD-3-Clause
/// Reference: what an earlier run measured of the same pairs.
#pragma once

#include "pairs/result.hpp"

#include <measure/units.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool::pairs {

/// A rank of either run: host and rank.
using Member = std::pair<std::string, int>;

/// What a run has of a pair: one quantity, and of bandwidths one direction.
struct KnownPair {
    Metric quantity = Metric::latency;
    Mode mode = Mode::hosts;
    PairClass of_class = PairClass::hosts;
    Member from{};
    Member to{};
    measure::Bytes bytes = 0;  ///< of a message
    double time = 0;           ///< median over repetitions, > 0: seconds, or seconds per byte
    std::size_t repetitions = 1;
    bool oversubscribed = false;
};

/// Reads the pairs of a record of one run, piece by piece. Local.
class PairReader {
public:
    /// \param file  its name, for errors
    explicit PairReader(std::string file) : file_{std::move(file)} {}

    /// Those of the next piece of the text, which is of whole lines unless it is the last one.
    /// \throws program::ParseErrors, or measure::UsageError that begins with the file's name
    [[nodiscard]] std::vector<KnownPair> read(std::string const& piece);
    /// After the last piece. \throws measure::UsageError  where there is no pair, or more than one run
    void end() const;

private:
    [[nodiscard]] std::vector<KnownPair> of_record(std::string const& piece);

    std::string file_;
    int lines_ = 0;  ///< in the pieces before
    bool has_pairs_ = false;
    std::string run_line_{};  ///< of a record, with its end
    std::size_t runs_ = 0;
};

/// The pairs of a whole text; at least one. Local. \throws as PairReader
[[nodiscard]] std::vector<KnownPair> known_pairs(std::string const& text, std::string const& file);

/// A pair of an earlier run between nodes of this one.
struct Matched {
    Metric quantity = Metric::latency;
    int from = 0;
    int to = 0;
    double time = 0;
    bool has_ranks = false;  ///< its ranks are those of the nodes, too
};

/// What an earlier run has of the pairs of own nodes. Pairs are the same by their hosts, whatever their ranks, where
/// each node here and there is a host of its own; otherwise by hosts and ranks.
class Reference {
public:
    /// \param share  whose pairs are kept
    Reference(Share share, std::vector<Node> const& nodes, Mode mode, ExchangeRules const& rules);

    /// Whether the pair is one of this run's in either way. Local, where the earlier run is read.
    /// \throws measure::UsageError for messages of another size
    [[nodiscard]] std::optional<Matched> match(KnownPair const& pair);
    /// Keeps it where it is of an own node. Local, on every process.
    void keep(Matched const& pair);
    /// Logarithms of the times; `not_measured` for a pair that the run does not have. Of bandwidths the mean of both
    /// directions; of directions the one to a node over the one from it. Collective over those who have rows; what the
    /// root has matched counts. \throws measure::UsageError, on all, where the run has no such pair
    [[nodiscard]] Rows<double> logs(measure::Comm const& comm, Metric quantity) const;

private:
    /// Of a pair: from the smaller node to the larger one, and back.
    using Ways = std::array<double, 2>;
    struct Times {
        Ways by_host{not_measured, not_measured};
        Ways by_rank{not_measured, not_measured};
    };
    Mode mode_;
    ExchangeRules rules_;
    bool is_by_host_;
    std::map<std::string, int> hosts_{};  ///< [host] its node, where each has its own
    std::map<Member, int> numbers_{};     ///< [host and rank] its node
    std::array<std::set<Member>, metrics> there_{};
    std::array<Rows<Times>, metrics> times_;  ///< [latency, bandwidth]
};

/// The same of a whole run, whose pairs one process knows. Local. \throws as Reference
[[nodiscard]] Rows<double> reference_logs(std::vector<KnownPair> const& run, Metric quantity, Mode mode,
                                          std::vector<Node> const& nodes, ExchangeRules const& rules);

/// Two runs without a new one: what looks slower in the later one. Nothing of it is confirmed. Local: this process has
/// all rows. \param options  of quantities and the threshold
/// \throws measure::UsageError where they have no pair in common that they measured alike
[[nodiscard]] Result compared(std::vector<KnownPair> const& before, std::vector<KnownPair> const& after,
                              Options const& options);

}  // namespace measure::tool::pairs
