// SPDX-License-Identifier: BSD-3-Clause
#include "result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pmb {

namespace {

using measure::Outcome;
using measure::Record;

/// The readings of some processes in one.
struct Joined {
    double min = 0;
    double mean = 0;
    double max = 0;
    double pure = 0;
    double cpu = 0;
    double defect = 0;
    double relative_error = 0;
    bool succeeded = true;
    std::int64_t valid = 0;
    std::int64_t attempts = 0;
    std::int64_t repetitions = 0;
};

Joined join(std::span<Report const> reports, double scale) {
    Joined j{.min = reports.front().reading.time * scale,
             .valid = reports.front().valid,
             .attempts = reports.front().attempts,
             .repetitions = reports.front().repetitions};
    for (Report const& report : reports) {
        double const time = report.reading.time * scale;
        j.min = std::min(j.min, time);
        j.max = std::max(j.max, time);
        j.mean += time / static_cast<double>(reports.size());
        j.pure = std::max(j.pure, report.reading.pure * scale);
        j.cpu = std::max(j.cpu, report.reading.cpu);
        j.defect = std::max(j.defect, report.reading.defect.error);
        j.succeeded &= report.reading.succeeded;
        j.relative_error = std::max(j.relative_error, report.relative_error);
        // Of groups that were measured at once the worst counts.
        if (report.valid < j.valid) {
            j.valid = report.valid;
            j.attempts = report.attempts;
        }
    }
    return j;
}

Row row_of(Head const& head, std::optional<measure::Bytes> length, Joined const& j, Setup const& setup) {
    Benchmark const& b = head.benchmark;
    Row row{.length = length,
            .repetitions = setup.by_plan() && setup.start ? j.valid : j.repetitions,
            .min = j.min,
            .mean = j.mean,
            .max = j.max,
            .pure = j.pure,
            .cpu = j.cpu};
    if (b.non_blocking)
        row.overlap = overlap(measure::seconds{j.pure}, measure::seconds{j.cpu}, measure::seconds{j.max});
    else if (b.messages > 0)
        row.throughput = throughput(b.messages, length.value_or(0), measure::seconds{j.max});
    if (setup.by_plan()) {
        row.relative_error = j.relative_error;
        row.discarded = j.attempts - j.valid;
    }
    if (setup.check && b.checked)
        row.defects = j.defect;
    return row;
}

void describe(Record& record, Benchmark const& b, Row const& row, Setup const& setup) {
    if (row.throughput)
        record.derived["bandwidth"] = *row.throughput;
    if (b.non_blocking) {
        record.derived["t_pure"] = row.pure;
        record.derived["t_cpu"] = row.cpu;
        record.derived["overlap"] = row.overlap;
    }
    if (row.relative_error)
        record.derived["relative_error"] = *row.relative_error;
    if (row.defects)
        record.derived["defects"] = *row.defects;
    if (setup.optional_mode())
        record.flag("optional_mode");
    if (row.defects)
        record.flag("checked");
    if (row.defects.value_or(0) >= 1)
        record.flag("defects");
}

Record record_of(Head const& head, measure::Point at, Row const& row, Joined const& j, Setup const& setup,
                 measure::Measurement const* m) {
    if (!j.succeeded)
        return measure::make_record(title(head), std::move(at), Outcome::crashed, "a call returned an error");
    Record record =
        m != nullptr ? measure::scaled(measure::make_record(title(head), std::move(at), *m), head.benchmark.time_scale)
                     : Record{.benchmark = title(head), .at = std::move(at)};
    if (m == nullptr) {
        record.attempts = j.attempts;
        record.valid = j.valid;
        record.kept = j.valid;
        record.reason = "count";
        if (j.valid == 0)
            record.outcome = Outcome::no_valid_samples;
    }
    record.iterations_per_sample = setup.start ? 1 : j.repetitions;
    record.value = record.outcome == Outcome::no_valid_samples ? std::nullopt : std::optional{row.max};
    record.over_ranks = measure::OverRanks{row.min, row.mean, row.max};
    describe(record, head.benchmark, row, setup);
    return record;
}

}  // namespace

measure::Point at(Head const& head, std::optional<measure::Bytes> length, std::optional<int> multi,
                  std::optional<int> group) {
    measure::Point point{{"ranks", static_cast<std::int64_t>(head.groups.front().size())}};
    if (length)
        point.set("bytes", *length);
    if (head.mode != Mode::single)
        point.set("mode", std::string{head.mode == Mode::aggregate ? "aggregate" : "non_aggregate"});
    if (multi)
        point.set("groups", static_cast<std::int64_t>(head.groups.size()));
    if (group)
        point.set("group", std::int64_t{*group});
    return point;
}

std::vector<Result> join(Head const& head, Grouping const& grouping, std::optional<measure::Bytes> length,
                         std::span<Report const> reports, Setup const& setup,
                         std::optional<measure::Measurement> const& by_plan) {
    bool const per_group = setup.multi == 1;
    int const rows = per_group ? grouping.groups : 1;
    auto const each = static_cast<std::size_t>(grouping.processes * grouping.groups / rows);
    std::vector<Result> results;
    for (int g = 0; g < rows; ++g) {
        auto const j = join(reports.subspan(static_cast<std::size_t>(g) * each, each), head.benchmark.time_scale);
        std::optional<int> const group = per_group ? std::optional{g} : std::nullopt;
        Row row = row_of(head, length, j, setup);
        row.group = group;
        // A measurement describes the group that it is of, and no sum over groups.
        bool const described = by_plan && g == 0 && rows == grouping.groups;
        results.push_back({row, record_of(head, at(head, length, setup.multi, group), row, j, setup,
                                          described ? &*by_plan : nullptr)});
    }
    return results;
}

}  // namespace pmb
