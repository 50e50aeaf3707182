// SPDX-License-Identifier: BSD-3-Clause
#include "shared/gate.hpp"

#include "shared/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace measure::tool {

namespace {

using Kind = GateResult::Kind;

std::string junit_case(GateResult const& result, std::string const& suite) {
    auto const begin =
        fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\" time=\"0\"", xml_text(suite),
                    xml_text(result.check.substr(result.check.find_first_not_of('-'))), xml_text(result.name));
    if (result.kind == Kind::passed)
        return begin + "/>\n";
    std::string_view const element = result.kind == Kind::failed ? "failure" : "error";
    return fmt::format("{}>\n      <{} message=\"{}\"/>\n    </testcase>\n", begin, element, xml_text(result.text));
}

}  // namespace

void report_gates(std::span<GateResult const> results, program::Session& session) {
    for (auto const& result : results) {
        if (result.kind == Kind::passed)
            continue;
        if (result.kind == Kind::failed)
            session.check_failed();
        else
            session.incomplete();
        session.warn(fmt::format("{}: {}", result.check, result.text));
    }
}

std::string junit_text(std::string const& suite, std::span<GateResult const> results) {
    std::string cases;
    for (auto const& result : results)
        cases += junit_case(result, suite);
    auto const number_of = [&](Kind kind) {
        return std::count_if(results.begin(), results.end(), [&](GateResult const& r) { return r.kind == kind; });
    };
    auto const counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\"", results.size(),
                                    number_of(Kind::failed), number_of(Kind::undecided));
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" {0} "
                       "time=\"0\">\n{2}  </testsuite>\n</testsuites>\n",
                       counts, xml_text(suite), cases);
}

}  // namespace measure::tool
