// SPDX-License-Identifier: BSD-3-Clause
#include "archive/command.hpp"

#include "analysis/runs/unknown.hpp"
#include "archive/archive.hpp"
#include "archive/json.hpp"
#include "converters/convert.hpp"
#include "program/runtime/files.hpp"
#include "shared/data_folder.hpp"
#include "shared/destination.hpp"
#include "shared/inputs.hpp"
#include "shared/plain_text.hpp"
#include "shared/sources.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::UsageError;
using program::Parser;
using program::Session;

/// Tags must not contain commas, which separate tags in output and in conditions.
std::string tag_from(program::Argument const& argument) {
    std::string tag{program::trimmed(argument.value)};
    if (tag.empty() || tag.find(',') != std::string::npos)
        throw UsageError(
            fmt::format("{}: '{}' is not a tag; use a text without commas", argument.option, argument.value));
    return tag;
}

template <class Text>
auto given_text(std::optional<Text>&) {
    return [](program::Argument const& argument) { return std::optional<Text>{argument.value}; };
}

void declare_marks(Parser& parser, Marks& marks) {
    parser.list("--tag", "WORD", "add a tag to the runs; can be repeated", marks.tags, tag_from);
    parser.option("--label", "TEXT", "give the runs a human-readable name", marks.label, given_text(marks.label));
    parser.option("--note", "TEXT", "attach a free-text note to the runs", marks.note, given_text(marks.note));
}

void check_machine(Marks const& marks) {
    if (marks.machine && program::trimmed(*marks.machine).empty())
        throw UsageError("--machine: the name must not be empty");
}

void check_ids(std::vector<std::string> const& ids) {
    if (ids.empty())
        throw UsageError("no run; give at least one ID (see 'measure archive list')");
}

// ---- add

struct AddOptions {
    std::string archive{};
    Marks marks{};
    convert::Given given{};
    bool skip_broken = false;
    std::string json{};
    std::vector<std::string> files{};
};

/// The runs of all files. Faults of files that are not records are reported together, or become warnings.
std::vector<ArchivedRun> read_all(AddOptions const& options, Session& session) {
    std::vector<ArchivedRun> runs;
    std::vector<program::ParseError> faults;
    for (auto const& file : options.files) {
        static_cast<void>(session.meet());
        program::gather(faults, [&] {
            auto text = text_of_source(file);
            auto converted = convert::converted(text, file, options.given);
            if (!converted && convert::says_of_text(options.given))
                convert::refuse(
                    {.text = text, .path = file}, 1,
                    "--ranks, --library and --date apply only to output of other programs; this is a record");
            for (auto& run : archived_runs(converted ? *converted : text, file)) {
                warn_of_others(run.record, file, session);
                runs.push_back(std::move(run));
            }
        });
    }
    if (!options.skip_broken)
        program::throw_any(faults);
    for (auto const& fault : faults) {
        session.warn(fmt::format("skipped: {}:{}: {}", fault.file, fault.line, fault.text));
        session.incomplete();
    }
    return runs;
}

std::string line_of(Addition const& addition, ArchivedRun const& run) {
    auto const other = addition.what == Addition::What::replaced ? fmt::format("  (was {})", addition.other) : "";
    return fmt::format("{:<9} {}  {} of {}, {} points  {}{}\n", name(addition.what), addition.id,
                       printable(program_of(run.record.run)), printable(or_unknown(run.record.run.started)),
                       run.record.points.size(), printable(run.name), other);
}

/// The default archive may be the first file in the user's data folder.
void make_data_folder(std::string const& path) {
    std::error_code error;  // SQLite reports a missing folder
    if (auto const folder = data_folder(); !folder.empty() && path == (folder / archive_name).string())
        std::filesystem::create_directories(folder, error);
}

void check_add(AddOptions const& options) {
    if (options.files.empty())
        throw UsageError("no input; name record files, or - for standard input");
}

