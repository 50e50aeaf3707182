// SPDX-License-Identifier: BSD-3-Clause
/// The fields of the document of `measure guidelines`.
#include "guidelines/report.hpp"
#include "shared/documents.hpp"

namespace measure::tool {

template <>
inline constexpr auto fields<GuidelineTerm> =
    std::array{field<&GuidelineTerm::operation>("operation", "MPI operation"),
               field<&GuidelineTerm::ranks>("ranks", "processes"),
               field<&GuidelineTerm::bytes>("bytes", "size as the suite counts it", "B"),
               field<&GuidelineTerm::times>("times", "number of repetitions"),
               field<&GuidelineTerm::time>("time", "duration of one repetition: the median over launches", "s")};

template <>
inline constexpr auto fields<GuidelineCheck> = std::array{
    field<&GuidelineCheck::kind>("kind", "pattern, monotony, split or ranks"),
    field<&GuidelineCheck::guideline>("guideline", "formula"),
    field<&GuidelineCheck::source>("source", "publication"),
    field<&GuidelineCheck::set>("set", "label of the set of points"),
    field<&GuidelineCheck::ranks>("ranks", "processes of the left side"),
    field<&GuidelineCheck::size>("bytes", "size of the left side as the suite counts it", "B"),
    field<&GuidelineCheck::padded>("padded", "the right side uses a larger size, because its own was not measured"),
    field<&GuidelineCheck::left>("left", "left side"),
    field<&GuidelineCheck::right>("right", "right side: operations one after the other"),
    field<&GuidelineCheck::factor>("factor", "time of the left side over that of the right side", "1"),
    field<&GuidelineCheck::interval>("interval", "confidence interval of the factor; null without errors", "1"),
    field<&GuidelineCheck::p>("p", "one-sided p value; null for single launches"),
    field<&GuidelineCheck::adjusted_p>("adjusted_p", "p value, adjusted by Holm over all checks"),
    field<&GuidelineCheck::launches>(
        "launches", "number of launches that the errors are computed from; 0: errors within single launches"),
    field<&GuidelineCheck::verdict>("verdict", "violated, kept, unclear or one launch")};

template <>
inline constexpr auto fields<Unchecked> = std::array{
    field<&Unchecked::guideline>("guideline", "formula"),
    field<&Unchecked::source>("source", "publication"),
    field<&Unchecked::set>("set", "label of the set of points"),
    field<&Unchecked::ranks>("ranks", "processes"),
    field<&Unchecked::sizes>("sizes", "number of sizes that could not be checked"),
    field<&Unchecked::missing>("missing", "by operation: sizes of the whole that were not measured, in bytes"),
    field<&Unchecked::unknown>("not_measured_by_suite", "operations that the suite does not measure")};

template <>
inline constexpr auto fields<OperationSet> =
    std::array{field<&OperationSet::label>("label", "what distinguishes the set"),
               field<&OperationSet::suite>("suite", "suite"), field<&OperationSet::program>("program", "program"),
               field<&OperationSet::launches>("launches", "most launches of one of its points")};

template <>
inline constexpr auto fields<GuidelineRules> =
    std::array{field<&GuidelineRules::alpha>("alpha", "probability of a false alarm at any of the checks", "1"),
               field<&GuidelineRules::threshold>("threshold", "smallest excess that counts as a violation", "1")};

/// Points that no guideline is checked at.
struct UncheckedPoints {
    std::size_t unknown = 0;
    std::size_t without_value = 0;
};
template <>
inline constexpr auto fields<UncheckedPoints> =
    std::array{field<&UncheckedPoints::unknown>("unknown", "points that are no operation of MPI with a size"),
               field<&UncheckedPoints::without_value>("without_value", "points without a time above 0")};

template <>
inline constexpr auto fields<GuidelinesReport> = std::array{
    field<&GuidelinesReport::command>("command", "words of the command"),
    field<&GuidelinesReport::launches>("launches", "names of the launches"),
    field<&GuidelinesReport::points, &OperationPoints::sets>("sets", "points that were compared with each other"),
    field<&GuidelinesReport::rules>("rules", "rules of the checks"),
    field<&GuidelinesReport::warnings>("warnings", "warnings"),
    field<[](GuidelinesReport const& r) { return counts(r.result); }>("counts", "number of checks by verdict"),
    field<&GuidelinesReport::result, &GuidelineResult::checks>("checks", "checks in the order of the report"),
    field<&GuidelinesReport::result, &GuidelineResult::unchecked>("unchecked", "guidelines with missing points"),
    field<&GuidelinesReport::result, &GuidelineResult::commands>("commands", "commands that measure what is missing"),
    field<[](GuidelinesReport const& r) {
        return UncheckedPoints{r.points.unknown, r.points.without_value};
    }>("points", "points that are left out")};

Value guidelines_json(GuidelinesReport const& report) { return document(guidelines_kind().name, report); }

DocumentKind guidelines_kind() {
    return {"guidelines", "measure guidelines --json FILE", object_schema<GuidelinesReport>};
}

}  // namespace measure::tool
