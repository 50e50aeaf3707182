// SPDX-License-Identifier: BSD-3-Clause
#include "guidelines/report.hpp"

#include "page/columns.hpp"
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

/// Checks of one guideline on one number of processes.
struct Summed {
    GuidelineCheck const* first = nullptr;
    GuidelineCheck const* worst = nullptr;  ///< violated check with the largest factor
    std::size_t checked = 0;
    std::size_t unclear = 0;
    std::vector<measure::Bytes> violated{};  ///< sizes of violated checks
    std::vector<measure::Bytes> all{};       ///< sizes of all checks
};

/// Sums up the checks of each guideline, in the order of first appearance.
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

/// "8 B, 1 KiB .. 4 KiB": adjacent checked sizes are shown as one range.
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
    page::Columns<Summed> columns{
        {"guideline", [](Summed const& sum) { return sum.first->guideline; }},
        {"source", [](Summed const& sum) { return sum.first->source; }},
        {"ranks", [](Summed const& sum) { return std::to_string(sum.first->ranks); }},
        {"checked", [](Summed const& sum) { return std::to_string(sum.checked); }},
        {"violated",
         [](Summed const& sum) {
             return Cell{std::to_string(sum.violated.size()), !sum.violated.empty()};
         }},
        {"unclear", [](Summed const& sum) { return std::to_string(sum.unclear); }},
        {"worst factor",
         [](Summed const& sum) { return sum.worst != nullptr ? factor_text(sum.worst->factor) : std::string{}; }},
        {"at sizes", [](Summed const& sum) { return ranges(sum.violated, sum.all); }}};
    if (has_sets)
        columns.push_back({"measured by", [](Summed const& sum) { return sum.first->set; }});
    return page::table_of({.caption = "Guidelines", .row_headings = true}, sums, columns);
}

bool is_violated(GuidelineCheck const& check) { return check.verdict == GuidelineVerdict::violated; }

/// Whether a check of single launches looks like a violation.
bool is_seen_once(GuidelineCheck const& check, GuidelineRules const& rules) {
    return check.verdict == GuidelineVerdict::one_launch && check.factor > 1 + rules.threshold && check.interval &&
           check.interval->first > 1;
}

std::string errors_text(GuidelineCheck const& check) {
    return !check.interval      ? "none"
           : check.launches < 2 ? "within a launch"
                                : counted(check.launches, "launch", "launches");
}

template <class Shown>
Table check_table(std::vector<GuidelineCheck> checks, std::string caption, Shown is_shown) {
    using Check = GuidelineCheck;
    std::erase_if(checks, [&](Check const& check) { return !is_shown(check); });
    return page::table_of<Check>(
        {.caption = std::move(caption), .row_headings = true}, checks,
        {{"guideline", [](Check const& check) { return check.guideline; }},
         {"ranks", [](Check const& check) { return std::to_string(check.ranks); }},
         {"bytes", [](Check const& check) { return std::to_string(check.size); }},
         {"factor", [](Check const& check) { return factor_text(check.factor); }},
         {"interval",
          [](Check const& check) {
              return check.interval ? fmt::format("{:.2f} .. {:.2f}", check.interval->first, check.interval->second)
                                    : "-";
          }},
         {"p", [](Check const& check) { return check.adjusted_p ? fmt::format("{:.2g}", *check.adjusted_p) : "-"; }},
         {"verdict",
          [](Check const& check) {
              return Cell{std::string{name(check.verdict)}, is_violated(check)};
          }},
         {"errors", errors_text},
         {"left", [](Check const& check) { return terms_text({check.left}); }},
         {"right", [](Check const& check) { return terms_text(check.right); }}});
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
    page::Columns<Unchecked> columns{
        {"guideline", [](Unchecked const& one) { return one.guideline; }},
        {"source", [](Unchecked const& one) { return one.source; }},
        {"ranks", [](Unchecked const& one) { return std::to_string(one.ranks); }},
        {"sizes", [](Unchecked const& one) { return one.unknown.empty() ? std::to_string(one.sizes) : "all"; }},
        {"missing", missing_text}};
    if (has_sets)
        columns.push_back({"measured by", [](Unchecked const& one) { return one.set; }});
    return page::table_of(
        {.caption = "Not checked, because points are missing (n of the whole, bytes)", .row_headings = true}, unchecked,
        columns);
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
        page::Paragraph{fmt::format("A guideline is violated if its left side is slower by more than {:.3g} % "
                                    "(factor: left / right), and the difference is "
                                    "significant: Student's test, adjusted by Holm over all {} checks, p below {:.3g}.",
                                    report.rules.threshold * 100, result.checks.size(), report.rules.alpha)});
    std::vector<std::string> totals;
    for (auto const& [verdict, number] : counts(result))
        if (verdict != GuidelineVerdict::one_launch || number > 0)
            totals.push_back(fmt::format("{} {}", number, name(verdict)));
    elements.emplace_back(page::Paragraph{
        fmt::format("{}: {}; {} not checked at some or all sizes", counted(result.checks.size(), "check", "checks"),
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
        add("Seen only in single launches (no verdict)",
            [&](GuidelineCheck const& check) { return is_seen_once(check, report.rules); });
    }
    if (!result.unchecked.empty())
        elements.emplace_back(unchecked_table(result.unchecked, has_sets));
    if (!result.commands.empty()) {
        elements.emplace_back(page::Paragraph{
            "Measure the missing points with these commands, and add their files to the command line:"});
        elements.emplace_back(page::List{.items = result.commands});
    }
    return document;
}

}  // namespace measure::tool