void add(AddOptions const& options, Session& session) {
    program::note_input(options.archive);
    Destination json{"--json", options.json, session};
    auto const runs = read_all(options, session);
    std::string lines;
    std::vector<AddedRun> added;
    if (!runs.empty()) {
        make_data_folder(options.archive);
        auto archive = Archive::creating(options.archive);
        auto transaction = archive.transaction();
        auto marks = options.marks;
        marks.machine = options.given.machine;
        for (auto const& run : runs) {
            static_cast<void>(session.meet());
            auto const addition = archive.add(run, marks);
            if (addition.what == Addition::What::differs)
                session.warn(fmt::format("'{}' has the same run line as {} but different points; both are kept",
                                         run.name, addition.other));
            lines += line_of(addition, run);
            added.push_back({addition, run.name});
        }
        transaction.commit();
    }
    if (!options.json.empty())
        json.write(measure::json_text(added_json(added)) + "\n", std::cout);
    if (options.json != "-")
        session.text() << lines;
}

// ---- commands for given runs

struct NamedRuns {
    std::string archive{};
    std::vector<std::string> ids{};
    Marks marks{};
    std::string output = "-";
};

void check_named(NamedRuns const& options) { check_ids(options.ids); }

void export_runs(NamedRuns const& options, Session& session) {
    program::note_input(options.archive);
    Destination output{"-o", options.output, session};
    auto const archive = Archive::reading(options.archive);
    std::string text;
    for (auto const& id : options.ids) {
        auto const run = archive.find(id);
        auto const content = archive.content(run);
        if (&id != &options.ids.back() && !content.ends_with('\n'))
            throw UsageError(
                fmt::format("the record of {} ends in the middle of a line; export it alone or last", run.id()));
        text += content;
    }
    output.write(text, std::cout);
}

void check_mark(NamedRuns const& options) {
    check_named(options);
    auto const& marks = options.marks;
    if (!marks.label && !marks.note && !marks.machine && marks.tags.empty() && marks.untags.empty())
        throw UsageError("nothing to change; give --tag, --untag, --label, --note or --machine");
    check_machine(marks);
}

void mark(NamedRuns const& options, Session& session) {
    auto archive = Archive::changing(options.archive);
    auto transaction = archive.transaction();
    for (auto const& id : options.ids) {
        static_cast<void>(session.meet());
        archive.mark(archive.find(id).row, options.marks);
    }
    transaction.commit();
}

void remove(NamedRuns const& options, Session& session) {
    auto archive = Archive::changing(options.archive);
    std::string lines;
    auto transaction = archive.transaction();
    for (auto const& id : options.ids) {
        static_cast<void>(session.meet());
        auto const run = archive.find(id);
        archive.remove(run.row);
        lines += fmt::format("removed   {}  {} of {}, {} points\n", run.id(), printable(run.program),
                             printable(or_unknown(run.started)), run.points);
    }
    transaction.commit();
    session.text() << lines;
}

void check(std::string const& path, Session& session) {
    auto const archive = Archive::changing(path);
    auto const found = archive.damages();
    for (auto const& damage : found)
        session.text() << fmt::format("'{}': {}\n", printable(path), printable(damage));
    if (found.empty())
        session.text() << fmt::format("'{}': {} runs, none damaged\n", printable(path), archive.runs().size());
    else
        session.check_failed();
}

/// A command with an archive and other options.
template <class Options, class Declare, class Run>
program::Suite archive_suite(std::string const& name, std::string summary, Declare declare, Run run,
                             void (*refuses)(Options const&)) {
    return local_suite("measure archive " + name, std::move(summary),
                       program::prepared<Options>(
                           [declare](Parser& parser, Options& options) {
                               declare_archive(parser, options.archive);
                               declare(parser, options);
                           },
                           run, checked_by<Options>(refuses)));
}

constexpr char const* ids_help = "IDs of runs, at least four digits each (see 'measure archive list')";

