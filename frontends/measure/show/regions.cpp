// SPDX-License-Identifier: BSD-3-Clause
#include "show/regions.hpp"

#include "page/document.hpp"
#include "shared/plain_text.hpp"
#include "show/notes.hpp"

#include <measure/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure::tool {

namespace {

using measure::Record;

constexpr std::size_t indent_per_level = 2;

/// A number of a region over all ranks: `derived.FIELD.WHICH` of its record.
double over_ranks(Record const& region, std::string_view field, std::string_view which) {
    return region.derived.number({field, which}).value_or(0);
}

/// A region in the tree.
struct Node {
    Record const* region = nullptr;
    std::size_t depth = 0;
    std::string name{};
};

/// The tree of regions, in the order of first appearance. If a filter removed the parent of a region, the region is at
/// the top with its full path.
class RegionForest {
public:
    explicit RegionForest(std::span<Record const> regions) {
        std::set<std::string> known;
        for (auto const& region : regions)
            known.insert(region.benchmark);
        for (auto const& region : regions) {
            auto const parent = region.derived.text("parent");
            inside_[known.contains(parent) ? parent : std::string{}].push_back(&region);
        }
        add("", 0);
    }
    [[nodiscard]] std::span<Node const> nodes() const { return nodes_; }

private:
    void add(std::string const& path, std::size_t depth) {
        auto const children = inside_.extract(path);
        if (children.empty())
            return;
        for (auto const* const region : children.mapped()) {
            nodes_.push_back({region, depth, depth > 0 ? region->derived.text("name") : region->benchmark});
            add(region->benchmark, depth + 1);
        }
    }

    std::map<std::string, std::vector<Record const*>> inside_{};
    std::vector<Node> nodes_{};
};

struct TimeUnit {
    std::string_view name;
    double seconds;
};

/// The unit in which the longest time has at most four digits before the decimal point.
TimeUnit unit_for(double longest) {
    constexpr std::array units{TimeUnit{"us", 1e-6}, TimeUnit{"ms", 1e-3}};
    auto const found = std::find_if(units.begin(), units.end(), [&](auto u) { return longest < 1e4 * u.seconds; });
    return found != units.end() ? *found : TimeUnit{"s", 1};
}

std::string share_text(double part, double whole) {
    return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : std::string{"-"};
}

/// 100 * (max / mean - 1): the excess of the slowest rank over the mean, in per cent.
std::string imbalance_text(Record const& region) {
    auto const mean = over_ranks(region, "total", "mean");
    return share_text(over_ranks(region, "total", "max") - mean, mean);
}

std::vector<page::Cell> row_of_region(Node const& node, TimeUnit const& unit, double whole, int ranks, Notes& notes) {
    auto const& region = *node.region;
    auto const time = [&](std::string_view field, std::string_view which) {
        return fmt::format("{:.3f}", over_ranks(region, field, which) / unit.seconds);
    };
    auto const entered_by = region.derived.number({"entered_by"}).value_or(0);
    bool const is_everywhere = entered_by == ranks;
    return {std::string(indent_per_level * node.depth, ' ') + node.name,
            fmt::format("{}", region.attempts),
            time("exclusive", "mean"),
            share_text(over_ranks(region, "exclusive", "mean"), whole),
            time("total", "mean"),
            time("total", "min"),
            time("total", "max"),
            imbalance_text(region),
            is_everywhere ? std::string{} : fmt::format("{:.0f}", entered_by),
            notes.letter(region)};
}

}  // namespace

bool has_regions(Launch const& launch) {
    auto const& points = launch.record.points;
    return launch.record.run.suite == "regions" && !points.empty() &&
           std::all_of(points.begin(), points.end(), [](Record const& point) {
               return point.derived.number({"total", "mean"}).has_value();
           });
}

std::string regions_text(Launch const& launch) {
    RegionForest const forest{launch.record.points};
    double whole = 0;
    double longest = 0;
    for (auto const& node : forest.nodes()) {
        whole += over_ranks(*node.region, "exclusive", "mean");
        longest = std::max(longest, over_ranks(*node.region, "total", "max"));
    }
    auto const unit = unit_for(longest);
    page::Table table{.columns = {"region", "entries", "exclusive", "share", "inclusive", "min", "max", "imbalance",
                                  "ranks", "note"}};
    Notes notes;
    for (auto const& node : forest.nodes())
        table.rows.push_back(row_of_region(node, unit, whole, launch.record.run.ranks, notes));
    drop_empty_columns(table);
    return fmt::format("# times in {}, means over all ranks; min, max: inclusive time of a rank;\n"
                       "#   share: of the total exclusive time, in %; imbalance: max / inclusive - 1, in %\n",
                       unit.name) +
           plain_rows(table) + notes.text();
}

}  // namespace measure::tool
