// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/programs.hpp"

#include "analysis/core/text.hpp"
#include "analysis/runs/common_terms.hpp"
#include "analysis/runs/method.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace measure {

namespace {

/// Facts about a side after its conversion to common terms.
struct CommonSide {
    std::vector<std::string> left_out{};
    std::map<std::string, std::vector<Method>> methods{};  ///< by operation
};

CommonSide use_common_terms(std::vector<Launch>& launches) {
    CommonSide side;
    for (auto& launch : launches) {
        auto common = in_common_terms(launch);
        for (auto const& point : common.left_out)
            detail::add_once(side.left_out, point);
        for (auto const& [operation, methods] : common.methods)
            for (auto const& method : methods)
                detail::add_once(side.methods[operation], method);
        launch = std::move(common.launch);
    }
    return side;
}

/// Text such as "skampi (between two barriers, less the time of a barrier, root)". Lists the methods of operations that
/// the other side has too.
std::string measured_by(std::span<Launch const> launches, CommonSide const& side, CommonSide const& other) {
    std::vector<std::string> texts;
    for (auto const& [operation, methods] : side.methods)
        if (other.methods.contains(operation))
            for (auto const& method : methods)
                detail::add_once(texts, method_text(method));
    auto const program = program_of(launches.front().record.run);
    return texts.empty() ? program : fmt::format("{} ({})", program, fmt::join(texts, "; "));
}

/// Whether an operation was measured by different methods.
bool have_other_methods(CommonSide const& a, CommonSide const& b) {
    return std::any_of(a.methods.begin(), a.methods.end(), [&](auto const& entry) {
        auto const other = b.methods.find(entry.first);
        if (other == b.methods.end())
            return false;
        auto both = entry.second;
        both.insert(both.end(), other->second.begin(), other->second.end());
        return !differing_methods(both).empty();
    });
}

void add_repeated(CommonSide const& side, std::string_view name, std::vector<std::string>& warnings) {
    if (side.left_out.empty())
        return;
    auto const more = side.left_out.size() - 1;
    warnings.push_back(fmt::format("{} has several values of some points, only the first is used: {}{} not compared",
                                   name, side.left_out.front(),
                                   more == 0 ? std::string{" is"} : fmt::format(" and {} more are", more)));
}

}  // namespace

bool are_of_several_suites(Split const& sides) {
    std::set<std::string> suites;
    for (auto const* const side : {&sides.a, &sides.b})
        for (auto const& launch : *side)
            suites.insert(launch.record.run.suite);
    return suites.size() > 1;
}

MatchedOperations match_operations(Split& sides, std::vector<Launch>& noise) {
    auto const a = use_common_terms(sides.a);
    auto const b = use_common_terms(sides.b);
    static_cast<void>(use_common_terms(noise));
    std::vector<std::string> warnings;
    add_repeated(a, "A", warnings);
    add_repeated(b, "B", warnings);
    Difference methods{
        .text = fmt::format(
            "A is measured by {}, B by {}{}", measured_by(sides.a, a, b), measured_by(sides.b, b, a),
            have_other_methods(a, b) ? ": a difference may come from the methods, not from the machine or MPI" : ""),
        .field = "method",
        .serious = true};
    return {std::move(methods), std::move(warnings)};
}

bool is_of_program(Difference const& difference) {
    constexpr std::array<std::string_view, 4> fields{"suite", "program", "version", "timer"};
    return difference.field.starts_with("options.") ||
           std::find(fields.begin(), fields.end(), difference.field) != fields.end();
}

}  // namespace measure
