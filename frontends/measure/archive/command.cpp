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

/// Commas stand between tags where several are shown or looked for.
std::string tag_from(program::Argument const& argument) {
    std::string tag{program::trimmed(argument.value)};
    if (tag.empty() || tag.find(',') != std::string::npos)
        throw UsageError(fmt::format("{}: '{}' is no tag: any text without commas", argument.option, argument.value));
    return tag;
}

template <class Text>
auto given_text(std::optional<Text>&) {
    return [](program::Argument const& argument) { return std::optional<Text>{argument.value}; };
}

void declare_marks(Parser& parser, Marks& marks) {
    parser.list("--tag", "WORD", "mark the runs with a word; may be given several times", marks.tags, tag_from);
    parser.option("--label", "TEXT", "name them for people", marks.label, given_text(marks.label));
    parser.option("--note", "TEXT", "say more of them", marks.note, given_text(marks.note));
}

void check_machine(Marks const& marks) {
    if (marks.machine && program::trimmed(*marks.machine).empty())
        throw UsageError("--machine: a machine needs a name");
}

void check_ids(std::vector<std::string> const& ids) {
    if (ids.empty())
        throw UsageError("no run: name its ID, which 'measure archive list' shows");
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

/// What all files hold; the faults of all that are no records come together, or are warnings.
std::vector<ArchivedRun> read_all(AddOptions const& options, Session& session) {
    std::vector<ArchivedRun> runs;
    std::vector<program::ParseError> faults;
    for (auto const& file : options.files) {
        static_cast<void>(session.meet());
        program::gather(faults, [&] {
            auto text = text_of_source(file);
            auto converted = convert::converted(text, file, options.given);
            if (!converted && convert::says_of_text(options.given))
                convert::refuse({.text = text, .path = file}, 1,
                                "--ranks, --library and --date are for texts of other programs: records say it");
            for (auto& run : archived_runs(converted ? *converted : text, file)) {
                warn_of_others(run.record, file, session);
                runs.push_back(std::move(run));
            }
        });
    }
    if (!options.skip_broken)
        program::throw_any(faults);
    for (auto const& fault : faults) {
        session.warn(fmt::format("left out: {}:{}: {}", fault.file, fault.line, fault.text));
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

/// The usual archive may be the first file of this user's data.
void make_data_folder(std::string const& path) {
    std::error_code error;  // SQLite says that the folder is not there
    if (auto const folder = data_folder(); !folder.empty() && path == (folder / archive_name).string())
        std::filesystem::create_directories(folder, error);
}

void check_add(AddOptions const& options) {
    if (options.files.empty())
        throw UsageError("no input: name record files, or - for standard input");
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
                session.warn(fmt::format("'{}' has the run line of {}, but other points: both are kept", run.name,
                                         addition.other));
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

// ---- commands on named runs

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
            throw UsageError(fmt::format("the record of {} ends in half a line: export it alone, or last", run.id()));
        text += content;
    }
    output.write(text, std::cout);
}

void check_mark(NamedRuns const& options) {
    check_named(options);
    auto const& marks = options.marks;
    if (!marks.label && !marks.note && !marks.machine && marks.tags.empty() && marks.untags.empty())
        throw UsageError("no mark: --tag, --untag, --label, --note or --machine");
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
        session.text() << fmt::format("'{}': {} runs, all as they were added\n", printable(path),
                                      archive.runs().size());
    else
        session.check_failed();
}

/// A command with an archive and options of its own.
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

constexpr char const* ids_help = "digits of their names, four or more, as 'measure archive list' shows them";

program::Suite add_command() {
    return archive_suite<AddOptions>(
        "add",
        "Puts the runs of record files into an archive, byte by byte; of output files of other programs the records "
        "that measure convert makes. A run that is there already is noticed, and an "
        "earlier state of it is replaced. All files are added, or none.",
        [](Parser& parser, AddOptions& options) {
            declare_marks(parser, options.marks);
            parser.flag("--skip-broken", "leave out files that are no records, with a warning and exit code 4",
                        options.skip_broken);
            parser.option("--json", "FILE", "write what was added as JSON; - is stdout", options.json,
                          program::as::Text{});
            parser.arguments("FILE...",
                             fmt::format("record files (--json), or output files of other programs ({}); one may hold "
                                         "several runs; - is standard input",
                                         convert::sources),
                             options.files);
            convert::declare(parser, options.given);
        },
        add, check_add);
}

program::Suite export_command() {
    return archive_suite<NamedRuns>(
        "export", "Writes the records of runs, the bytes that were added.",
        [](Parser& parser, NamedRuns& options) {
            parser.option("-o,--output", "FILE", "where to; - is stdout", options.output, program::as::Text{});
            parser.arguments("ID...", ids_help, options.ids);
        },
        export_runs, check_named);
}

program::Suite mark_command() {
    return archive_suite<NamedRuns>(
        "mark", "Changes what is said of runs; their records stay as they are. An empty TEXT takes it away.",
        [](Parser& parser, NamedRuns& options) {
            declare_marks(parser, options.marks);
            parser.option("--machine", "NAME", "the machine, instead of its hosts' names and processors",
                          options.marks.machine, given_text(options.marks.machine));
            parser.list("--untag", "WORD", "take a word away; may be given several times", options.marks.untags,
                        tag_from);
            parser.arguments("ID...", ids_help, options.ids);
        },
        mark, check_mark);
}

program::Suite remove_command() {
    return archive_suite<NamedRuns>(
        "remove", "Takes runs out of an archive, with their records.",
        [](Parser& parser, NamedRuns& options) { parser.arguments("ID...", ids_help, options.ids); }, remove,
        check_named);
}

program::Suite check_command() {
    struct Options {
        std::string archive{};
    };
    return archive_suite<Options>(
        "check", "Reads a whole archive and compares every record with its name; exit code 3 where one is damaged.",
        [](Parser&, Options&) {}, [](Options const& options, Session& session) { check(options.archive, session); },
        [](Options const&) {});
}

std::span<Command const> commands() noexcept {
    static constexpr std::array table{
        Command{"add", "puts runs into it", add_command},
        Command{"list", "shows its runs", list_command},
        Command{"query", "shows points of its runs", query_command},
        Command{"export", "writes records as they were added", export_command},
        Command{"mark", "changes tags, labels, notes and machines", mark_command},
        Command{"remove", "takes runs out of it", remove_command},
        Command{"check", "looks for damage", check_command},
        Command{"compare", "says where its runs differ", compare_command},
        Command{"site", "makes a web site of it", site_command},
    };
    return table;
}

struct AsArchive {
    std::string operator()(program::Argument const& argument) const {
        if (argument.value.empty())
            throw UsageError(argument.option + ": a file needs a name");
        return argument.value;
    }
    /// Not what the environment says today: manual pages are made from the help.
    static std::string text(std::string const&) { return "$MEASURE_ARCHIVE, else that of measure run"; }
};

}  // namespace

void declare_archive(Parser& parser, std::string& path) {
    path = usual_archive();
    parser.option("-a,--archive", "FILE", "the archive", path, AsArchive{});
}

}  // namespace measure::tool::archive

namespace measure::tool {

Command archive_command() {
    Command command{"archive", "keeps records in one file, searches them, makes a web site of them", nullptr,
                    archive::commands};
    command.option = "-a,--archive";
    return command;
}

}  // namespace measure::tool
