// SPDX-License-Identifier: BSD-3-Clause
/// Gathers the trees of all ranks on the root: unites paths by name and creates a point for each. Collective.
#pragma once

#include "measure/comm.hpp"
#include "measure/report.hpp"
#include "regions/region_record.hpp"
#include "regions/region_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::detail {

namespace region {

inline std::vector<std::string> split(std::string const& joined) {
    std::vector<std::string> texts;
    for (std::size_t begin = 0; begin < joined.size();) {
        std::size_t const end = joined.find('\0', begin);
        texts.push_back(joined.substr(begin, end - begin));
        begin = end + 1;
    }
    return texts;
}

/// All paths that any rank entered. The list is the same on all ranks: first the root's paths in their order, then the
/// other paths. Collective.
inline std::vector<std::string> united(Comm const& comm, std::deque<RegionPath> const& mine) {
    auto const missing_from = [&](std::vector<std::string> const& known) {
        std::set<std::string_view> const has(known.begin(), known.end());
        std::string missing;
        for (auto const& path : mine)
            if (!has.contains(path.text) && path.tally.count() + path.tally.backward() > 0)
                missing.append(path.text).push_back('\0');
        return missing;
    };
    std::string joined = missing_from({});
    comm.broadcast(joined);
    auto paths = split(joined);
    auto const others = comm.gather(missing_from(paths));
    std::string more;
    std::set<std::string> seen;
    for (auto const& texts : others)
        for (auto const& path : split(texts))
            if (seen.insert(path).second)
                more.append(path).push_back('\0');
    comm.broadcast(more);
    for (auto& path : split(more))
        paths.push_back(std::move(path));
    return paths;
}

/// Kept durations of each rank, on the root. Collective.
inline std::vector<std::vector<double>> gather_samples(Comm const& comm, RegionPath const* path, double tick) {
    std::size_t const own = path == nullptr ? 0 : path->samples.values().size();
    auto const n = static_cast<std::size_t>(comm.max(static_cast<double>(own)));
    if (n == 0)
        return std::vector<std::vector<double>>(comm.is_root() ? static_cast<std::size_t>(comm.size()) : 0);
    std::vector<double> mine(n, std::numeric_limits<double>::quiet_NaN());
    if (path != nullptr)
        std::transform(path->samples.values().begin(), path->samples.values().end(), mine.begin(),
                       [&](std::int64_t ticks) { return static_cast<double>(ticks) * tick; });
    auto const all = comm.gather(mine);
    std::vector<std::vector<double>> samples;
    for (auto from = all.begin(); from != all.end(); from += static_cast<std::ptrdiff_t>(n)) {
        auto const last = from + static_cast<std::ptrdiff_t>(n);
        samples.emplace_back(from, std::find_if(from, last, [](double x) { return std::isnan(x); }));
    }
    return samples;
}

/// Data of all ranks about several paths, joined on the root. One collective call serves many paths, because each
/// collective call synchronises all ranks.
class Joined {
public:
    static constexpr std::size_t at_once = 64;

    /// Collective. \param paths  at most `at_once`; nullptr if this rank has not entered a path
    Joined(Comm const& comm, std::vector<RegionPath const*> const& paths, double tick)
        : bins_(paths.size() * LogBins::size) {
        std::array<RegionRow, at_once> mine{};
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (paths[i] == nullptr)
                continue;
            mine[i] = row_of(*paths[i], tick);
            auto const own = nanosecond_bins(paths[i]->tally, tick);
            std::copy(own.begin(), own.end(), bins_of(i).begin());
        }
        rows_ = comm.gather(mine);
        comm.sum_to_root(bins_);
    }

    /// Rows of the i-th path; on the root.
    [[nodiscard]] std::vector<RegionRow> rows_of(std::size_t i) const {
        std::vector<RegionRow> rows;
        for (auto const& rank : rows_)
            rows.push_back(rank[i]);
        return rows;
    }
    [[nodiscard]] std::span<double> bins_of(std::size_t i) {
        return std::span{bins_}.subspan(i * LogBins::size, LogBins::size);
    }

private:
    std::vector<std::array<RegionRow, at_once>> rows_{};  ///< [ranks]
    std::vector<double> bins_;                            ///< [paths][LogBins::size]
};

}  // namespace region

/// Points of all paths as lines of JSON, on the root. Collective.
/// \param samples  maximum number of durations kept for each path and rank
/// \param empty    measured time of an empty region
/// \param step     step of the timer
inline std::string region_points(Comm const& comm, RegionTree const& tree, std::size_t samples, seconds empty,
                                 seconds step) {
    std::map<std::string_view, RegionPath const*> mine;
    for (auto const& path : tree.paths())
        mine.emplace(path.text, &path);
    double const tick = tree.tick();
    auto const texts = region::united(comm, tree.paths());
    std::string lines;
    for (std::size_t from = 0; from < texts.size(); from += region::Joined::at_once) {
        std::size_t const n = std::min(region::Joined::at_once, texts.size() - from);
        std::vector<RegionPath const*> paths;
        for (std::size_t i = 0; i < n; ++i) {
            auto const found = mine.find(texts[from + i]);
            paths.push_back(found != mine.end() ? found->second : nullptr);
        }
        region::Joined joined(comm, paths, tick);
        for (std::size_t i = 0; i < n; ++i) {
            RegionView view{.path = texts[from + i], .rows = joined.rows_of(i), .empty = empty, .step = step};
            if (samples > 0)
                view.samples = region::gather_samples(comm, paths[i], tick);
            if (!comm.is_root())
                continue;
            view.bins = joined.bins_of(i);
            auto record = region_record(view);
            if (comm.oversubscribed())
                record.flag("oversubscribed");
            lines.append(json_line(record)).push_back('\n');
        }
    }
    return lines;
}

}  // namespace measure::detail
