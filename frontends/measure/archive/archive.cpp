// SPDX-License-Identifier: BSD-3-Clause
#include "archive/archive.hpp"

#include "analysis/runs/meaning.hpp"
#include "analysis/runs/series.hpp"
#include "program/cli/values.hpp"
#include "shared/sha256.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::UsageError;

/// "MEAS": identifies the SQLite file as an archive.
constexpr std::int64_t application = 0x4d454153;

/// Tables and indexes. Runs are found by their own columns, points by benchmark or run. `line` is the hash of the run
/// line.
constexpr char const* tables = R"(
CREATE TABLE run(
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, line TEXT NOT NULL,
    suite TEXT NOT NULL, program TEXT NOT NULL, version TEXT NOT NULL, started TEXT NOT NULL,
    mpi TEXT, ranks INTEGER NOT NULL, machine TEXT NOT NULL, oversubscribed INTEGER NOT NULL,
    kernel TEXT, compiler TEXT NOT NULL, timer TEXT NOT NULL,
    status TEXT NOT NULL, exit_code INTEGER, points INTEGER NOT NULL,
    label TEXT, note TEXT, added TEXT NOT NULL);
CREATE INDEX run_line ON run(line);
CREATE INDEX run_started ON run(started);
CREATE TABLE content(run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, bytes BLOB NOT NULL);
CREATE TABLE host(
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, name TEXT NOT NULL, cpu TEXT, cores INTEGER NOT NULL);
CREATE INDEX host_run ON host(run);
CREATE TABLE tag(
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, name TEXT NOT NULL, PRIMARY KEY(run, name)) WITHOUT ROWID;
CREATE TABLE point(
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    benchmark TEXT NOT NULL, ranks INTEGER, quantity TEXT NOT NULL, unit TEXT NOT NULL,
    value REAL, interval_low REAL, interval_high REAL, verdict TEXT NOT NULL);
CREATE INDEX point_run ON point(run);
CREATE INDEX point_benchmark ON point(benchmark);
CREATE TABLE coordinate(
    point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL, value,
    PRIMARY KEY(point, place)) WITHOUT ROWID;
CREATE TABLE flag(
    point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE, name TEXT NOT NULL,
    PRIMARY KEY(point, name)) WITHOUT ROWID;
)";

std::string short_id(std::string const& hash) { return hash.substr(0, 10); }

std::int64_t pragma(Database const& database, std::string_view name) {
    auto statement = database.prepare(fmt::format("PRAGMA {}", name));
    return statement.next() ? statement.integer(0) : 0;
}

void require_name(std::string const& path) {
    if (path.empty())
        throw UsageError("no archive; name one with -a FILE, or set MEASURE_ARCHIVE, XDG_DATA_HOME or HOME");
}

void require_existing(std::string const& path) {
    require_name(path);
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        throw UsageError(fmt::format("archive '{}' does not exist; create it with 'measure archive add'", path));
    if (std::filesystem::is_directory(path, error))
        throw UsageError(fmt::format("'{}': not an archive, but a directory", path));
}

/// A value that can be sorted and compared later. A Boolean becomes "true" or "false".
Cell cell_of(measure::Point::Coordinate const& value) {
    return std::visit(
        [](auto const& v) -> Cell {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, bool>)
                return std::string{v ? "true" : "false"};
            else
                return v;
        },
        value);
}

/// The ranks of a point; all ranks of the run if the point has no such coordinate.
Cell ranks_of(measure::Record const& point, int of_run) { return integer_at(point.at, "ranks").value_or(of_run); }

}  // namespace

Archive Archive::reading(std::string const& path) {
    auto archive = changing(path);
    archive.database_.only_read();
    return archive;
}

Archive Archive::changing(std::string const& path) {
    require_existing(path);
    Archive archive{Database{path, Database::Opens::existing}};
    archive.check_schema();
    return archive;
}

/// Two processes may create the same archive. The one that gets the lock first writes the tables.
Archive Archive::creating(std::string const& path) {
    require_name(path);
    Archive archive{Database{path, Database::Opens::created}};
    // A database that is being created has a first page before it has tables.
    if (pragma(archive.database_, "schema_version") != 0) {
        archive.check_schema();
        return archive;
    }
    archive.database_.execute("PRAGMA auto_vacuum = FULL");
    auto transaction = archive.transaction();
    if (pragma(archive.database_, "schema_version") == 0) {
        archive.database_.execute(tables);
        archive.database_.execute(
            fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, schema).c_str());
    }
    transaction.commit();
    archive.check_schema();
    return archive;
}

void Archive::check_schema() const {
    if (pragma(database_, "application_id") != application)
        throw UsageError(fmt::format("'{}': not an archive, but a database of another program", database_.path()));
    if (auto const version = pragma(database_, "user_version"); version != schema)
        throw UsageError(fmt::format("'{}': the archive has schema {}, but this program supports only schema {}",
                                     database_.path(), version, schema));
}

Addition Archive::add(ArchivedRun const& run, Marks const& marks) {
    auto const hash = sha256(run.content);
    auto const line = sha256(run_line(run.content));
    auto const there = same_run(run, hash, line);
    Addition result{there.what, short_id(hash), short_id(there.hash)};
    auto row = there.row;
    switch (there.what) {
    case Addition::What::known:
    case Addition::What::older:
        result.id = result.other;
        break;
    case Addition::What::replaced: {
        auto const before = find(there.hash);
        remove(row);
        row = put_in(run, hash, line);
        mark(row, {before.label, before.note, before.machine, before.tags, {}});
        break;
    }
    case Addition::What::added:
    case Addition::What::differs:
        row = put_in(run, hash, line);
    }
    mark(row, marks);
    return result;
}

