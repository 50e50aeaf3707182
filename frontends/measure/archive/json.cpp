// SPDX-License-Identifier: BSD-3-Clause
#include "archive/json.hpp"

#include "program/cli/values.hpp"
#include "shared/documents.hpp"

#include <algorithm>

namespace measure::tool {

using archive::AddedRun;
using archive::Cell;
using archive::PointEntry;
using archive::RunEntry;

template <>
inline constexpr auto fields<RunEntry> =
    std::array{field<&RunEntry::hash>("run", "ID: SHA-256 of the record's bytes, in hexadecimal digits"),
               field<&RunEntry::suite>("suite", "suite of the program"),
               field<&RunEntry::program>("program", "name of the program"),
               field<&RunEntry::started, or_null>("started", "time of the launch, ISO 8601"),
               field<&RunEntry::mpi, or_null>("mpi", "MPI library; null if the run did not use MPI"),
               field<&RunEntry::machine>("machine", "hosts and processors, or the name set with `mark`"),
               field<&RunEntry::ranks>("ranks", "number of processes"),
               field<&RunEntry::kernel, or_null>("kernel", "kernel of the first host"),
               field<&RunEntry::points>("points", "number of points"),
               field<&RunEntry::status>("status", "complete, or how the run ended"),
               field<&RunEntry::label, or_null>("label", "human-readable name"),
               field<&RunEntry::note, or_null>("note", "free text"),
               field<&RunEntry::tags>("tags", "tags")};

namespace {

std::optional<std::array<Cell, 2>> interval_of(PointEntry const& point) {
    bool const is_there =
        !std::holds_alternative<std::nullptr_t>(point.low) && !std::holds_alternative<std::nullptr_t>(point.high);
    return is_there ? std::optional{std::array{point.low, point.high}} : std::nullopt;
}

std::vector<std::pair<std::string, Value>> coordinates_of(PointEntry const& point) {
    std::vector<std::pair<std::string, Value>> all;
    for (auto const& [name, cell] : point.at) {
        // The database stores a Boolean as text.
        auto const text = archive::cell_text(cell);
        all.emplace_back(name, text == "true" || text == "false" ? Value{text == "true"} : value_of(cell));
    }
    return all;
}

std::vector<std::string> flags_of(PointEntry const& point) {
    auto words = program::split(point.flags, ' ');
    std::erase(words, "");
    return words;
}

}  // namespace

template <>
inline constexpr auto fields<PointEntry> =
    std::array{field<&PointEntry::run>("run", "ID of the run"),
               field<&PointEntry::label, or_null>("label", "label of the run"),
               field<&PointEntry::started, or_null>("started", "time of the launch, ISO 8601"),
               field<&PointEntry::machine>("machine", "machine of the run"),
               field<&PointEntry::mpi, or_null>("mpi", "MPI library of the run; null if it did not use MPI"),
               field<&PointEntry::suite>("suite", "suite of the program"),
               field<&PointEntry::benchmark>("benchmark", "name of the benchmark"),
               field<coordinates_of>("at", "coordinates by name"),
               field<&PointEntry::quantity>("quantity", "kind of quantity"),
               field<&PointEntry::unit>("unit", "unit of the value"),
               field<&PointEntry::value>("value", "value; null if there is none", "`unit`"),
               field<interval_of>("interval", "interval of the value: low, high", "`unit`"),
               field<&PointEntry::verdict>("verdict", "status of the point: converged, exhausted, .."),
               field<flags_of>("flags", "flags of the point")};

template <>
inline constexpr auto fields<AddedRun> =
    std::array{field<&AddedRun::addition, &archive::Addition::id>("run", "first ten digits of the run's ID"),
               field<&AddedRun::addition, &archive::Addition::what>("what", "added, known, replaced or older"),
               field<&AddedRun::addition, &archive::Addition::other, or_null>(
                   "other", "ID of the run that the archive had before"),
               field<&AddedRun::file>("file", "file that the run was read from")};

/// The documents.
struct AddedDocument {
    std::vector<AddedRun> const* runs = nullptr;
};
template <>
inline constexpr auto fields<AddedDocument> = std::array{field<&AddedDocument::runs>("runs", "runs of the files")};

struct RunsDocument {
    std::vector<RunEntry> const* runs = nullptr;
};
template <>
inline constexpr auto fields<RunsDocument> = std::array{field<&RunsDocument::runs>("runs", "runs, the latest first")};

struct PointsDocument {
    std::vector<PointEntry> const* points = nullptr;
};
template <>
inline constexpr auto fields<PointsDocument> = std::array{field<&PointsDocument::points>("points", "points found")};

struct RowsDocument {
    archive::Table const* table = nullptr;
};
template <>
inline constexpr auto fields<RowsDocument> =
    std::array{field<&RowsDocument::table, archive::json_rows>("rows", "values by column")};

namespace {

constexpr std::array kinds{
    DocumentKind{"archive add", "measure archive add --json FILE", object_schema<AddedDocument>},
    DocumentKind{"archive list", "measure archive list --json FILE", object_schema<RunsDocument>},
    DocumentKind{"archive points", "measure archive query --json FILE", object_schema<PointsDocument>},
    DocumentKind{"archive rows", "measure archive query --sql TEXT --json FILE", object_schema<RowsDocument>},
};

}  // namespace

std::span<DocumentKind const> archive_kinds() { return kinds; }

Value archive::added_json(std::vector<AddedRun> const& runs) { return document(kinds[0].name, AddedDocument{&runs}); }
Value archive::runs_json(std::vector<RunEntry> const& runs) { return document(kinds[1].name, RunsDocument{&runs}); }
Value archive::points_json(std::vector<PointEntry> const& points) {
    return document(kinds[2].name, PointsDocument{&points});
}
Value archive::rows_json(Table const& table) { return document(kinds[3].name, RowsDocument{&table}); }

}  // namespace measure::tool
