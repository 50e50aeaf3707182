// SPDX-License-Identifier: BSD-3-Clause
/// The fields of the summary of `measure pairs`.
#include "pairs/report.hpp"
#include "shared/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace measure::tool {

using pairs::Effort;
using pairs::Finding;
using pairs::index;
using pairs::Judged;
using pairs::Kind;
using pairs::Metric;
using pairs::PairClass;
using pairs::Result;

/// The smallest slowdowns that are found, as shares.
struct Smallest {
    double link = 0;
    double node = 0;
};
template <>
inline constexpr auto fields<Smallest> =
    std::array{field<&Smallest::link>("link", "smallest slowdown of a link, as a share", "1"),
               field<&Smallest::node>("node", "smallest slowdown of a node, as a share", "1")};

template <>
inline constexpr auto fields<Effort> =
    std::array{field<&Effort::repetitions>("repetitions", "repetitions of each pair"),
               field<&Effort::confirm>("confirm", "trials of each suspect"), field<[](Effort const& e) {
                   return Smallest{e.reach.link, e.reach.node};
               }>("reach", "slowdowns that this effort finds")};

namespace {

std::optional<double> if_number(double x) { return std::isnan(x) ? std::nullopt : std::optional{x}; }

}  // namespace

/// The judgement of one quantity.
struct JudgedQuantity {
    Judged const* judged = nullptr;
    bool is_comparison = false;

    [[nodiscard]] std::optional<std::vector<std::pair<std::string, double>>> levels() const {
        std::vector<std::pair<std::string, double>> all;
        for (std::size_t c = 0; c < judged->fit.levels.size(); ++c)
            if (judged->quantity != Metric::direction && !std::isnan(judged->fit.levels[c]))
                all.emplace_back(name(static_cast<PairClass>(c)), std::exp(judged->fit.levels[c]));
        return all.empty() ? std::nullopt : std::optional{all};
    }
    [[nodiscard]] std::optional<Smallest> detectable() const {
        auto const& smallest = judged->smallest;
        return smallest.link > 0 ? std::optional{Smallest{smallest.link, smallest.node}} : std::nullopt;
    }
};
template <>
inline constexpr auto fields<JudgedQuantity> = std::array{
    field<&JudgedQuantity::levels>("levels", "median of each class, or its ratio to the reference", "s or s/B",
                                   Present::if_set),
    field<&JudgedQuantity::judged, &Judged::fit, &pairs::Fit::effects>(
        "node_effects", "logarithm of each node's time over that of the median node, by node"),
    field<[](JudgedQuantity const& q) { return q.is_comparison ? std::nullopt : if_number(q.judged->noise); }>(
        "noise", "standard deviation of the logarithm of one measurement", "", Present::if_set),
    field<&JudgedQuantity::detectable>("detectable", "slowdowns that would have been found", "", Present::if_set)};

/// A finding of any kind.
struct FindingRow {
    std::string kind{};
    std::optional<std::string> quantity{};
    std::optional<std::string> slow{};
    std::optional<std::string> group{};
    std::vector<std::string> members{};
    std::optional<std::string> beside{};
    std::optional<Finding> tested{};  ///< result of its test
    bool has_effect = false;
    bool has_test = false;
    std::optional<long long> byte{};
    std::optional<std::size_t> times{};

    template <class T>
    [[nodiscard]] std::optional<T> of_effect(T Finding::*member) const {
        return tested && has_effect ? std::optional{(*tested).*member} : std::nullopt;
    }
    template <class T>
    [[nodiscard]] std::optional<T> of_test(T Finding::*member) const {
        return tested && has_test ? std::optional{(*tested).*member} : std::nullopt;
    }
};
template <>
inline constexpr auto fields<FindingRow> =
    std::array{field<&FindingRow::kind>("kind", "link, node, group, direction, binding, no answer or corrupt"),
               field<&FindingRow::quantity>("quantity", "latency or bandwidth", "", Present::if_set),
               field<&FindingRow::slow>("slow", "the slow direction of a node: receives or sends", "", Present::if_set),
               field<&FindingRow::group>("group", "name of the group", "", Present::if_set),
               field<&FindingRow::members>("members", "names of the nodes"),
               field<&FindingRow::beside>("beside", "for a binding: the node next to which the member seems to run", "",
                                          Present::if_set),
               field<[](FindingRow const& f) { return f.of_effect(&Finding::confirmed); }>(
                   "confirmed", "true if the test confirms the finding", "", Present::if_set),
               field<[](FindingRow const& f) { return f.of_effect(&Finding::effect); }>(
                   "effect", "increase of the time, as a share", "1", Present::if_set),
               field<[](FindingRow const& f) { return f.tested && f.has_effect ? f.tested->interval : std::nullopt; }>(
                   "interval", "95 % interval of the effect", "1", Present::if_set),
               field<[](FindingRow const& f) { return f.of_test(&Finding::p); }>(
                   "p", "p of the one-sided signed rank test; for a group, of the sign test", "", Present::if_set),
               field<[](FindingRow const& f) { return f.of_test(&Finding::adjusted_p); }>(
                   "adjusted_p", "p adjusted by Holm", "", Present::if_set),
               field<[](FindingRow const& f) { return f.of_test(&Finding::trials); }>(
                   "trials", "trials of the confirmation; for a group, its number of nodes", "", Present::if_set),
               field<[](FindingRow const& f) { return f.of_test(&Finding::controls); }>(
                   "controls", "controls measured with the trials", "", Present::if_set),
               field<&FindingRow::byte>("byte", "index of the first corrupt byte", "", Present::if_set),
               field<&FindingRow::times>("times", "number of exchanges with corrupt data", "", Present::if_set)};

