// SPDX-License-Identifier: BSD-3-Clause
#include "export/export.hpp"
#include "shared/xml.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace measure::tool {

namespace {

using measure::PointStatus;
using measure::Record;

double seconds_of(double elapsed) { return std::isfinite(elapsed) && elapsed > 0 ? elapsed : 0; }

/// Number of tests in a suite, by result.
struct Tally {
    std::size_t tests = 0;
    std::size_t failures = 0;
    std::size_t errors = 0;
    std::size_t skipped = 0;

    Tally& operator+=(Tally const& more) {
        tests += more.tests;
        failures += more.failures;
        errors += more.errors;
        skipped += more.skipped;
        return *this;
    }
    [[nodiscard]] std::string attributes() const {
        return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures, errors,
                           skipped);
    }
};

/// The content of a test case; also counts its result. Wrong data are a failure. A point that could not be measured is
/// an error.
std::string result_of(Record const& record, Tally& tally) {
    auto const reason = xml_text(record.message.empty() ? measure::name(record.status) : record.message);
    bool const is_wrong = record.has_flag("defects");
    if (record.status == PointStatus::skipped) {
        ++tally.skipped;
        return fmt::format("      <skipped message=\"{}\"/>\n", reason);
    }
    if (record.status == PointStatus::crashed || is_wrong) {
        ++tally.failures;
        return fmt::format("      <failure type=\"{}\" message=\"{}\"/>\n", is_wrong ? "defects" : "crashed",
                           is_wrong ? "wrong data" : reason);
    }
    if (record.status == PointStatus::no_valid_samples) {
        ++tally.errors;
        return fmt::format("      <error type=\"no_valid_samples\" message=\"{}\"/>\n", reason);
    }
    return {};
}

std::string properties(Record const& record) {
    std::string text = "      <properties>\n";
    auto const add = [&](std::string_view name, std::string const& value) {
        text += fmt::format("        <property name=\"{}\" value=\"{}\"/>\n", name, xml_text(value));
    };
    add("quantity", std::string{measure::name(record.quantity)});
    add("unit", std::string{measure::unit(record.quantity)});
    if (record.value)
        add("value", fmt::format("{:.6g}", *record.value));
    if (auto const own = measure::estimate_to_show(record); own && own->standard_error)
        add("standard_error", fmt::format("{:.6g}", *own->standard_error));
    add("verdict", std::string{measure::name(record.status)});
    for (auto const& flag : record.flags)
        add("flag", flag);
    return text + "      </properties>\n";
}

std::string test_case(std::string const& suite, std::string const& name, double elapsed, std::string const& content) {
    return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">\n{}    </testcase>\n", suite, name,
                       seconds_of(elapsed), content);
}

/// A test case for the run: it passes if the run is complete.
std::string end_case(Launch const& launch, std::string const& suite, Tally& tally) {
    ++tally.tests;
    auto const& end = launch.record.end;
    std::string content;
    if (!end || end->status != "complete" || end->exit_code != 0) {
        ++tally.errors;
        auto const message = !end ? std::string{"no end line: the run was killed or is still running"}
                             : !end->message.empty() ? end->message
                                                     : fmt::format("{}, exit code {}", end->status, end->exit_code);
        content = fmt::format("      <error type=\"run\" message=\"{}\"/>\n", xml_text(message));
    }
    return test_case(suite, "run", 0, content);
}

std::string test_suite(Launch const& launch, Tally& all, Exported& exported) {
    auto const& run = launch.record.run;
    auto const program = xml_text(run.program);
    Tally tally;
    double elapsed = 0;
    std::string cases;
    for (auto const& record : launch.record.points) {
        ++tally.tests;
        ++exported.carried;
        elapsed += seconds_of(record.elapsed.count());
        auto const result = result_of(record, tally);
        auto const at = record.at.text();
        cases += test_case(fmt::format("{}.{}", program, xml_text(record.benchmark)),
                           xml_text(at.empty() ? record.benchmark : at), record.elapsed.count(),
                           properties(record) + result);
    }
    cases += end_case(launch, program, tally);
    all += tally;
    return fmt::format("  <testsuite name=\"{}\" {} time=\"{:.6f}\"{} hostname=\"{}\">\n{}  </testsuite>\n",
                       xml_text(launch.name), tally.attributes(), elapsed,
                       run.started.empty() ? std::string{} : fmt::format(" timestamp=\"{}\"", xml_text(run.started)),
                       xml_text(run.hosts.empty() ? std::string{} : run.hosts.front().name), cases);
}

}  // namespace

Exported export_junit(std::span<Series const> series) {
    Exported exported;
    Tally all;
    std::string suites;
    for (auto const& one : series)
        for (auto const* launch : one.launches)
            suites += test_suite(*launch, all, exported);
    exported.text = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n",
                                all.attributes(), suites);
    return exported;
}

}  // namespace measure::tool
