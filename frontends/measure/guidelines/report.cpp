// SPDX-License-Identifier: BSD-3-Clause
#include "guidelines/report.hpp"

#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace measure::tool {

namespace {

using page::Cell;
using page::Table;

/// Checks of one guideline on so many processes.
struct Summed {
    GuidelineCheck const* first = nullptr;
    GuidelineCheck const* worst = nullptr;  ///< of those that are violated
    std::size_t checked = 0;
    std::size_t unclear = 0;
    std::vector<measure::Bytes> violated{};  ///< sizes
    std::vector<measure::Bytes> all{};       ///< sizes
};

/// In the order in which they first appear.
std::vector<Summed> summed(std::vector<GuidelineCheck> const& checks) {
    std::vector<Summed> result;
    std::map<std::tuple<std::string, std::string, std::int64_t>, std::size_t> places;
    for (auto const& check : checks) {
        auto const [place, is_new] = places.try_emplace({check.set, check.guideline, check.ranks}, result.size());
        if (is_new)
            result.push_back({.first = &check});
        auto& sum = result[place->second];
        ++sum.checked;
        sum.all.push_back(check.size);
        sum.unclear += check.verdict == GuidelineVerdict::unclear ? 1U : 0U;
        if (check.verdict != GuidelineVerdict::violated)
            continue;
        sum.violated.push_back(check.size);
        if (sum.worst == nullptr || check.factor > sum.worst->factor)
            sum.worst = &check;
    }
    return result;
}

/// "8 B, 1 KiB .. 4 KiB": neighbours among the sizes checked as one range.
std::string ranges(std::vector<measure::Bytes> const& some, std::vector<measure::Bytes> all) {
    std::sort(all.begin(), all.end());
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const is_one = [&](std::size_t k) { return std::find(some.begin(), some.end(), all[k]) != some.end(); };
        if (!is_one(i))
            continue;
        auto last = i;
        while (last + 1 < all.size() && is_one(last + 1))
            ++last;
        parts.push_back(last == i
                            ? measure::text_bytes(all[i])
                            : fmt::format("{} .. {}", measure::text_bytes(all[i]), measure::text_bytes(all[last])));
        i = last;
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string factor_text(double factor) { return fmt::format("{:.2f}", factor); }

std::string terms_text(std::vector<GuidelineTerm> const& terms) {
    std::vector<std::string> parts;
    for (auto const& term : terms)
        parts.push_back(fmt::format("{}{}({} B, p={}) {}", term.times > 1 ? fmt::format("{} x ", term.times) : "",
                                    term.operation, term.bytes, term.ranks,
                                    measure::text(measure::seconds{term.time})));
    return fmt::format("{}", fmt::join(parts, " + "));
}

Table summary_table(std::vector<Summed> const& sums, bool has_sets) {
    Table table{.caption = "Guidelines", .row_headings = true};
    table.columns = {"guideline", "source", "ranks", "checked", "violated", "unclear", "worst factor", "at sizes"};
    if (has_sets)
        table.columns.emplace_back("measured by");
    for (auto const& sum : sums) {
        std::vector<Cell> row{sum.first->guideline,
                              sum.first->source,
                              std::to_string(sum.first->ranks),
                              std::to_string(sum.checked),
                              Cell{std::to_string(sum.violated.size()), !sum.violated.empty()},
                              std::to_string(sum.unclear),
                              sum.worst != nullptr ? factor_text(sum.worst->factor) : std::string{},
                              ranges(sum.violated, sum.all)};
        if (has_sets)
            row.emplace_back(sum.first->set);
        table.rows.push_back(std::move(row));
    }
    return table;
}

bool is_violated(GuidelineCheck const& check) { return check.verdict == GuidelineVerdict::violated; }

/// Whether a single launch looks like a violation.
bool is_seen_once(GuidelineCheck const& check, GuidelineRules const& rules) {
    return check.verdict == GuidelineVerdict::one_launch && check.factor > 1 + rules.threshold && check.interval &&
           check.interval->first > 1;
}

template <class Shown>
Table check_table(std::vector<GuidelineCheck> const& checks, std::string caption, Shown is_shown) {
    Table table{.caption = std::move(caption), .row_headings = true};
    table.columns = {"guideline", "ranks", "bytes", "factor", "interval", "p", "verdict", "errors", "left", "right"};
    for (auto const& check : checks) {
        if (!is_shown(check))
            continue;
        table.rows.push_back(
            {check.guideline, std::to_string(check.ranks), std::to_string(check.size), factor_text(check.factor),
             check.interval ? fmt::format("{:.2f} .. {:.2f}", check.interval->first, check.interval->second) : "-",
             check.adjusted_p ? fmt::format("{:.2g}", *check.adjusted_p) : "-",
             Cell{std::string{name(check.verdict)}, is_violated(check)},
             !check.interval      ? std::string{"none"}
             : check.launches < 2 ? std::string{"within a launch"}
                                  : counted(check.launches, "launch", "launches"),
             terms_text({check.left}), terms_text(check.right)});
    }
    return table;
}

std::string missing_text(Unchecked const& unchecked) {
    if (!unchecked.unknown.empty())
        return fmt::format("not measured by this program: {}", fmt::join(unchecked.unknown, ", "));
    std::vector<std::string> parts;
    for (auto const& [operation, sizes] : unchecked.missing)
        parts.push_back(sizes.size() == 1 ? fmt::format("{}({})", operation, *sizes.begin())
                                          : fmt::format("{}({} .. {})", operation, *sizes.begin(), *sizes.rbegin()));
    return fmt::format("{}", fmt::join(parts, ", "));
}

Table unchecked_table(std::vector<Unchecked> const& unchecked, bool has_sets) {
    Table table{.caption = "Not checked, because points are missing (n of the whole, bytes)", .row_headings = true};
    table.columns = {"guideline", "source", "ranks", "sizes", "missing"};
    if (has_sets)
        table.columns.emplace_back("measured by");
    for (auto const& one : unchecked) {
        std::vector<Cell> row{one.guideline, one.source, std::to_string(one.ranks),
                              one.unknown.empty() ? std::to_string(one.sizes) : std::string{"all"}, missing_text(one)};
        if (has_sets)
            row.emplace_back(one.set);
        table.rows.push_back(std::move(row));
    }
    return table;
}

measure::Value term_value(GuidelineTerm const& term) {
    return measure::Value::Object{{"operation", term.operation},
                                  {"ranks", term.ranks},
                                  {"bytes", term.bytes},
                                  {"times", term.times},
                                  {"time", term.time}};
}

measure::Value check_value(GuidelineCheck const& check) {
    using measure::Value;
    Value::Array right;
    for (auto const& term : check.right)
        right.push_back(term_value(term));
    return Value::Object{
        {"kind", name(check.kind)},
        {"guideline", check.guideline},
        {"source", check.source},
        {"set", check.set},
        {"ranks", check.ranks},
        {"bytes", check.size},
        {"padded", check.padded},
        {"left", term_value(check.left)},
        {"right", std::move(right)},
        {"factor", check.factor},
        {"interval", check.interval ? Value{Value::Array{check.interval->first, check.interval->second}} : Value{}},
        {"p", check.p},
        {"adjusted_p", check.adjusted_p},
        {"launches", check.launches},
        {"verdict", name(check.verdict)}};
}

measure::Value unchecked_value(Unchecked const& unchecked) {
    using measure::Value;
    Value::Object missing;
    for (auto const& [operation, sizes] : unchecked.missing)
        missing.emplace_back(operation, Value::Array(sizes.begin(), sizes.end()));
    return Value::Object{{"guideline", unchecked.guideline},
                         {"source", unchecked.source},
                         {"set", unchecked.set},
                         {"ranks", unchecked.ranks},
                         {"sizes", unchecked.sizes},
                         {"missing", std::move(missing)},
                         {"not_measured_by_suite", Value::Array(unchecked.unknown.begin(), unchecked.unknown.end())}};
}

}  // namespace

std::map<GuidelineVerdict, std::size_t> counts(GuidelineResult const& result) {
    std::map<GuidelineVerdict, std::size_t> totals{{GuidelineVerdict::violated, 0},
                                                   {GuidelineVerdict::kept, 0},
                                                   {GuidelineVerdict::unclear, 0},
                                                   {GuidelineVerdict::one_launch, 0}};
    for (auto const& check : result.checks)
        ++totals[check.verdict];
    return totals;
}

page::Document guidelines_document(GuidelinesReport const& report) {
    auto const& result = report.result;
    bool const has_sets = report.points.sets.size() > 1;
    page::Document document{.title = "Self-consistency of MPI"};
    auto& elements = document.elements;
    page::List sets;
    for (auto const& set : report.points.sets)
        sets.items.push_back(set.label);
    elements.emplace_back(std::move(sets));
    elements.emplace_back(
        page::Paragraph{fmt::format("A guideline is violated where its left side is slower by more than {:.3g} % "
                                    "(factor: left / right), and that is "
                                    "not chance: Student's test, adjusted by Holm over all {} checks, against {:.3g}.",
                                    report.rules.threshold * 100, result.checks.size(), report.rules.alpha)});
    std::vector<std::string> totals;
    for (auto const& [verdict, number] : counts(result))
        if (verdict != GuidelineVerdict::one_launch || number > 0)
            totals.push_back(fmt::format("{} {}", number, name(verdict)));
    elements.emplace_back(page::Paragraph{
        fmt::format("{}: {}; {} could not be checked at all sizes", counted(result.checks.size(), "check", "checks"),
                    fmt::join(totals, ", "), counted(result.unchecked.size(), "guideline", "guidelines"))});
    if (!report.warnings.empty())
        elements.emplace_back(page::List{.items = report.warnings, .warning = true});
    elements.emplace_back(summary_table(summed(result.checks), has_sets));
    auto const add = [&](std::string caption, auto is_shown) {
        if (auto table = check_table(result.checks, std::move(caption), is_shown); !table.rows.empty())
            elements.emplace_back(std::move(table));
    };
    if (report.all)
        add("All checks", [](GuidelineCheck const&) { return true; });
    else {
        add("Violations", is_violated);
        add("Seen in single launches: no verdict",
            [&](GuidelineCheck const& check) { return is_seen_once(check, report.rules); });
    }
    if (!result.unchecked.empty())
        elements.emplace_back(unchecked_table(result.unchecked, has_sets));
    if (!result.commands.empty()) {
        elements.emplace_back(page::Paragraph{"These commands measure what is missing; then name their files too:"});
        elements.emplace_back(page::List{.items = result.commands});
    }
    return document;
}

measure::Value guidelines_json(GuidelinesReport const& report) {
    using measure::Value;
    auto const texts = [](std::vector<std::string> const& list) { return Value::Array(list.begin(), list.end()); };
    Value::Array checks;
    for (auto const& check : report.result.checks)
        checks.push_back(check_value(check));
    Value::Array unchecked;
    for (auto const& one : report.result.unchecked)
        unchecked.push_back(unchecked_value(one));
    Value::Array sets;
    for (auto const& set : report.points.sets)
        sets.push_back(Value::Object{
            {"label", set.label}, {"suite", set.suite}, {"program", set.program}, {"launches", set.launches}});
    Value::Object totals;
    for (auto const& [verdict, number] : counts(report.result))
        totals.emplace_back(name(verdict), number);
    return Value::Object{
        {"document", "guidelines"},
        {"schema", 1},
        {"version", measure::version()},
        {"command", texts(report.command)},
        {"launches", texts(report.launches)},
        {"sets", std::move(sets)},
        {"rules", Value::Object{{"alpha", report.rules.alpha}, {"threshold", report.rules.threshold}}},
        {"warnings", texts(report.warnings)},
        {"counts", std::move(totals)},
        {"checks", std::move(checks)},
        {"unchecked", std::move(unchecked)},
        {"commands", texts(report.result.commands)},
        {"points", Value::Object{{"unknown", report.points.unknown}, {"without_value", report.points.without_value}}}};
}

}  // namespace measure::tool
