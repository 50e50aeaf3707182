// SPDX-License-Identifier: BSD-3-Clause
/// Fold: joins records that differ in one coordinate. Pure functions of records, local.
#pragma once

#include "measure/callback.hpp"
#include "measure/record.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// The records of one group: their values and their coordinates on the folded axis.
struct FoldGroup {
    std::span<double const> values{};         ///< at least one, in the order of the records
    std::span<Point::Coordinate const> at{};  ///< [values.size()]
};

/// Computes one value from a group: a function in `join`, or a user-defined one.
using Join = Callback<double(FoldGroup const&)>;

/// Ways to join the values of a group.
namespace join {

[[nodiscard]] double max(FoldGroup const& group);     ///< largest value
[[nodiscard]] double min(FoldGroup const& group);     ///< smallest value
[[nodiscard]] double mean(FoldGroup const& group);    ///< arithmetic mean
[[nodiscard]] double median(FoldGroup const& group);  ///< middle value, or mean of the two middle values
/// Geometric mean, exp(mean(log x)). NaN unless all values are > 0.
[[nodiscard]] double log_mean(FoldGroup const& group);

/// Weighted mean, sum(w x) / sum(w). The weight depends on the coordinate on the folded axis:
/// `{{"write", 1.0}, {"rewrite", 1.0}, {"read", 2.0}}`. Coordinates are compared including their type: the integer 1
/// differs from the number 1.0.
struct WeightedMean {
    std::vector<std::pair<Point::Coordinate, double>> weights{};  ///< weight of each coordinate, in any scale
    /// \throws UsageError for a coordinate without a weight
    [[nodiscard]] double operator()(FoldGroup const& group) const;
};

}  // namespace join

/// Joins the records that differ only in the coordinate `axis`. Records with the same benchmark, quantity and other
/// coordinates form a group, and each group becomes one record without that coordinate. Groups are in the order in
/// which they first appear.
///
/// A group of one record becomes this record without the coordinate. In larger groups:
/// - the value is joined
/// - counts, invalid samples and elapsed times are summed
/// - flags are united
/// - status and message come from the worst record
/// - members that describe a single measurement are dropped: stop reason, estimate, numbers over ranks, derived values,
///   samples
///
/// If a record of a group has no value, the joined record has no value either, so that missing values are not hidden.
/// Remove such records before the fold if the others can represent them. If the joined status is no_valid_samples, the
/// number of valid samples is 0.
/// \throws UsageError for a record without the coordinate `axis`
[[nodiscard]] std::vector<Record> fold(std::span<Record const> records, std::string_view axis, Join const& join);

}  // namespace measure
#pragma GCC visibility pop