Archive::Sighting Archive::same_run(ArchivedRun const& run, std::string const& hash, std::string const& line) const {
    Sighting found;
    auto states = database_.prepare("SELECT run.id, hash, bytes FROM run JOIN content ON content.run = run.id "
                                    "WHERE line = ? ORDER BY run.id");
    for (states.bind({line}); states.next();) {
        auto const bytes = states.text(2);
        found = {Addition::What::differs, states.integer(0), states.text(1)};
        if (found.hash == hash)
            found.what = Addition::What::known;
        else if (from_run_line(bytes).starts_with(whole_lines(from_run_line(run.content))))
            found.what = Addition::What::older;
        else if (from_run_line(run.content).starts_with(whole_lines(from_run_line(bytes))))
            found.what = Addition::What::replaced;
        if (found.what != Addition::What::differs)
            break;
    }
    return found;
}

std::int64_t Archive::put_in(ArchivedRun const& run, std::string const& hash, std::string const& line) {
    auto const& [environment, points, summaries, end, torn, begin, others] = run.record;
    database_
        .prepare("INSERT INTO run(hash, line, suite, program, version, started, mpi, ranks, machine, oversubscribed, "
                 "kernel, compiler, timer, status, exit_code, points, added) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind({hash, line, environment.suite, program_of(environment), environment.version, environment.started,
               cell(environment.mpi_library), std::int64_t{environment.ranks}, machine_name(environment),
               std::int64_t{environment.oversubscribed}, cell(environment.kernel), environment.compiler,
               environment.timer.name, status_of(run.record), end ? Cell{std::int64_t{end->exit_code}} : Cell{},
               static_cast<std::int64_t>(points.size()), program::utc_text(std::time(nullptr))})
        .run();
    auto const row = database_.last_id();
    database_.prepare("INSERT INTO content(run, bytes) VALUES (?, ?)").bind({row}).bind(2, Bytes{run.content}).run();
    auto hosts = database_.prepare("INSERT INTO host(run, name, cpu, cores) VALUES (?, ?, ?, ?)");
    for (auto const& host : environment.hosts)
        hosts.bind({row, host.name, cell(host.cpu), std::int64_t{host.cores}}).run();
    put_points(row, run.record);
    return row;
}

void Archive::put_points(std::int64_t row, measure::RunRecord const& record) {
    auto insert = database_.prepare("INSERT INTO point(run, benchmark, ranks, quantity, unit, value, interval_low, "
                                    "interval_high, verdict) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    auto coordinates = database_.prepare("INSERT INTO coordinate(point, place, name, value) VALUES (?, ?, ?, ?)");
    auto flags = database_.prepare("INSERT OR IGNORE INTO flag(point, name) VALUES (?, ?)");
    for (auto const& point : record.points) {
        auto const interval = interval_of(point);
        insert
            .bind({row, point.benchmark, ranks_of(point, record.run.ranks), std::string{name(point.quantity)},
                   std::string{unit(point.quantity)}, cell(point.value), interval ? Cell{interval->first} : Cell{},
                   interval ? Cell{interval->second} : Cell{}, std::string{name(point.status)}})
            .run();
        auto const id = database_.last_id();
        std::int64_t place = 0;
        for (auto const& [name, value] : point.at.coordinates())
            coordinates.bind({id, place++, name, cell_of(value)}).run();
        for (auto const& flag : point.flags)
            flags.bind({id, flag}).run();
    }
}

void Archive::mark(std::int64_t run, Marks const& marks) {
    auto const set = [&](char const* column, std::optional<std::string> const& text) {
        if (text)
            database_.prepare(fmt::format("UPDATE run SET {} = nullif(?, '') WHERE id = ?", column))
                .bind({*text, run})
                .run();
    };
    set("label", marks.label);
    set("note", marks.note);
    set("machine", marks.machine);
    for (auto const& tag : marks.tags)
        database_.prepare("INSERT OR IGNORE INTO tag(run, name) VALUES (?, ?)").bind({run, tag}).run();
    for (auto const& tag : marks.untags)
        database_.prepare("DELETE FROM tag WHERE run = ? AND name = ?").bind({run, tag}).run();
}

void Archive::remove(std::int64_t run) { database_.prepare("DELETE FROM run WHERE id = ?").bind({run}).run(); }

std::string Archive::content(RunEntry const& run) const {
    auto row = database_.prepare("SELECT bytes FROM content WHERE run = ?");
    row.bind({run.row});
    auto bytes = row.next() ? row.text(0) : std::string{};
    if (sha256(bytes) != run.hash)
        throw std::runtime_error(fmt::format("'{}': the record of run {} is damaged", database_.path(), run.id()));
    return bytes;
}

std::vector<std::string> Archive::damages() const {
    std::vector<std::string> found;
    for (auto rows = database_.prepare("PRAGMA integrity_check"); rows.next();)
        if (auto text = rows.text(0); text != "ok")
            found.push_back(std::move(text));
    auto rows =
        database_.prepare("SELECT hash, bytes FROM run LEFT JOIN content ON content.run = run.id ORDER BY hash");
    while (rows.next())
        if (sha256(rows.text(1)) != rows.text(0))
            found.push_back(fmt::format("the record of run {} has changed since it was added", short_id(rows.text(0))));
    return found;
}

std::string_view name(Addition::What what) noexcept {
    switch (what) {
    case Addition::What::known:
        return "known";
    case Addition::What::replaced:
        return "replaced";
    case Addition::What::older:
        return "older";
    case Addition::What::added:
    case Addition::What::differs:
        break;
    }
    return "added";
}

}  // namespace measure::tool::archive
