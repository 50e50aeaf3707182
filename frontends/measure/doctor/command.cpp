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
    // Less would see too few interruptions, and too few quanta of work, to say that there are none.
    if (duration < measure::seconds{0.1})
        throw measure::UsageError(fmt::format("{}: '{}' is shorter than 100 ms", argument.option, argument.value));
    // A minute shows everything that comes often enough to matter; a limit, because every rank keeps what it sees.
    if (duration > measure::seconds{60})
        throw measure::UsageError(
            fmt::format("{}: '{}' is longer than 1 min; mpiperf --noise watches for as long as one likes",
                        argument.option, argument.value));
    return duration;
}

void run_doctor(DoctorOptions const& options, program::Session& session) {
    auto const& world = session.world();
    doctor::ProbeRules rules{.duration = options.duration};
    if (auto const trees = session.test_hook("MEASURE_TEST_DOCTOR"))
        rules.trees = program::split(*trees, ':');
    Destination json{"--json", options.json, session};  // opened before anything is looked at
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
    parser.option("--duration", "DURATION", "watch for so long what interrupts the ranks", options.duration,
                  watching_time);
    parser.option(
        "--format", "NAME", "text, markdown (md)", options.format,
        program::as::Choice<DoctorFormat>{
            {{"text", DoctorFormat::text}, {"markdown", DoctorFormat::markdown}, {"md", DoctorFormat::markdown}}});
    parser.flag("--all", "show each check that is fine, not only their number", options.all);
    parser.option("--json", "FILE", "write it as JSON too; - is stdout, the text then goes to stderr", options.json,
                  program::as::Text{});
}

}  // namespace

program::Suite doctor_command() {
    return {.name = "measure",
            .program = "measure doctor",
            .summary =
                "Says what will disturb a measurement here and now, and what helps: alone, or with the ranks that "
                "are to measure (mpiexec -n 4 measure doctor). Exit code 3: there are warnings.",
            .common = {.measures = false, .record = false},
            .prepare = program::prepared<DoctorOptions>(declare_doctor, run_doctor)};
}

}  // namespace measure::tool
