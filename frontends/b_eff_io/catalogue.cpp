// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace b_eff_io {

using measure::Bytes;

namespace {

constexpr Bytes kilobyte = measure::kibi;
constexpr std::array type_words{"scatter", "shared", "separated", "segmented", "seg_coll", "random"};
constexpr std::array access_words{"write", "rewrite", "read"};

constexpr int first_of(Type type) noexcept {
    constexpr std::array first{0, 9, 17, 25, 34, 43};
    return first[index(type)];
}

/// Adds the eight patterns with l = L. Chunks of 1 MB and more have two units, except M_PART, which has four for type
/// shared.
constexpr void add_plain(std::array<Pattern, pattern_count>& table, Type type, int units_of_largest) {
    struct Row {
        Bytes chunk;
        int units, position;
    };
    std::array const rows{Row{megabyte, 0, 0},     Row{part_of_memory, units_of_largest, 7},
                          Row{megabyte, 2, 5},     Row{32 * kilobyte, 1, 3},
                          Row{kilobyte, 1, 1},     Row{32 * kilobyte + 8, 1, 4},
                          Row{kilobyte + 8, 1, 2}, Row{megabyte + 8, 2, 6}};
    int number = first_of(type);
    for (Row const& row : rows) {
        table[static_cast<std::size_t>(number)] = {number, type, row.chunk, row.chunk, row.units, row.position};
        ++number;
    }
    if (is_segmented(type))
        table[static_cast<std::size_t>(number)] = {number, type, fill_up, fill_up, 0, 0};
}

constexpr std::array<Pattern, pattern_count> make_table() {
    std::array<Pattern, pattern_count> table{
        Pattern{0, Type::scatter, megabyte, megabyte, 0, 0},
        Pattern{1, Type::scatter, part_of_memory, part_of_memory, 4, 7},
        Pattern{2, Type::scatter, megabyte, 2 * megabyte, 4, 8},
        Pattern{3, Type::scatter, megabyte, megabyte, 4, 5},
        Pattern{4, Type::scatter, 32 * kilobyte, megabyte, 2, 3},
        Pattern{5, Type::scatter, kilobyte, megabyte, 2, 1},
        Pattern{6, Type::scatter, 32 * kilobyte + 8, megabyte + 256, 2, 4},
        Pattern{7, Type::scatter, kilobyte + 8, megabyte + 8 * kilobyte, 2, 2},
        Pattern{8, Type::scatter, megabyte + 8, megabyte + 8, 2, 6},
    };
    add_plain(table, Type::shared, 4);
    add_plain(table, Type::separated, 2);
    add_plain(table, Type::segmented, 2);
    add_plain(table, Type::seg_coll, 2);
    add_plain(table, Type::random, 2);
    return table;
}

constexpr std::array<Pattern, pattern_count> pattern_table = make_table();

std::string length_text(Bytes length, Bytes m_part) {
    if (length == fill_up)
        return "fill-up";
    if (length == part_of_memory && m_part == 0)
        return "M_PART";
    return fmt::format("{}", resolve(length, m_part, 0));
}

}  // namespace

std::string_view name(Access a) noexcept { return access_words[index(a)]; }

std::string_view name(Type t) noexcept { return type_words[index(t)]; }

std::vector<std::string> type_names() { return {type_words.begin(), type_words.begin() + all_types.size()}; }

std::array<Pattern, pattern_count> const& patterns() noexcept { return pattern_table; }

std::span<Pattern const> patterns_of(Type type) noexcept {
    auto const belongs = [type](Pattern const& p) { return p.type == type; };
    auto const* const begin = std::find_if(pattern_table.begin(), pattern_table.end(), belongs);
    return {begin, std::find_if_not(begin, pattern_table.end(), belongs)};
}

int units_of(Type type) noexcept {
    int units = 0;
    for (Pattern const& p : patterns_of(type))
        units += p.units;
    return units;
}

Bytes largest_chunk(std::int64_t megabytes) noexcept { return std::max(2 * megabyte, megabytes * (megabyte / 128)); }

Bytes resolve(Bytes length, Bytes m_part, Bytes fill) noexcept {
    return length == part_of_memory ? m_part : length == fill_up ? fill : length;
}

std::string list_of_patterns(Bytes m_part, double scheduled, bool random) {
    auto text = fmt::format("{:>3} {:<10}{:>12}{:>12}{:>3}{:>4}{:>9}\n", "No", "type", "l [bytes]", "L [bytes]", "U",
                            "pos", "Tp [s]");
    for (Pattern const& p : pattern_table) {
        if (p.type == Type::random && !random)
            continue;
        text += fmt::format("{:>3} {:<10}{:>12}{:>12}{:>3}{:>4}{:>9.2f}\n", p.number, name(p.type),
                            length_text(p.chunk, m_part), length_text(p.length, m_part), p.units, p.position,
                            p.units * scheduled);
    }
    std::string sums;
    for (Type const type : all_types)
        sums += fmt::format("{} {}, ", name(type), units_of(type));
    text += fmt::format("sum of U: {}all {}\n", sums, all_units);
    if (random)
        text += fmt::format("random: {} in addition, not part of b_eff_io\n", units_of(Type::random));
    return text;
}

}  // namespace b_eff_io
