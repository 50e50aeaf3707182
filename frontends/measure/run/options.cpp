// SPDX-License-Identifier: BSD-3-Clause
#include "run/options.hpp"

#include "run/sweep.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace measure::tool::runs {

namespace {

using measure::UsageError;
using program::Argument;

program::as::Choice<Topic> const& topics() {
    static program::as::Choice<Topic> const names{{{"latency", Topic::latency},
                                                   {"bandwidth", Topic::bandwidth},
                                                   {"rate", Topic::rate},
                                                   {"collectives", Topic::collectives},
                                                   {"overlap", Topic::overlap},
                                                   {"onesided", Topic::onesided},
                                                   {"memory", Topic::memory},
                                                   {"io", Topic::io}}};
    return names;
}

std::string test_from(Argument const& argument) {
    bool const is_name = !argument.value.empty() &&
                         std::all_of(argument.value.begin(), argument.value.end(),
                                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '+'; });
    if (!is_name)
        throw UsageError(
            fmt::format("{}: '{}' is not a test; run mpiperf -q for the list", argument.option, argument.value));
    return argument.value;
}

/// The name of a run. It is also the name of its folder.
std::string name_from(Argument const& argument) {
    auto const& text = argument.value;
    bool const is_good = !text.empty() && text.size() <= 100 && text.front() != '.' && text.front() != '-' &&
                         text != "last" && text != "none" && std::all_of(text.begin(), text.end(), [](unsigned char c) {
                             return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
                         });
    if (!is_good)
        throw UsageError(
            fmt::format("{}: '{}' is not a valid name; use letters, digits, '.', '_' and '-'", argument.option, text));
    return text;
}

std::string reference_from(Argument const& argument) {
    return argument.value == "last" || argument.value == "none" ? argument.value : name_from(argument);
}

measure::seconds budget_from(Argument const& argument) {
    auto const budget = program::as::Duration{}(argument);
    constexpr measure::seconds least{20};
    if (budget < least)
        throw UsageError(fmt::format("{}: '{}' is too short; the minimum is 20 s", argument.option, argument.value));
    return budget;
}

/// Options that are fixed when a run begins. All except --budget.
constexpr std::array options_of_a_run{
    "--name",         "--plan",      "--precision",       "--calls",           "--what",
    "--sizes",        "--against",   "--against-mpiexec", "--against-program", "--ranks",
    "--program",      "--io-folder", "--compare",         "--fail-on",         "--expect",
    "--write-expect", "--force",     "--junit",           "--strict"};

void check_together(RunOptions const& options, program::Parser const& parser) {
    auto const refuse = [&](char const* a, char const* b) {
        if (parser.given(a) && parser.given(b))
            throw UsageError(fmt::format("{} and {} cannot be combined", a, b));
    };
    refuse("--what", "--calls");
    // A resumed run keeps its options. Only --budget may be changed.
    for (char const* const option : options_of_a_run)
        refuse("--resume", option);
    for (char const* const alone : {"--list", "--delete"}) {
        for (char const* const option : options_of_a_run)
            refuse(alone, option);
        for (char const* const option : {"--resume", "--budget"})
            refuse(alone, option);
        if (parser.given(alone) && !options.launcher.empty())
            throw UsageError(fmt::format("{} starts no program and takes no launcher", alone));
    }
    refuse("--list", "--delete");
    refuse("--plan", "--write-expect");
    refuse("--plan", "--junit");
    if (parser.given("--junit") && options.fail_on.empty() && options.expect.empty())
        throw UsageError("--junit needs --fail-on or --expect");
    if (parser.given("--force") && options.write_expect.empty())
        throw UsageError("--force needs --write-expect");
    if (options.resume && !options.launcher.empty())
        throw UsageError("--resume takes no launcher; the run continues with its original command");
    if (options.compare == "none" && !options.fail_on.empty() && !options.has_sides())
        throw UsageError("--fail-on needs a comparison and cannot be combined with --compare none");
    // After the first word of the launcher --plan would be passed to the launcher, which would start the program.
    if (std::find(options.launcher.begin(), options.launcher.end(), "--plan") != options.launcher.end())
        throw UsageError("--plan must precede the launcher");
    if (!options.launcher.empty() && options.ranks)
        throw UsageError(
            "--ranks and a launcher cannot be combined; pass the number to the launcher, as in -- mpiexec -n 4");
}

}  // namespace

std::string name(Topic topic) { return topics().text(topic); }

