// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/result.hpp"

#include <measure/fold.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace b_eff_io {

namespace {

/// Weighted mean of named values. Missing if one of them is missing.
class Mean {
public:
    void add(std::string_view name, double weight, std::optional<double> value) {
        complete_ = complete_ && value.has_value();
        values_.push_back(value.value_or(0));
        names_.emplace_back(std::string{name});
        mean_.weights.emplace_back(std::string{name}, weight);
    }
    [[nodiscard]] std::optional<double> value() const {
        if (!complete_)
            return std::nullopt;
        return mean_({values_, names_});
    }

private:
    bool complete_ = true;
    std::vector<double> values_;
    std::vector<measure::Point::Coordinate> names_;
    measure::join::WeightedMean mean_;
};

std::optional<double> type_value(AccessResult const& access, Type type) {
    auto const volume = type_volume(access, type);
    return volume && volume->time > 0 ? std::optional{volume->rate()} : std::nullopt;
}

/// Mean of the patterns' bandwidths, weighted by U.
class Weighted {
public:
    void add(Pattern const& pattern, PatternResult const& result) {
        auto const bandwidth = result.bandwidth();
        if (!bandwidth || pattern.units == 0)
            return;
        sum_ += pattern.units * *bandwidth;
        units_ += pattern.units;
    }
    [[nodiscard]] std::optional<double> value() const {
        return units_ > 0 ? std::optional{sum_ / units_} : std::nullopt;
    }

private:
    double sum_ = 0;
    int units_ = 0;
};

/// The patterns that are part of the value: all except random access.
template <class Result>
auto of_value(Result& access) {
    return std::span{access.patterns}.first(pattern_count - patterns_of(Type::random).size());
}

PatternResult const& of(AccessResult const& access, Pattern const& pattern) {
    return access.patterns[static_cast<std::size_t>(pattern.number)];
}

std::optional<bool> moved_beyond_cache(PartitionResult const& partition, Setting const& setting) {
    constexpr double times = 20;
    double least = -1;
    for (Access const access : all_accesses) {
        double const moved = access_volume(partition.at(access)).transferred;
        least = least < 0 ? moved : std::min(least, moved);
    }
    if (setting.cache > 0 && least >= times * static_cast<double>(setting.cache))
        return true;
    return setting.cache_known ? std::optional{false} : std::nullopt;
}

}  // namespace

std::optional<double> PatternResult::bandwidth() const noexcept {
    if (!(transferred > 0) || !(time > 0) || errors > 0 || io_error || is_backward)
        return std::nullopt;
    return transferred / time;
}

bool PatternResult::unsettled() const noexcept {
    return bandwidth() && measure::is_unsettled(settling.faults_counted, static_cast<double>(repetitions));
}

bool PatternResult::agreement_bound() const noexcept {
    constexpr double much = 0.1;
    return bandwidth() && agreement() > much;
}

PatternResult const& AccessResult::at(Type type, int position) const {
    auto const list = patterns_of(type);
    auto const found = std::find_if(list.begin(), list.end(), [&](Pattern const& p) { return p.position == position; });
    return patterns[static_cast<std::size_t>(found->number)];
}

measure::Bytes chunk_at(PartitionResult const& partition, int position) {
    for (Type const type : all_types)
        if (auto const chunk = partition.at(Access::write).at(type, position).chunk; chunk > 0)
            return chunk;
    return 0;
}

std::optional<Volume> type_volume(AccessResult const& access, Type type) {
    auto const& times = access.types[index(type)];
    if (!times)
        return std::nullopt;
    Volume volume{.transferred = 0, .time = times->open + times->close, .is_backward = times->is_backward};
    Weighted weighted;
    for (Pattern const& pattern : patterns_of(type)) {
        auto const& result = of(access, pattern);
        volume.transferred += result.transferred;
        volume.time += result.time;
        volume.is_backward |= result.is_backward;
        weighted.add(pattern, result);
    }
    volume.weighted = weighted.value();
    if (volume.is_backward)
        volume.time = 0;
    return volume;
}

Volume access_volume(AccessResult const& access) {
    Volume all;
    Weighted weighted;
    for (Type const type : all_types) {
        auto const volume = type_volume(access, type);
        if (!volume)
            continue;
        all.transferred += volume->transferred;
        all.time += volume->time;
        all.is_backward |= volume->is_backward;
        for (Pattern const& pattern : patterns_of(type))
            weighted.add(pattern, of(access, pattern));
    }
    all.weighted = weighted.value();
    if (all.is_backward)
        all.time = 0;
    return all;
}

std::optional<double> access_value(PartitionResult const& partition, Access access, bool rewrite_all) {
    auto const& result = partition.at(access);
    if (access == Access::rewrite && !rewrite_all)
        return type_value(result, Type::scatter);
    Mean mean;
    for (Type const type : all_types)
        mean.add(name(type), type == Type::scatter ? 2 : 1, type_value(result, type));
    return mean.value();
}