program::Suite add_command() {
    return archive_suite<AddOptions>(
        "add",
        "Adds the runs of record files to an archive, without changing a byte. Output files of other programs are "
        "first converted, as by measure convert. A run that the archive already has is not added again; a shorter "
        "version of it is replaced. Either all files are added, or none.",
        [](Parser& parser, AddOptions& options) {
            declare_marks(parser, options.marks);
            parser.flag("--skip-broken", "skip files that are not records, with a warning and exit code 4",
                        options.skip_broken);
            parser.option("--json", "FILE", "write a list of the added runs as JSON; - is stdout", options.json,
                          program::as::Text{});
            parser.arguments("FILE...",
                             fmt::format("record files (--json) or output files of other programs ({}), each with one "
                                         "or more runs; - is standard input",
                                         convert::sources),
                             options.files);
            convert::declare(parser, options.given);
        },
        add, check_add);
}

program::Suite export_command() {
    return archive_suite<NamedRuns>(
        "export", "Writes the records of runs, byte for byte as they were added.",
        [](Parser& parser, NamedRuns& options) {
            parser.option("-o,--output", "FILE", "write to this file; - is stdout", options.output,
                          program::as::Text{});
            parser.arguments("ID...", ids_help, options.ids);
        },
        export_runs, check_named);
}

program::Suite mark_command() {
    return archive_suite<NamedRuns>(
        "mark",
        "Changes the tags, labels, notes and machine names of runs. The records do not change. An empty TEXT deletes "
        "the label or note.",
        [](Parser& parser, NamedRuns& options) {
            declare_marks(parser, options.marks);
            parser.option("--machine", "NAME", "set the name of the machine; replaces its hosts' names and processors",
                          options.marks.machine, given_text(options.marks.machine));
            parser.list("--untag", "WORD", "remove a tag from the runs; can be repeated", options.marks.untags,
                        tag_from);
            parser.arguments("ID...", ids_help, options.ids);
        },
        mark, check_mark);
}

program::Suite remove_command() {
    return archive_suite<NamedRuns>(
        "remove", "Removes runs and their records from an archive.",
        [](Parser& parser, NamedRuns& options) { parser.arguments("ID...", ids_help, options.ids); }, remove,
        check_named);
}

program::Suite check_command() {
    struct Options {
        std::string archive{};
    };
    return archive_suite<Options>(
        "check",
        "Reads a whole archive and compares every record with its hash. Exits with code 3 if a record is damaged.",
        [](Parser&, Options&) {}, [](Options const& options, Session& session) { check(options.archive, session); },
        [](Options const&) {});
}

std::span<Command const> commands() noexcept {
    static constexpr std::array table{
        Command{"add", "adds runs", add_command},
        Command{"list", "lists runs", list_command},
        Command{"query", "lists points of runs", query_command},
        Command{"export", "writes records, byte for byte as added", export_command},
        Command{"mark", "changes tags, labels, notes and machines", mark_command},
        Command{"remove", "removes runs", remove_command},
        Command{"check", "looks for damaged records", check_command},
        Command{"compare", "compares runs", compare_command},
        Command{"site", "writes a web site of the runs", site_command},
    };
    return table;
}

struct AsArchive {
    std::string operator()(program::Argument const& argument) const {
        if (argument.value.empty())
            throw UsageError(argument.option + ": the file name must not be empty");
        return argument.value;
    }
    /// Not the current value from the environment: manual pages are generated from the help.
    static std::string text(std::string const&) { return "$MEASURE_ARCHIVE, else the archive of measure run"; }
};

}  // namespace

void declare_archive(Parser& parser, std::string& path) {
    path = usual_archive();
    parser.option("-a,--archive", "FILE", "use this archive file", path, AsArchive{});
}

}  // namespace measure::tool::archive

namespace measure::tool {

Command archive_command() {
    Command command{"archive", "stores records in one file, searches them, writes a web site", nullptr,
                    archive::commands};
    command.option = "-a,--archive";
    return command;
}

}  // namespace measure::tool
