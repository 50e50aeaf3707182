// SPDX-License-Identifier: BSD-3-Clause
/// Reference: the times of the same pairs in an earlier run.
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

/// A rank of the earlier or the present run: host and rank.
using Member = std::pair<std::string, int>;

/// One recorded value of a pair: one quantity, for bandwidths in one direction.
struct KnownPair {
    Metric quantity = Metric::latency;
    Mode mode = Mode::hosts;
    PairClass of_class = PairClass::hosts;
    Member from{};
    Member to{};
    measure::Bytes bytes = 0;  ///< message size
    double time = 0;           ///< median over repetitions, > 0, in seconds or seconds per byte
    std::size_t repetitions = 1;
    bool oversubscribed = false;
};

/// Reads the pairs from the record of one run, piece by piece. Local.
class PairReader {
public:
    /// \param file  name for error messages
    explicit PairReader(std::string file) : file_{std::move(file)} {}

    /// The pairs in the next piece of the text. Each piece except the last consists of whole lines.
    /// \throws program::ParseErrors, or measure::UsageError that begins with the file's name
    [[nodiscard]] std::vector<KnownPair> read(std::string const& piece);
    /// To be called after the last piece. \throws measure::UsageError  if there is no pair, or more than one run
    void end() const;

private:
    [[nodiscard]] std::vector<KnownPair> of_record(std::string const& piece);

    std::string file_;
    int lines_ = 0;  ///< lines of the previous pieces
    bool has_pairs_ = false;
    std::string run_line_{};  ///< the record's run line, with its line end
    std::size_t runs_ = 0;
};

/// The pairs of a whole record, at least one. Local. \throws as PairReader
[[nodiscard]] std::vector<KnownPair> known_pairs(std::string const& text, std::string const& file);

/// A pair of an earlier run between nodes of this one.
struct Matched {
    Metric quantity = Metric::latency;
    int from = 0;
    int to = 0;
    double time = 0;
    bool has_ranks = false;  ///< hosts and ranks are equal in both runs
};

/// The times of an earlier run for the pairs of own nodes. Pairs are matched by host if no two nodes share a host in
/// either run, otherwise by host and rank.
class Reference {
public:
    /// \param share  nodes whose pairs are kept
    Reference(Share share, std::vector<Node> const& nodes, Mode mode, ExchangeRules const& rules);

    /// The pair of this run with the same hosts, or the same hosts and ranks. Local, on the process that reads the
    /// earlier run. \throws measure::UsageError if the message sizes differ
    [[nodiscard]] std::optional<Matched> match(KnownPair const& pair);
    /// Keeps the pair if it contains an own node. Local, on every process.
    void keep(Matched const& pair);
    /// Logarithms of the times; `not_measured` for a pair that the earlier run lacks. For bandwidths, of the mean of
    /// both directions; for directions, of the time from i to j over that from j to i. Collective over the processes
    /// with rows; whether pairs are matched by host follows from the pairs that the root has read.
    /// \throws measure::UsageError, on all processes, if the earlier run has no such pair
    [[nodiscard]] Rows<double> logs(measure::Comm const& comm, Metric quantity) const;

private:
    /// Times of a pair: from the smaller node to the larger one, and back.
    using Ways = std::array<double, 2>;
    struct Times {
        Ways by_host{not_measured, not_measured};
        Ways by_rank{not_measured, not_measured};
    };
    Mode mode_;
    ExchangeRules rules_;
    bool is_by_host_;
    std::map<std::string, int> hosts_{};  ///< [host] its node, if no two nodes share a host
    std::map<Member, int> numbers_{};     ///< [host and rank] its node
    std::array<std::set<Member>, metrics> there_{};
    std::array<Rows<Times>, metrics> times_;  ///< [latency, bandwidth]
};

/// Logarithms of a whole run whose pairs one process knows. Local. \throws as Reference
[[nodiscard]] Rows<double> reference_logs(std::vector<KnownPair> const& run, Metric quantity, Mode mode,
                                          std::vector<Node> const& nodes, ExchangeRules const& rules);

/// Compares two earlier runs and reports, unconfirmed, what looks slower in the later one. Local: this process has all
/// rows. \param options  quantities and threshold
/// \throws measure::UsageError if they have no pair in common with equal mode and message sizes
[[nodiscard]] Result compared(std::vector<KnownPair> const& before, std::vector<KnownPair> const& after,
                              Options const& options);

}  // namespace measure::tool::pairs
