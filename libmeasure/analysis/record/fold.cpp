// SPDX-License-Identifier: BSD-3-Clause
#include "measure/fold.hpp"

#include "measure/error.hpp"
#include "record/join_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace measure {

namespace detail {

void drop_details(Record& record) {
    record.stop_reason.clear();
    record.estimate.reset();
    record.over_ranks.reset();
    record.iterations_per_sample.reset();
    record.correction.reset();
    record.derived = Value::Object{};
    record.has_samples = false;
    record.samples.clear();
}

void add_counts(Record& joined, Record const& more) {
    joined.attempts += more.attempts;
    joined.valid += more.valid;
    joined.kept += more.kept;
    joined.invalid += more.invalid;
    for (auto const& flag : more.flags)
        joined.flag(flag);
    joined.elapsed += more.elapsed;
}

}  // namespace detail

namespace join {

double max(FoldGroup const& group) { return *std::max_element(group.values.begin(), group.values.end()); }
double min(FoldGroup const& group) { return *std::min_element(group.values.begin(), group.values.end()); }
double mean(FoldGroup const& group) { return measure::mean(group.values); }
double median(FoldGroup const& group) { return measure::median(group.values); }

double log_mean(FoldGroup const& group) {
    bool const is_positive = std::all_of(group.values.begin(), group.values.end(), [](double x) { return x > 0; });
    return is_positive ? measure::log_mean(group.values) : std::numeric_limits<double>::quiet_NaN();
}

double WeightedMean::operator()(FoldGroup const& group) const {
    std::vector<double> of_values;
    for (auto const& place : group.at) {
        auto const found =
            std::find_if(weights.begin(), weights.end(), [&](auto const& w) { return w.first == place; });
        if (found == weights.end())
            throw UsageError(fmt::format("no weight for '{}'", coordinate_text(place)));
        of_values.push_back(found->second);
    }
    return weighted_mean(group.values, of_values);
}

}  // namespace join

namespace {

/// Records of one group in order, with their values of the folded coordinate.
struct Group {
    Record joined;  ///< joined record, extended by each further record
    std::vector<Point::Coordinate> at{};
    std::vector<double> values{};
    [[nodiscard]] std::size_t size() const noexcept { return at.size(); }
};

/// Removes the coordinate from the point and returns it. \throws UsageError if the point does not have it
Point::Coordinate take(Point& at, std::string_view axis) {
    Point rest;
    std::optional<Point::Coordinate> taken;
    for (auto const& [name, value] : at.coordinates())
        if (name == axis)
            taken = value;
        else
            rest.set(name, value);
    if (!taken)
        throw UsageError(fmt::format("fold: no coordinate '{}' in the point '{}'", axis, at.text()));
    at = std::move(rest);
    return *taken;
}

void add(Record& joined, Record const& more) {
    detail::drop_details(joined);
    if (more.status > joined.status) {
        joined.status = more.status;
        joined.message = more.message;
    }
    detail::add_counts(joined, more);
}

Record finished(Group group, Join const& join) {
    Record& record = group.joined;
    if (group.size() == 1)
        return record;
    if (group.values.size() == group.size())
        record.value = join({group.values, group.at});
    else
        record.value.reset();
    if (record.status == PointStatus::no_valid_samples)
        record.valid = record.kept = 0;
    return record;
}

}  // namespace

std::vector<Record> fold(std::span<Record const> records, std::string_view axis, Join const& join) {
    using Key = std::tuple<std::string, Quantity, std::vector<std::pair<std::string, Point::Coordinate>>>;
    std::map<Key, std::size_t> index;
    std::vector<Group> groups;
    for (Record record : records) {
        auto const place = take(record.at, axis);
        auto const value = record.value;
        auto const [found, is_new] =
            index.try_emplace({record.benchmark, record.quantity, record.at.coordinates()}, groups.size());
        if (is_new)
            groups.push_back({.joined = std::move(record)});
        else
            add(groups[found->second].joined, record);
        auto& group = groups[found->second];
        group.at.push_back(place);
        if (value)
            group.values.push_back(*value);
    }

    std::vector<Record> folded;
    for (auto& group : groups)
        folded.push_back(finished(std::move(group), join));
    return folded;
}

}  // namespace measure
