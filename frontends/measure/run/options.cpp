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
        throw UsageError(fmt::format("{}: '{}' is no test: mpiperf -q lists them", argument.option, argument.value));
    return argument.value;
}

/// A name that is a folder's as well.
std::string name_from(Argument const& argument) {
    auto const& text = argument.value;
    bool const is_good = !text.empty() && text.size() <= 100 && text.front() != '.' && text.front() != '-' &&
                         text != "last" && text != "none" && std::all_of(text.begin(), text.end(), [](unsigned char c) {
                             return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
                         });
    if (!is_good)
        throw UsageError(
            fmt::format("{}: '{}' is no name of a run: letters, digits, '.', '_' and '-'", argument.option, text));
    return text;
}

std::string reference_from(Argument const& argument) {
    return argument.value == "last" || argument.value == "none" ? argument.value : name_from(argument);
}

measure::seconds budget_from(Argument const& argument) {
    auto const budget = program::as::Duration{}(argument);
    constexpr measure::seconds least{20};
    if (budget < least)
        throw UsageError(fmt::format("{}: '{}' is shorter than 20 s", argument.option, argument.value));
    return budget;
}

/// What a run is asked for when it begins, but for its time.
constexpr std::array options_of_a_run{
    "--name",         "--plan",      "--precision",       "--calls",           "--what",
    "--sizes",        "--against",   "--against-mpiexec", "--against-program", "--ranks",
    "--program",      "--io-folder", "--compare",         "--fail-on",         "--expect",
    "--write-expect", "--force",     "--junit",           "--strict"};

void check_together(RunOptions const& options, program::Parser const& parser) {
    auto const refuse = [&](char const* a, char const* b) {
        if (parser.given(a) && parser.given(b))
            throw UsageError(fmt::format("{} and {} do not go together", a, b));
    };
    refuse("--what", "--calls");
    // What is gone on with has its own; only more time can be asked for.
    for (char const* const option : options_of_a_run)
        refuse("--resume", option);
    for (char const* const alone : {"--list", "--delete"}) {
        for (char const* const option : options_of_a_run)
            refuse(alone, option);
        for (char const* const option : {"--resume", "--budget"})
            refuse(alone, option);
        if (parser.given(alone) && !options.launcher.empty())
            throw UsageError(fmt::format("{} and a launcher do not go together: nothing is started", alone));
    }
    refuse("--list", "--delete");
    refuse("--plan", "--write-expect");
    refuse("--plan", "--junit");
    if (parser.given("--junit") && options.fail_on.empty() && options.expect.empty())
        throw UsageError("--junit needs --fail-on or --expect");
    if (parser.given("--force") && options.write_expect.empty())
        throw UsageError("--force is for --write-expect");
    if (options.resume && !options.launcher.empty())
        throw UsageError("--resume and a launcher do not go together: the run goes on as it was begun");
    if (options.compare == "none" && !options.fail_on.empty() && !options.has_sides())
        throw UsageError("--fail-on needs something to compare with: not --compare none");
    // A word too late it would be the launcher's, which would start something.
    if (std::find(options.launcher.begin(), options.launcher.end(), "--plan") != options.launcher.end())
        throw UsageError("--plan stands before the launcher's words");
    if (!options.launcher.empty() && options.ranks)
        throw UsageError(
            "--ranks and a launcher do not go together: give the launcher the number, as in -- mpiexec -n 4");
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
        throw UsageError(fmt::format("{}: '{}' has a quotation mark without a partner", option, text));
    if (word)
        words.push_back(std::move(*word));
    return words;
}

void declare(program::Parser& parser, RunOptions& options) {
    using namespace program::as;
    parser.option("--budget", "DURATION", "time of the whole command, at least 20 s", options.budget, budget_from);
    parser.option("--precision", "PCT", "points that are known to +- PCT per cent are not measured again",
                  options.precision, Percentage{.high = 50, .above_low = true});
    parser.heading("What is measured");
    parser.option("--what", "LIST", "latency, bandwidth, rate, collectives, overlap, onesided, memory, io",
                  options.what, list_of(topics()));
    parser.option("--calls", "LIST", "instead: tests of mpiperf, Bcast,Allreduce", options.calls, list_of(test_from));
    parser.option("--sizes", "LIST", "message sizes", options.sizes,
                  list_of(Size{.low = 1, .high = measure::Bytes{1} << 40}));
    parser.option("--io-folder", "FOLDER", "where io has its file (default where runs are kept)", options.io_folder,
                  Text{});
    parser.heading("How it is started");
    parser.option("-n,--ranks", "N", "ranks, where the launcher is found (default the cores of this host)",
                  options.ranks, [](Argument const& a) { return std::optional{Int{.low = 2}(a)}; });
    parser.option("--program", "FILE", "mpiperf (default the one beside this tool)", options.program, Text{});
    parser.flag("--plan", "print what would be started, and start nothing", options.plan);
    parser.heading("What it is compared with");
    parser.option(
        "--compare", "NAME",
        "an earlier run: its name, none, or last (default), the latest with the same settings and most of the "
        "points",
        options.compare, reference_from);
    parser.option("--against", "WORDS",
                  "measure a second side in turn with the first: words before the launcher, 'env UCX_TLS=tcp'",
                  options.against, Text{});
    parser.option("--against-mpiexec", "FILE", "likewise, with another launcher", options.against_mpiexec, Text{});
    parser.option("--against-program", "FILE", "likewise, with another mpiperf", options.against_program, Text{});
    parser.list("--fail-on", "VERDICT[:P]", fail_on_help, options.fail_on, fail_on_from);
    parser.option("--expect", "FILE", "exit with 3 where a value is outside the limits in FILE", options.expect,
                  Text{});
    parser.option("--write-expect", "FILE", "write such limits from this run, unless its trust is poor",
                  options.write_expect, Text{});
    parser.flag("--force", "write them whatever the trust", options.force);
    parser.option("--junit", "FILE", "write the results of --fail-on and --expect as a JUnit report", options.junit,
                  Text{});
    parser.flag("--strict", "exit with 4 where the numbers are to be trusted little", options.strict);
    parser.heading("Where it is kept");
    parser.option("--name", "NAME", "name of the run (default the time)", options.name, name_from);
    parser.option("--folder", "FOLDER", "where runs are kept (default $XDG_DATA_HOME/measure/runs)", options.folder,
                  Text{});
    parser.option("--resume", "NAME", "go on with a run that was broken off: its name, or last", options.resume,
                  [](Argument const& argument) {
                      return std::optional{argument.value == "last" ? std::string{} : name_from(argument)};
                  });
    parser.flag("--list", "list the runs that are kept, and start nothing", options.list);
    parser.option("--delete", "LIST", "delete runs by name, and start nothing", options.remove, list_of(name_from));
    parser.command("LAUNCHER...", "words before the program: mpiexec -n 64 -f hosts", options.launcher);
    parser.check([&options](program::Parser const& given) {
        check_together(options, given);
        options.is_budget_given = given.given("--budget");
        options.are_sizes_given = given.given("--sizes");
    });
}

}  // namespace measure::tool::runs
