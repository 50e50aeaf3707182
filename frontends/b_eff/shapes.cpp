// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace b_eff {

std::vector<int> Rings::sizes() const {
    std::vector<int> all(static_cast<std::size_t>(first_count), first_size);
    all.insert(all.end(), static_cast<std::size_t>(second_count), second_size);
    return all;
}

std::pair<int, int> Rings::around(int place) const noexcept {
    int const in_first = first_count * first_size;
    if (place < in_first)
        return {place / first_size * first_size, first_size};
    return {in_first + (place - in_first) / second_size * second_size, second_size};
}

std::string Rings::text() const {
    auto const first = fmt::format("{}x{}", first_count, first_size);
    return second_count > 0 ? fmt::format("{}+{}x{}", first, second_count, second_size) : first;
}

Rings rings(int pattern, int n) {
    std::array const standard{2, 4, 8, std::max(16, n / 4), std::max(32, n / 2), n};
    // The paper's exception to the rule for remaining processes.
    bool const is_one = pattern == 2 && n <= 7;
    long long const size = is_one ? n : std::min(standard.at(static_cast<std::size_t>(pattern - 1)), n);
    // floor(n / size + 0.4)
    auto const wanted = (5LL * n + 2 * size) / (5 * size);
    int const count = static_cast<int>(std::max(1LL, std::min<long long>(wanted, n / 2)));
    int const low = n / count;
    int const high_count = n - low * count;
    int const low_count = count - high_count;
    if (high_count == 0)
        return {low_count, low, 0, 0};
    return low % 2 == 1 ? Rings{high_count, low + 1, low_count, low} : Rings{low_count, low, high_count, low + 1};
}

std::string Grid::text() const {
    auto const plane = fmt::format("{}*{}", extents[0], extents[1]);
    return dimensions == 2 ? plane : fmt::format("{}*{}", plane, extents[2]);
}

namespace {

/// The smallest divisor d of g with d * d >= g: the larger of two factors.
int larger_factor(int g) {
    int small = 1;
    for (int d = 1; static_cast<long long>(d) * d <= g; ++d)
        if (g % d == 0)
            small = d;
    return g / small;
}

}  // namespace

Grid factors(int dimensions, int g) {
    int const large = larger_factor(g);
    if (dimensions == 2)
        return {2, {large, g / large, 1}};
    Grid best{3, {g, 1, 1}};
    for (int first = 1; first <= g; ++first) {
        if (g % first != 0)
            continue;
        int const second = larger_factor(g / first);
        if (second <= first)
            return {3, {first, second, g / first / second}};
    }
    return best;
}

Grid grid(int dimensions, int n) {
    for (int g = n;; --g) {
        auto const found = factors(dimensions, g);
        int const smallest = found.extents.at(static_cast<std::size_t>(dimensions - 1));
        if (smallest > 1 || (g < 8 && g % 2 == 0) || g < 4)
            return found;
    }
}

void add_ring_exchanges(std::vector<Exchange>& to, int left, int right, int size) {
    to.push_back({left, right});
    if (size > 2)
        to.push_back({right, left});
}

void add_grid_exchanges(std::vector<Exchange>& to, Grid const& grid, int direction, bool periodic, int rank) {
    auto const d = static_cast<std::size_t>(direction);
    int stride = 1;
    for (std::size_t i = d + 1; i < grid.extents.size(); ++i)
        stride *= grid.extents[i];
    int const extent = grid.extents[d];
    if (extent < 2)
        return;
    int const place = rank / stride % extent;
    auto const neighbour = [&](int other) {
        if (other < 0 || other >= extent) {
            if (!periodic)
                return nobody;
            other = (other + extent) % extent;
        }
        return rank + (other - place) * stride;
    };
    int const lower = neighbour(place - 1);
    int const upper = neighbour(place + 1);
    to.push_back({lower, upper});
    if (!periodic || extent > 2)
        to.push_back({upper, lower});
}

long long grid_messages(Grid const& grid, int direction, bool periodic) noexcept {
    int const extent = grid.extents[static_cast<std::size_t>(direction)];
    long long const messages = 2LL * (extent - 1 + (periodic ? 1 : 0)) * (grid.size() / extent);
    return extent < 2 ? 0 : extent == 2 && periodic ? messages / 2 : messages;
}

}  // namespace b_eff