std::vector<std::string> words_of(std::string const& option, std::string const& text) {
    std::vector<std::string> words;
    std::optional<std::string> word;
    char quote = 0;
    for (char const c : text) {
        if (quote != 0 ? c == quote : c == '\'' || c == '"') {
            quote = quote != 0 ? '\0' : c;
            word = word.value_or("");
        } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
            if (word)
                words.push_back(std::move(*word));
            word.reset();
        } else {
            word = word.value_or("") + c;
        }
    }
    if (quote != 0)
        throw UsageError(fmt::format("{}: '{}' has an unmatched quotation mark", option, text));
    if (word)
        words.push_back(std::move(*word));
    return words;
}

void declare(program::Parser& parser, RunOptions& options) {
    using namespace program::as;
    parser.option("--budget", "DURATION", "limit the time of the whole command, at least 20 s", options.budget,
                  budget_from);
    parser.option("--precision", "PCT", "stop measuring a point once its value is known to +- PCT per cent",
                  options.precision, Percentage{.high = 50, .above_low = true});
    parser.heading("Measurement");
    parser.option("--what", "LIST",
                  "measure these topics: latency, bandwidth, rate, collectives, overlap, onesided, memory, io",
                  options.what, list_of(topics()));
    parser.option("--calls", "LIST", "measure these mpiperf tests instead of topics, such as Bcast,Allreduce",
                  options.calls, list_of(test_from));
    parser.option("--sizes", "LIST", "measure these message sizes, in bytes or with k, M or G", options.sizes,
                  list_of(Size{.low = 1, .high = measure::Bytes{1} << 40}));
    parser.option("--io-folder", "FOLDER",
                  "put the file of the topic io into this folder (default the folder of the runs)", options.io_folder,
                  Text{});
    parser.heading("Launching");
    parser.option("-n,--ranks", "N",
                  "start N ranks if no LAUNCHER is given (default one for each core of this host, at least two)",
                  options.ranks, [](Argument const& a) { return std::optional{Int{.low = 2}(a)}; });
    parser.option("--program", "FILE", "start this mpiperf (default the one next to measure)", options.program, Text{});
    parser.flag("--plan", "print the commands without running them", options.plan);
    parser.heading("Comparison");
    parser.option(
        "--compare", "NAME",
        "compare with an earlier run: its name, none, or last (the latest with the same settings and most points in "
        "common)",
        options.compare, reference_from);
    parser.option("--against", "WORDS",
                  "also launch a side B, with these words before the launcher, such as 'env UCX_TLS=tcp'",
                  options.against, Text{});
    parser.option("--against-mpiexec", "FILE", "use this launcher for side B, with or without --against",
                  options.against_mpiexec, Text{});
    parser.option("--against-program", "FILE", "use this mpiperf for side B, with or without --against",
                  options.against_program, Text{});
    parser.list("--fail-on", "VERDICT[:P]", fail_on_help, options.fail_on, fail_on_from);
    parser.option("--expect", "FILE", "exit with 3 if a value is outside the limits in FILE", options.expect, Text{});
    parser.option("--write-expect", "FILE", "write limits for --expect from this run, unless its trust is poor",
                  options.write_expect, Text{});
    parser.flag("--force", "write the limits even if the trust is poor", options.force);
    parser.option("--junit", "FILE", "write the results of --fail-on and --expect as a JUnit report", options.junit,
                  Text{});
    parser.flag("--strict", "exit with 4 if the trust is poor", options.strict);
    parser.heading("Storage");
    parser.option("--name", "NAME", "name the run (default the time, as in 20261129T232844-eff0bbfe)", options.name,
                  name_from);
    parser.option("--folder", "FOLDER", "keep runs in this folder (default $XDG_DATA_HOME/measure/runs)",
                  options.folder, Text{});
    parser.option("--resume", "NAME", "continue an interrupted run, or lengthen one that has ended: its name, or last",
                  options.resume, [](Argument const& argument) {
                      return std::optional{argument.value == "last" ? std::string{} : name_from(argument)};
                  });
    parser.flag("--list", "list the stored runs and exit", options.list);
    parser.option("--delete", "LIST", "delete the runs with these names and exit", options.remove, list_of(name_from));
    parser.command("[LAUNCHER...]",
                   "the launcher and its options, as in '-- mpiexec -n 64 -f hosts' (default the first launcher found)",
                   options.launcher);
    parser.check([&options](program::Parser const& given) {
        check_together(options, given);
        options.is_budget_given = given.given("--budget");
        options.are_sizes_given = given.given("--sizes");
    });
}

}  // namespace measure::tool::runs
