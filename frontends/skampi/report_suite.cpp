// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/option_table.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/stderr_line.hpp"
#include "skampi/main.hpp"
#include "skampi/report/report_files.hpp"
#include "skampi/suite.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace skampi::report {

namespace {

constexpr char const* default_parameters = ".skampi-report";

struct Options {
    std::string config{};
    std::string folder = "skampi-report";
    std::string against{};
    bool no_run = false;
    std::vector<std::string> files{};
};

program::OptionTable<Options> report_options() {
    program::OptionTable<Options> table;
    table.option("-c,--config", "FILE", "read report parameters from FILE", &Options::config, program::as::Text{})
        .unset(".skampi-report, if it exists");
    table.option("-o,--output", "DIR", "write the report to folder DIR", &Options::folder, program::as::Text{});
    table.option("--against", "FILE", "use FILE as the baseline of the report's findings", &Options::against,
                 program::as::Text{});
    table.flag("--no-run", "write no picture files (gnuplot is not started)", &Options::no_run);
    return table;
}

/// \param has_default  whether the default parameter file exists
ReportParameters parameters_of(Options const& options, bool has_default, ReadFile const& read) {
    if (options.config.empty() && !has_default)
        return {};
    std::string const path = options.config.empty() ? default_parameters : options.config;
    return read_report_parameters(read(path), path);
}

std::vector<std::string> paths_of(Options const& options) {
    auto paths = options.files;
    if (!options.against.empty())
        paths.push_back(options.against);
    return paths;
}

/// \param inputs  read from the files of `paths_of`
Report report_of(Options const& options, std::vector<Input> const& inputs, ReportParameters const& parameters) {
    demand_different_runs(inputs);
    if (!options.against.empty() && inputs.size() < 2)
        throw measure::UsageError(
            fmt::format("--against: nothing to compare with '{}'; name at least one other file", options.against));
    return make_report(inputs, parameters, options.against.empty() ? nullptr : &inputs.back());
}

void check(Options const& options, program::CommonOptions const&, program::Supposed const& supposed) {
    auto const read = [&](std::string const& path) { return program::supposed_file(supposed, path); };
    auto const parameters = parameters_of(options, program::has_file(supposed, default_parameters), read);
    static_cast<void>(report_of(options, read_inputs(paths_of(options), read), parameters));
}

void write_record(program::Session& session, std::vector<Input> const& inputs) {
    for (Input const& input : inputs)
        skampi::write_record(session, input.output, inputs.size() > 1 ? input.path : "");
}

/// Checks that the files belong together only if a record is written.
measure::Environment run_of(Options const& options, std::vector<Input> const& inputs, program::Session& session) {
    if (session.common().json.empty())
        return {};
    auto run = environment_of(inputs);
    run.options["directory"] = options.folder;
    run.options["against"] = options.against.empty() ? measure::Value{} : measure::Value{options.against};
    run.options["no_run"] = options.no_run;
    run.options["inputs"] = heads(inputs);
    return run;
}

void run(Options const& options, program::Session& session) {
    std::error_code none;
    auto const parameters =
        parameters_of(options, std::filesystem::exists(default_parameters, none),
                      [&](std::string const& path) { return program::read_file(session.world(), path); });
    auto const inputs = read_inputs(session, paths_of(options));
    Report const report = report_of(options, inputs, parameters);
    for (std::string const& warning : report.warnings)
        session.warn(warning);
    ReportFiles files{session, options.folder, parameters.formats};
    auto const drawn = plots(report.document);
    files.check_record(session.common().json, drawn);
    session.begin(run_of(options, inputs, session));
    files.clear();
    write_record(session, inputs);
    files.write_plots(drawn);
    if (!options.no_run)
        files.draw(drawn);
    files.write_document(report.document);
    if (!session.common().quiet)
        session.text() << fmt::format("{}: files read {}, findings {}, plots {}\n", program::printable(options.folder),
                                      inputs.size(), report.findings, drawn.size());
}

}  // namespace

program::Suite report_suite() {
    return {.name = "skampi",
            .program = "skampi-report",
            .summary = "Makes a report with plots and tables from output files of skampi.",
            .common = {.measures = false, .aliases = {{"--quiet", "-q"}, {"--version", "-V"}}},
            .uses_mpi = false,
            .prepare = program::prepared<Options>(
                [](program::Parser& parser, Options& options) {
                    report_options().declare(parser, options);
                    parser.arguments("FILE...", "output files; two or more are compared", options.files);
                },
                run, check)};
}

int run_report(int argc, char** argv) { return program::run_main(argc, argv, report_suite()); }

}  // namespace skampi::report
