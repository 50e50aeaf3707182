// SPDX-License-Identifier: BSD-3-Clause
// Record files are read, written again, joined along axes and over launches, and shown.
#include "fuzz.hpp"

#include <measure/fold.hpp>
#include <measure/launches.hpp>
#include <measure/read.hpp>
#include <measure/report.hpp>

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string written(std::vector<measure::RunRecord> const& runs) {
    std::string text;
    for (auto const& run : runs) {
        text += measure::json_line(run.run) + '\n';
        for (auto const& point : run.points)
            text += measure::json_line(point) + '\n';
        for (auto const& summary : run.summaries)
            text += measure::json_line(summary) + '\n';
        if (run.end)
            text += measure::json_line(*run.end) + '\n';
    }
    return text;
}

/// Records that were read and written can be read again. Writing them again gives the same text.
void check_written(std::vector<measure::RunRecord> const& runs) {
    auto const text = written(runs);
    std::vector<measure::RunRecord> again;
    try {
        again = measure::read_records(text);
    } catch (measure::UsageError const& error) {
        std::fprintf(stderr, "%s\n%s\n", error.what(), text.c_str());
        fuzz::demand(false, "written records cannot be read");
    }
    fuzz::demand(again.size() == runs.size(), "a run was lost");
    for (std::size_t i = 0; i < runs.size(); ++i)
        fuzz::demand(again[i].points.size() == runs[i].points.size() &&
                         again[i].summaries.size() == runs[i].summaries.size() &&
                         again[i].end.has_value() == runs[i].end.has_value(),
                     "a line was lost");
    fuzz::demand(written(again) == text, "a second writing differs from the first");
}

void show(std::vector<measure::Record> const& records) {
    std::ostringstream out;
    measure::TableSink table{out};
    measure::CsvSink csv{out};
    for (auto const& record : records) {
        table.write(record);
        csv.write(record);
    }
}

void join(std::vector<measure::RunRecord> const& runs) {
    std::set<std::string> axes;
    std::vector<std::vector<measure::Record>> launches;
    for (auto const& run : runs) {
        launches.push_back(run.points);
        for (auto const& point : run.points)
            for (auto const& [name, value] : point.at.coordinates())
                axes.insert(name);
    }
    for (auto const& points : launches)
        for (auto const& axis : axes)
            for (measure::Join const& way : {measure::Join{measure::join::median}, {measure::join::log_mean}})
                fuzz::properly([&] { show(measure::fold(points, axis, way)); });
    fuzz::properly([&] { show(measure::merge_launches(launches)); });
    for (auto const& points : launches)
        show(points);
}

}  // namespace

void fuzz::parse(std::string_view text) {
    properly([&] {
        auto const runs = measure::read_records(text);
        demand(!runs.empty(), "no run");
        check_written(runs);
        join(runs);
    });
}
