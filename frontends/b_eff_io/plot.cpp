// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace b_eff_io {

namespace {

struct Place {
    int position;  ///< position of the pattern in the summary
    int x;
    char const* label;
};
/// Chunks that differ by 8 bytes are next to each other.
constexpr std::array places{Place{1, 1, "1k"}, Place{2, 2, "+8"}, Place{3, 4, "32k"},    Place{4, 5, "+8"},
                            Place{5, 7, "1M"}, Place{6, 8, "+8"}, Place{7, 10, "M_PART"}};

/// Puts a text in single quotes and doubles the quotes in it.
std::string quoted(std::string const& text) {
    std::string result{"'"};
    for (char const c : text)
        result.append(c == '\'' ? 2 : 1, c);
    return result + "'";
}

/// The types for which curves are drawn.
std::span<Type const> types_of_curves(bool random) {
    return std::span{with_random}.first(random ? with_random.size() : all_types.size());
}

bool has_values(PartitionResult const& partition, Access access, Type type) {
    return std::any_of(places.begin(), places.end(), [&](Place const& place) {
        return partition.at(access).at(type, place.position).bandwidth().has_value();
    });
}

}  // namespace

std::string plot_data(std::span<PartitionResult const> partitions, bool random) {
    std::string text = "# x, chunk [bytes], then MB/s (10^6 bytes/s) of each type\n";
    for (auto const& partition : partitions)
        for (Access const access : all_accesses) {
            text += fmt::format("# {} processes, {}\n", partition.processes, name(access));
            for (Place const& place : places) {
                text += fmt::format("{} {}", place.x, chunk_at(partition, place.position));
                for (Type const type : types_of_curves(random)) {
                    auto const rate = partition.at(access).at(type, place.position).bandwidth();
                    text += rate ? fmt::format(" {:.6f}", *rate / measure::mega) : " -";
                }
                text += "\n";
            }
            text += "\n\n";
        }
    return text;
}

std::string plot_script(std::span<PartitionResult const> partitions, std::string const& prefix, bool random) {
    std::string labels;
    for (Place const& place : places)
        labels += fmt::format("{}'{}' {}", labels.empty() ? "" : ", ", place.label, place.x);
    std::string text = fmt::format("# gnuplot {0}.gps\n"
                                   "set terminal svg size 800,600 noenhanced\n"
                                   "set datafile missing '-'\n"
                                   "set logscale y\n"
                                   "set xrange [0:11]\n"
                                   "set xtics ({1})\n"
                                   "set xlabel 'contiguous chunk on disk [bytes]'\n"
                                   "set ylabel 'bandwidth [MB/s], 10^6 bytes/s'\n"
                                   "set key left top\n"
                                   "set grid\n",
                                   prefix, labels);
    std::size_t block = 0;
    for (auto const& partition : partitions)
        for (Access const access : all_accesses) {
            // gnuplot warns of a curve without a value, and stops at a diagram without one.
            std::string curves;
            for (Type const type : types_of_curves(random))
                if (has_values(partition, access, type))
                    curves += fmt::format("{} {} index {} using 1:{} with linespoints title '{}'",
                                          curves.empty() ? "" : ",", quoted(prefix + ".plot"), block, index(type) + 3,
                                          type == Type::random ? "random, not part of b_eff_io" : name(type));
            ++block;
            if (curves.empty())
                continue;
            text += fmt::format("set output {}\nset title 'b_eff_io, {} processes, {}'\nplot{}\n",
                                quoted(fmt::format("{}_{:03}_{}.svg", prefix, partition.processes, name(access))),
                                partition.processes, name(access), curves);
        }
    return text;
}

}  // namespace b_eff_io