/// The member `derived` of the summary line.
struct PairsSummary {
    Result const* result = nullptr;

    template <Metric quantity>
    [[nodiscard]] std::optional<JudgedQuantity> judged() const {
        for (auto const& one : result->judged)
            if (one.quantity == quantity)
                return JudgedQuantity{&one, result->is_comparison};
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> why_no_points() const {
        if (result->is_comparison || has_points(*result))
            return std::nullopt;
        return fmt::format("omitted: more than {} nodes without --all", pairs::most_nodes_of_points);
    }

    [[nodiscard]] FindingRow row_of(Finding const& finding) const {
        auto const& suspect = finding.suspect;
        bool const has_direction = is_directed(*result, finding);
        FindingRow row{.kind = has_direction                 ? "direction"
                               : suspect.kind == Kind::group ? "group"
                               : suspect.kind == Kind::node  ? "node"
                                                             : "link",
                       .quantity = std::string{name(measured_as(result->judged[suspect.quantity].quantity))},
                       .tested = finding,
                       .has_effect = true,
                       .has_test = !result->is_comparison};
        if (has_direction && suspect.kind == Kind::node)
            row.slow = suspect.receives ? "receives" : "sends";
        if (suspect.kind == Kind::group) {
            row.group = result->groups[index(suspect.a)];
            for (int i = 0; i < static_cast<int>(result->nodes.size()); ++i)
                if (result->group[index(i)] == suspect.a)
                    row.members.push_back(result->name_of(i));
            return row;
        }
        row.members.push_back(result->name_of(suspect.a));
        if (suspect.kind == Kind::link)
            row.members.push_back(result->name_of(suspect.b));
        return row;
    }

    [[nodiscard]] std::vector<FindingRow> findings() const {
        std::vector<FindingRow> rows;
        for (auto const& finding : result->verdict.findings)
            rows.push_back(row_of(finding));
        for (auto const& [a, b] : result->unanswered)
            rows.push_back({.kind = "no answer", .members = {result->name_of(a), result->name_of(b)}});
        for (auto const& wrong : result->wrong)
            rows.push_back({.kind = "corrupt",
                            .members = {result->name_of(wrong.from), result->name_of(wrong.to)},
                            .byte = wrong.at,
                            .times = wrong.times});
        for (auto const& finding : result->bindings)
            rows.push_back({.kind = "binding",
                            .members = {result->name_of(finding.suspect.a)},
                            .beside = result->name_of(finding.suspect.b),
                            .tested = finding,
                            .has_test = true});
        return rows;
    }
};
template <>
inline constexpr auto fields<PairsSummary> = std::array{
    field<[](PairsSummary const& s) { return s.result->nodes.size(); }>("nodes", "number of nodes"),
    field<&PairsSummary::result, &Result::planned>("pairs", "number of pairs to measure"),
    field<&PairsSummary::result, &Result::measured>("measured", "number of pairs measured in every repetition"),
    field<&PairsSummary::result, &Result::rounds>("rounds", "rounds of the tournament"),
    field<&PairsSummary::why_no_points>("points", "reason why the record has no points", "", Present::if_set),
    field<&PairsSummary::result, &Result::untested, or_null>("untested", "reason why nothing was tested", "",
                                                             Present::if_set),
    field<&PairsSummary::result, &Result::effort>("effort", "effort chosen for --effect", "", Present::if_set),
    field<&PairsSummary::result, &Result::verdict, &pairs::Verdict::screened>("screened", "number of suspects"),
    field<&PairsSummary::result, &Result::verdict, &pairs::Verdict::sieved>(
        "sieved", "number of suspects that remained after the sieve"),
    field<&PairsSummary::judged<Metric::latency>>("latency", "analysis of the latencies", "", Present::if_set),
    field<&PairsSummary::judged<Metric::bandwidth>>("bandwidth", "analysis of the bandwidths", "", Present::if_set),
    field<&PairsSummary::judged<Metric::direction>>(
        "direction", "analysis of the bandwidth in one direction over that in the other", "", Present::if_set),
    field<&PairsSummary::findings>("findings", "findings, the confirmed ones first")};

measure::Summary pairs::summary_of(Result const& result) {
    measure::Summary summary{.name = "pairs", .derived = object_of(PairsSummary{&result})};
    if (result.untested.empty() && !result.is_interrupted && !result.is_comparison) {
        auto const& all = result.verdict.findings;
        summary.value = static_cast<double>(
            std::count_if(all.begin(), all.end(), [](Finding const& finding) { return finding.confirmed; }));
    }
    return summary;
}

DocumentKind pairs_kind() {
    return {"pairs", "measure pairs --json FILE, as `derived` of the summary", object_schema<PairsSummary>,
            DocumentKind::Form::part};
}

}  // namespace measure::tool
