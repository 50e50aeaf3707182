// SPDX-License-Identifier: BSD-3-Clause
#include "archive/condition.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::UsageError;

enum class Kind { text, number, date, prefix };

/// A field and the SQL expression of its value. If a run can have several values, `value` is a column of `from`.
struct Field {
    std::string_view name;
    bool of_point;
    Kind kind;
    std::string_view value;
    std::string_view from = {};
};

constexpr std::array fields{
    Field{"id", false, Kind::prefix, "run.hash"},
    Field{"suite", false, Kind::text, "run.suite"},
    Field{"program", false, Kind::text, "run.program"},
    Field{"version", false, Kind::text, "run.version"},
    Field{"mpi", false, Kind::text, "run.mpi"},
    Field{"machine", false, Kind::text, "run.machine"},
    Field{"host", false, Kind::text, "host.name", "host WHERE host.run = run.id"},
    Field{"cpu", false, Kind::text, "host.cpu", "host WHERE host.run = run.id"},
    Field{"cores", false, Kind::number, "NULLIF(host.cores, 0)", "host WHERE host.run = run.id"},
    Field{"kernel", false, Kind::text, "run.kernel"},
    Field{"compiler", false, Kind::text, "run.compiler"},
    Field{"timer", false, Kind::text, "run.timer"},
    Field{"started", false, Kind::date, "NULLIF(run.started, '')"},
    Field{"added", false, Kind::date, "run.added"},
    Field{"status", false, Kind::text, "run.status"},
    Field{"points", false, Kind::number, "run.points"},
    Field{"label", false, Kind::text, "run.label"},
    Field{"note", false, Kind::text, "run.note"},
    Field{"tag", false, Kind::text, "tag.name", "tag WHERE tag.run = run.id"},
    Field{"benchmark", true, Kind::text, "point.benchmark"},
    Field{"ranks", true, Kind::number, "point.ranks"},
    Field{"quantity", true, Kind::text, "point.quantity"},
    Field{"unit", true, Kind::text, "point.unit"},
    Field{"value", true, Kind::number, "point.value"},
    Field{"verdict", true, Kind::text, "point.verdict"},
    Field{"flag", true, Kind::text, "flag.name", "flag WHERE flag.point = point.id"},
};

Field const* field_of(std::string_view name) {
    auto const* const found =
        std::find_if(fields.begin(), fields.end(), [&](Field const& f) { return f.name == name; });
    return found == fields.end() ? nullptr : found;
}

/// SQLite's GLOB also supports sets of characters, which conditions do not have.
std::string glob_pattern(std::string_view text) {
    std::string result;
    for (char const c : text)
        result += c == '[' ? std::string{"[[]"} : std::string(1, c);
    return result;
}

/// The SQL test of one wanted value on the expression `value`. A NULL makes the test false.
std::string asked(Condition const& condition, Kind kind, std::string_view value, std::string const& wanted,
                  std::vector<Cell>& cells) {
    auto const op = condition.is_negated() ? condition.op.substr(1) : condition.op;
    auto const place = [&](Cell cell) {
        cells.push_back(std::move(cell));
        return "?";
    };
    if (wanted.empty() && op == "=")
        return fmt::format("coalesce({}, '') = ''", value);
    if (op == "~")
        return fmt::format("coalesce(instr(lower({}), lower({})), 0) > 0", value, place(wanted));
    if (kind == Kind::prefix)
        return fmt::format("substr({}, 1, {}) {} {}", value, wanted.size(), op, place(program::lower(wanted)));
    if (kind == Kind::date) {
        if (!begins_date(wanted))
            throw UsageError(fmt::format("'{}': '{}' is not a date; use 2025, 2025-06, 2025-06-30, 2025-06-30T12:00 ..",
                                         condition.text, wanted));
        return fmt::format("substr({}, 1, {}) {} {}", value, wanted.size(), op, place(wanted));
    }
    if (op == "=" && wanted.find_first_of("*?") != std::string::npos)
        return fmt::format("coalesce({} GLOB {}, 0)", value, place(glob_pattern(wanted)));
    auto const number = number_asked(wanted);
    if (orders(op)) {
        if (kind == Kind::text || !number)
            throw UsageError(
                kind == Kind::text
                    ? fmt::format("'{}': '{}' is a text and has no order; use = or ~", condition.text, condition.name)
                    : fmt::format("'{}': '{}' is not a number, a size (1KiB) or a time (10us)", condition.text,
                                  wanted));
        return fmt::format("(typeof({0}) <> 'text' AND coalesce({0} {1} {2}, 0))", value, op, place(*number));
    }
    if (kind == Kind::text || !number)
        return fmt::format("coalesce({} = {}, 0)", value, place(wanted));
    auto const same_number = fmt::format("coalesce({} = {}, 0)", value, place(*number));
    return fmt::format("({} OR coalesce({} = {}, 0))", same_number, value, place(wanted));
}

std::string any_of(Condition const& condition, Kind kind, std::string_view value, std::vector<Cell>& cells) {
    std::vector<std::string> parts;
    for (auto const& wanted : condition.values)
        parts.push_back(asked(condition, kind, value, wanted, cells));
    return fmt::format("({})", fmt::join(parts, " OR "));
}

/// The SQL test of a value that a row may lack or have several times.
std::string in_rows(Condition const& condition, Kind kind, std::string_view value, std::string const& rows,
                    std::vector<Cell>& cells) {
    if (condition.asks_for_missing())
        return fmt::format("NOT EXISTS (SELECT 1 FROM {} AND coalesce({}, '') <> '')", rows, value);
    return fmt::format("EXISTS (SELECT 1 FROM {} AND {})", rows, any_of(condition, kind, value, cells));
}

void join_to(std::string& expression, Condition const& condition, std::string const& part) {
    expression += fmt::format(" AND {}{}", condition.is_negated() ? "NOT " : "", part);
}

}  // namespace

std::vector<std::string> field_names() {
    std::vector<std::string> names;
    for (auto const& field : fields)
        names.emplace_back(field.name);
    return names;
}

std::string coordinate_of(Condition const& condition) {
    return field_of(condition.name) == nullptr ? condition.coordinate() : std::string{};
}

SearchTerms search_terms(std::span<Condition const> conditions) {
    SearchTerms terms;
    for (auto const& condition : conditions) {
        auto const* const field = field_of(condition.name);
        bool const of_point = field == nullptr || field->of_point;
        auto& expression = of_point ? terms.point : terms.run;
        auto& cells = of_point ? terms.point_cells : terms.run_cells;
        if (field == nullptr) {
            cells.emplace_back(condition.coordinate());
            join_to(expression, condition,
                    in_rows(condition, Kind::number, "coordinate.value",
                            "coordinate WHERE coordinate.point = point.id AND coordinate.name = ?", cells));
        } else if (!field->from.empty()) {
            join_to(expression, condition,
                    in_rows(condition, field->kind, field->value, std::string{field->from}, cells));
        } else {
            join_to(expression, condition, any_of(condition, field->kind, field->value, cells));
        }
    }
    return terms;
}

}  // namespace measure::tool::archive
