// SPDX-License-Identifier: BSD-3-Clause
/// Fold: joins records along an axis. Pure functions of records, local.
#pragma once

#include "measure/callback.hpp"
#include "measure/record.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// The records of one group: what they measured, and where on the folded axis each of them stands.
struct FoldGroup {
    std::span<double const> values{};         ///< at least one, in the order of the records
    std::span<Point::Coordinate const> at{};  ///< [values.size()]
};

/// Makes one value of a group: one of `join`, or an own function.
using Join = Callback<double(FoldGroup const&)>;

/// Ways to join the values of a group.
namespace join {

[[nodiscard]] double max(FoldGroup const& group);     ///< the largest
[[nodiscard]] double min(FoldGroup const& group);     ///< the smallest
[[nodiscard]] double mean(FoldGroup const& group);    ///< arithmetic
[[nodiscard]] double median(FoldGroup const& group);  ///< the middle value, or the mean of the two middle ones
/// exp(mean(log x)): all values > 0, otherwise NaN.
[[nodiscard]] double log_mean(FoldGroup const& group);

/// sum(w x) / sum(w), each value weighted by where it stands: `{{"write", 1.0}, {"rewrite", 1.0}, {"read", 2.0}}`.
/// Values are compared with their type: the integer 1 is not the number 1.0.
struct WeightedMean {
    std::vector<std::pair<Point::Coordinate, double>> weights{};  ///< of each place, any scale
    /// \throws UsageError for a coordinate without a weight
    [[nodiscard]] double operator()(FoldGroup const& group) const;
};

}  // namespace join

/// Joins the records that differ only in the coordinate `axis`: those of one benchmark, one quantity and equal other
/// coordinates form a group, and each group becomes one record without that coordinate. Groups come in the order in
/// which they first appear.
///
/// A group of one is that record without the coordinate. Of a larger group: the value is joined; counts, invalid
/// samples and elapsed times are summed; flags are united; status and message are those of the worst; what describes a
/// single measurement (stop reason, estimate, numbers over ranks, derived values, samples) is dropped.
///
/// A group with a record that has no value has none either, so that nothing is hidden: leave such records out before
/// the fold where the others may stand for them. With the status no_valid_samples it has no valid samples either.
/// \throws UsageError for a record without the coordinate `axis`
[[nodiscard]] std::vector<Record> fold(std::span<Record const> records, std::string_view axis, Join const& join);

}  // namespace measure
#pragma GCC visibility pop
