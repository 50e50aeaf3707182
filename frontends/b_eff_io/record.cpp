// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/record.hpp"

#include <fmt/format.h>

#include <utility>

namespace b_eff_io {

using measure::Summary;
using measure::Value;

namespace {

measure::Point place(int processes, Access access, Pattern const& pattern, PatternResult const& r) {
    return {{"ranks", std::int64_t{processes}},
            {"access", std::string{name(access)}},
            {"type", std::string{name(pattern.type)}},
            {"pattern", std::int64_t{pattern.number}},
            {"chunk", r.chunk},
            {"bytes", r.length}};
}

Value details(PatternResult const& r) {
    return Value::Object{{"transferred", r.transferred},
                         {"time", r.time},
                         {"scheduled", r.scheduled},
                         {"io", r.io},
                         {"barrier", r.barrier},
                         {"broadcast", r.broadcast},
                         {"sync", r.sync},
                         {"decisions", r.decisions},
                         {"errors", r.errors}};
}

Value described(Noise const& n) {
    return Value::Object{{"agreement", n.agreement},
                         {"bound", n.bound},
                         {"patterns", n.patterns},
                         {"undisturbed", n.undisturbed},
                         {"verdict", n.reason.empty() ? "trust" : "repeat"},
                         {"reason", n.reason}};
}

Summary rate(std::string name, std::optional<double> value, Value::Object derived) {
    return {.name = std::move(name), .value = value, .unit = "B/s", .derived = std::move(derived)};
}

}  // namespace

measure::Record point(int processes, Access access, Pattern const& pattern, PatternResult const& r,
                      std::string const& trouble) {
    double const call = r.repetitions > 0 ? r.time / static_cast<double>(r.repetitions) : 0;
    auto record = measure::make_record(
        "b_eff_io", place(processes, access, pattern, r),
        measure::LoopTimes{.iterations = r.repetitions, .time = call, .is_backward = r.is_backward});
    record.has_samples = r.repetitions > 0;
    record.quantity = measure::Quantity::bandwidth;
    record.value = r.bandwidth();
    record.derived = details(r);
    record.elapsed = measure::seconds{r.time};
    measure::note_settling(record, r.settling, r.repetitions);
    for (auto const& [on, flag] : {std::pair{r.time_limited, "time_limited"},
                                   {r.disk_limited, "disk_limited"},
                                   {r.agreement_bound(), "agreement"},
                                   {r.errors > 0, "data_error"},
                                   {r.io_error, "io_error"}})
        if (on)
            record.flag(flag);
    if (r.io_error || r.errors > 0) {
        record.status = measure::PointStatus::crashed;
        record.message = r.io_error ? trouble : fmt::format("{} elements differ from the written data", r.errors);
        record.invalid.failed = 1;
        record.valid = record.kept = 0;
        record.samples.front().invalid = measure::InvalidReason::failed;
    }
    return record;
}

measure::Record skipped_point(int processes, Access access, Pattern const& pattern, PatternResult const& r,
                              std::string const& reason) {
    auto record =
        measure::make_record("b_eff_io", place(processes, access, pattern, r), measure::PointStatus::skipped, reason);
    record.quantity = measure::Quantity::bandwidth;
    record.iterations_per_sample = 0;
    record.derived = details(r);
    return record;
}

Summary type_summary(PartitionResult const& partition, Access access, Type type) {
    auto const volume = type_volume(partition.at(access), type).value_or(Volume{});
    auto const times = partition.at(access).types[index(type)].value_or(TypeTimes{});
    Value::Object derived{{"ranks", partition.processes}, {"access", name(access)},
                          {"type", name(type)},           {"transferred", volume.transferred},
                          {"time", volume.time},          {"open", times.open},
                          {"close", times.close},         {"weighted", volume.weighted}};
    if (is_segmented(type))
        derived.emplace_back("segment", partition.segment[index(type)]);
    if (times.shift > 0) {
        derived.emplace_back("read_shift", times.shift);
        derived.emplace_back("read_from_other_node", partition.neighbor.elsewhere);
    }
    return rate(type == Type::random ? "random_bandwidth" : "type_bandwidth", volume.known_rate(), std::move(derived));
}

std::optional<Summary> access_summary(PartitionResult const& partition, Access access, Setting const& setting) {
    auto const value = access_value(partition, access, setting.rewrite_all);
    if (!value)
        return std::nullopt;
    auto const volume = access_volume(partition.at(access));
    return rate("access_bandwidth", value,
                {{"ranks", partition.processes},
                 {"access", name(access)},
                 {"transferred", volume.transferred},
                 {"time", volume.time},
                 {"plain", volume.known_rate()},
                 {"weighted", volume.weighted}});
}

std::optional<Summary> partition_summary(PartitionResult const& partition, Setting const& setting) {
    auto const value = partition_value(partition, setting.rewrite_all);
    if (!value)
        return std::nullopt;
    auto const c = criteria(partition, setting);
    return rate("partition_bandwidth", value,
                {{"ranks", partition.processes},
                 {"release_2_1", release_2_1(partition, setting.rewrite_all)},
                 {"valid", c.valid()},
                 {"criteria", Value::Object{{"time", c.time},
                                            {"shared_pointer", c.shared_pointer},
                                            {"errors", c.errors},
                                            {"cache", c.cache},
                                            {"unmodified", c.unmodified}}},
                 {"noise", described(noise(partition, setting.rewrite_all))},
                 {"coffee_cup", *value / coffee_cup_target(setting)}});
}

Summary system_summary(PartitionResult const& best, Setting const& setting) {
    Value::Array list;
    for (auto const& mark : marks(best, setting))
        list.emplace_back(mark);
    return rate("b_eff_io", partition_value(best, setting.rewrite_all),
                {{"ranks", best.processes},
                 {"noise", described(noise(best, setting.rewrite_all))},
                 {"release_2_1", release_2_1(best, setting.rewrite_all)},
                 {"valid", criteria(best, setting).valid()},
                 {"marks", std::move(list)}});
}

}  // namespace b_eff_io