std::optional<double> partition_value(PartitionResult const& partition, bool rewrite_all) {
    Mean mean;
    for (Access const access : all_accesses)
        mean.add(name(access), access == Access::read ? 2 : 1, access_value(partition, access, rewrite_all));
    return mean.value();
}

std::optional<double> release_2_1(PartitionResult const& partition, bool rewrite_all) {
    Mean written;
    for (Type const type : all_types)
        written.add(name(type), 1, type_value(partition.at(Access::write), type));
    written.add("rewrite", 1, type_value(partition.at(Access::rewrite), Type::scatter));
    auto const read = access_value(partition, Access::read, rewrite_all);
    auto const mean = written.value();
    return mean && read ? std::optional{std::sqrt(*mean * *read)} : std::nullopt;
}

bool Criteria::valid() const noexcept {
    auto const holds = [](std::optional<bool> const& c) { return c.value_or(false); };
    return holds(time) && holds(shared_pointer) && holds(errors) && holds(cache) && holds(unmodified);
}

Criteria criteria(PartitionResult const& partition, Setting const& setting) {
    bool const complete = partition_value(partition, setting.rewrite_all).has_value();
    return {.time = setting.long_enough(),
            .shared_pointer = setting.shared_pointer,
            .errors = errors(partition) == 0 && partition.stopped.empty(),
            .cache = moved_beyond_cache(partition, setting),
            .unmodified = complete && !setting.part_modified && !setting.unique_open && !setting.read_neighbor &&
                          setting.types.size() == all_types.size() && !disk_limited(partition)};
}

Noise noise(PartitionResult const& partition, bool rewrite_all) {
    constexpr double little = 0.05;
    Noise n;
    double time = 0;
    auto without = partition;
    for (auto& access : without.accesses)
        for (PatternResult& pattern : of_value(access)) {
            double const agreement = pattern.barrier + pattern.broadcast;
            time += pattern.time;
            n.agreement += agreement;
            n.patterns += pattern.bandwidth() ? 1 : 0;
            if (!pattern.agreement_bound())
                continue;
            ++n.bound;
            pattern.time -= agreement;
        }
    n.agreement = time > 0 ? n.agreement / time : 0;
    n.undisturbed = partition_value(without, rewrite_all);
    auto const value = partition_value(partition, rewrite_all);
    if (!value)
        n.reason = "there is no value";
    else if (*n.undisturbed > (1 + little) * *value)
        n.reason =
            fmt::format("barriers and broadcasts reduce the value by {:.1f} %", 100 * (1 - *value / *n.undisturbed));
    return n;
}

std::string never_valid(Setting const& s) {
    std::vector<std::string> reasons;
    auto const add = [&](bool holds, std::string text) {
        if (holds)
            reasons.push_back(std::move(text));
    };
    add(!s.long_enough(), fmt::format("-T: {} s for a partition is less than 900 s", s.partition_time()));
    add(!s.shared_pointer, "-noshared");
    add(s.types.size() < all_types.size(), "--types");
    add(s.part_modified, "--quick");
    add(s.unique_open, "-unique");
    add(s.read_neighbor, "--read-neighbor");
    return fmt::format("{}", fmt::join(reasons, ", "));
}

bool disk_limited(PartitionResult const& partition) noexcept {
    auto const& written = partition.at(Access::write).patterns;
    return std::any_of(written.begin(), written.end(), [](PatternResult const& p) { return p.disk_limited; });
}

std::int64_t errors(PartitionResult const& partition) noexcept {
    std::int64_t sum = 0;
    for (auto const& access : partition.accesses)
        for (auto const& pattern : of_value(access))
            sum += pattern.errors;
    return sum;
}

std::vector<std::string> marks(PartitionResult const& partition, Setting const& setting) {
    std::vector<std::string> list;
    if (!setting.long_enough())
        list.emplace_back("QUICK");
    if (disk_limited(partition))
        list.emplace_back("DISK-LIMITED");
    if (errors(partition) > 0)
        list.emplace_back("ERRORS");
    if (setting.unique_open)
        list.emplace_back("UNIQUE-OPEN");
    if (setting.read_neighbor)
        list.emplace_back("READ-NEIGHBOR");
    if (setting.direct)
        list.emplace_back("DIRECT");
    return list;
}

std::optional<std::size_t> best(std::span<PartitionResult const> partitions, Setting const& setting) {
    std::optional<std::size_t> found;
    std::pair<bool, double> most;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        auto const value = partition_value(partitions[i], setting.rewrite_all);
        if (!value)
            continue;
        std::pair const mine{criteria(partitions[i], setting).valid(), *value};
        if (!found || most < mine) {
            found = i;
            most = mine;
        }
    }
    return found;
}

double coffee_cup_target(Setting const& setting) noexcept {
    constexpr double ten_minutes = 600;
    return static_cast<double>(setting.memory_total) * static_cast<double>(megabyte) / ten_minutes;
}

}  // namespace b_eff_io
