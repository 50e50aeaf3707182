// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "doctor/probe.hpp"
#include "doctor/report.hpp"
#include "shared/destination.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <iostream>

namespace measure::tool {

namespace {

enum class DoctorFormat { text, markdown };

struct DoctorOptions {
    measure::seconds duration{2};
    DoctorFormat format = DoctorFormat::text;
    std::string json{};
    bool all = false;
};

measure::seconds watching_time(program::Argument const& argument) {
    auto const duration = program::as::Duration{.above_zero = true}(argument);
    // A shorter time gives too few interruptions and quanta of work to rule out disturbances.
    if (duration < measure::seconds{0.1})
        throw measure::UsageError(fmt::format("{}: '{}' is shorter than 100 ms", argument.option, argument.value));
    // A minute shows every disturbance frequent enough to matter. There is a limit because every rank stores its
    // observations.
    if (duration > measure::seconds{60})
        throw measure::UsageError(fmt::format("{}: '{}' is longer than 1 min; use mpiperf --noise for longer times",
                                              argument.option, argument.value));
    return duration;
}

void run_doctor(DoctorOptions const& options, program::Session& session) {
    auto const& world = session.world();
    doctor::ProbeRules rules{.duration = options.duration};
    if (auto const trees = session.test_hook("MEASURE_TEST_DOCTOR"))
        rules.trees = program::split(*trees, ':');
    Destination json{"--json", options.json, session};  // opened before the checks begin
    session.next("the machine");
    auto const seen = doctor::examine(session, rules);
    if (!world.is_root())
        return;
    auto const findings = doctor::diagnose(seen);
    if (!options.json.empty())
        json.write(measure::json_text(doctor::json_of(seen, findings, options.duration)) + "\n", std::cout);
    (options.json == "-" ? std::cerr : session.text())
        << (options.format == DoctorFormat::text ? doctor::text_of(seen, findings, options.all)
                                                 : doctor::markdown_of(seen, findings, options.all));
    if (doctor::worst(findings) == doctor::Level::warning)
        session.check_failed();
}

void declare_doctor(program::Parser& parser, DoctorOptions& options) {
    parser.option("--duration", "DURATION", "watch for interruptions of the ranks for this long", options.duration,
                  watching_time);
    parser.option(
        "--format", "NAME", "choose the format: text or markdown (md)", options.format,
        program::as::Choice<DoctorFormat>{
            {{"text", DoctorFormat::text}, {"markdown", DoctorFormat::markdown}, {"md", DoctorFormat::markdown}}});
    parser.flag("--all", "list the passed checks, not only their number", options.all);
    parser.option("--json", "FILE",
                  "also write the findings as JSON; with -, JSON goes to stdout and the text to stderr", options.json,
                  program::as::Text{});
}

}  // namespace

program::Suite doctor_command() {
    return {
        .name = "measure",
        .program = "measure doctor",
        .summary =
            "Finds what will disturb a measurement on this machine now, and suggests remedies. Run it alone or with "
            "the ranks that will measure (mpiexec -n 4 measure doctor). Exits with code 3 if there are warnings.",
        .common = {.measures = false, .record = false},
        .prepare = program::prepared<DoctorOptions>(declare_doctor, run_doctor)};
}

}  // namespace measure::tool
