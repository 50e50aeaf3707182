// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/catalogue.hpp"

#include "b_eff/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace b_eff {

namespace {

/// Each process sends two messages, or one in rings of two.
std::int64_t ring_messages(int size, int count) { return std::int64_t{size} * count * (size > 2 ? 2 : 1); }

Pattern ring_pattern(int number, int n) {
    auto const r = rings(number, n);
    char const* const rest = r.second_count == 0 ? "fix" : r.second_size > r.first_size ? "&+1" : "&-1";
    return {.key = fmt::format("ring-{}", number),
            .label = fmt::format("ring-{}*{}{}", r.count(), r.first_size, rest),
            .family = Family::ring,
            .team = Team::line,
            .processes = n,
            .exchanges = std::max(r.first_size, r.second_size) > 2 ? 2 : 1,
            .messages = ring_messages(r.first_size, r.first_count) + ring_messages(r.second_size, r.second_count),
            .rings = r};
}

/// A pattern with all processes in one ring.
Pattern polygon(Family family, std::string key, std::string label, int n) {
    return {.key = std::move(key),
            .label = std::move(label),
            .family = family,
            .processes = n,
            .exchanges = n > 2 ? 2 : 1,
            .messages = ring_messages(n, 1),
            .rings = {1, n, 0, 0}};
}

Pattern pairs(Family family, std::string key, std::string label, Team team, int m) {
    return {.key = std::move(key),
            .label = std::move(label),
            .family = family,
            .team = team,
            .processes = m,
            .exchanges = 2,
            .messages = m};
}

Pattern grid_pattern(Grid const& g, bool periodic, int direction) {
    constexpr std::string_view names = "xyz";
    auto const which = direction == Pattern::all_directions ? "all" : std::string{names.at(std::size_t(direction))};
    auto const kind = periodic ? "cyclic" : "acyclic";
    Pattern p{.key = !periodic ? fmt::format("acyclic-{}d", g.dimensions)
                               : fmt::format("cyclic-{}d-{}", g.dimensions, which),
              .label = fmt::format("{}-{}dim-{}", kind, g.dimensions, which),
              .family = periodic ? Family::cyclic : Family::acyclic,
              .team = g.dimensions == 2 ? Team::plane : Team::space,
              .processes = g.size(),
              .exchanges = 0,
              .grid = g,
              .direction = direction};
    for (int d = 0; d < g.dimensions; ++d)
        if (direction == Pattern::all_directions || direction == d) {
            int const extent = g.extents.at(std::size_t(d));
            p.exchanges += extent < 2 ? 0 : extent == 2 && periodic ? 1 : 2;
            p.messages += grid_messages(g, d, periodic);
        }
    return p;
}

void add_grids(std::vector<Pattern>& all, int n) {
    auto const plane = grid(2, n);
    auto const space = grid(3, n);
    for (Grid const& g : {plane, space})
        all.push_back(grid_pattern(g, false, Pattern::all_directions));
    for (Grid const& g : {plane, space}) {
        for (int d = 0; d < g.dimensions; ++d)
            if (g.extents.at(std::size_t(d)) > 1)
                all.push_back(grid_pattern(g, true, d));
        all.push_back(grid_pattern(g, true, Pattern::all_directions));
    }
}

/// A process that begins sends in the first exchange and receives the answer in the second.
std::vector<Exchange> ping_pong(int partner, bool begins) {
    std::vector<Exchange> both{{partner, nobody}, {nobody, partner}};
    if (!begins)
        std::swap(both[0], both[1]);
    return both;
}

}  // namespace

std::string_view name(Method method) noexcept {
    static constexpr std::array<std::string_view, 3> names{"sendrecv", "alltoallv", "nonblocking"};
    return names[static_cast<std::size_t>(method)];
}

std::vector<Pattern> catalogue(int n, int random, bool extra) {
    std::vector<Pattern> all;
    for (int k = 1; k <= ring_patterns; ++k)
        all.push_back(ring_pattern(k, n));
    for (int r = 1; r <= random; ++r)
        all.push_back(polygon(Family::random, fmt::format("random-{}", r), fmt::format("random-1*{} no. {}", n, r), n));
    if (!extra)
        return all;
    int const m = n - n % 2;
    all.push_back(polygon(Family::worst_cycle, "worst-cycle", "worst-cyc-1dim", n));
    all.push_back(pairs(Family::best_bisection, "best-bisection", "best bi-section", Team::even, m));
    all.push_back(pairs(Family::worst_bisection, "worst-bisection", "worst bi-section", Team::even, m));
    all.push_back(pairs(Family::ping_pong, "ping-pong", "one PingPong Pair", Team::pair, 2));
    add_grids(all, n);
    return all;
}

std::vector<int> worst_cycle(int n) {
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
        order[static_cast<std::size_t>(i)] = i % 2 == 0 ? i / 2 : n - 1 - (i - 1) / 2;
    return order;
}

namespace {

/// The exchanges of a rank with its neighbours in a polygon through all ranks.
std::vector<Exchange> in_polygon(std::span<int const> order, int rank) {
    std::vector<Exchange> found;
    auto const n = order.size();
    auto const place = static_cast<std::size_t>(std::find(order.begin(), order.end(), rank) - order.begin());
    add_ring_exchanges(found, order[(place + n - 1) % n], order[(place + 1) % n], static_cast<int>(n));
    return found;
}

std::vector<Exchange> in_grid(Pattern const& p, int rank) {
    std::vector<Exchange> found;
    for (int d = 0; d < p.grid.dimensions; ++d)
        if (p.direction == Pattern::all_directions || p.direction == d)
            add_grid_exchanges(found, p.grid, d, p.family == Family::cyclic, rank);
    return found;
}

}  // namespace

std::vector<Exchange> exchanges(Pattern const& p, int rank, std::span<int const> order) {
    switch (p.family) {
    case Family::ring: {
        std::vector<Exchange> found;
        auto const [first, size] = p.rings.around(rank);
        add_ring_exchanges(found, first + (rank - first + size - 1) % size, first + (rank - first + 1) % size, size);
        return found;
    }
    case Family::random:
        return in_polygon(order, rank);
    case Family::worst_cycle:
        return in_polygon(worst_cycle(p.processes), rank);
    case Family::best_bisection:
    case Family::ping_pong:
        return ping_pong(rank % 2 == 0 ? rank + 1 : rank - 1, rank % 2 == 0);
    case Family::worst_bisection:
        return ping_pong(p.processes - 1 - rank, rank < p.processes / 2);
    case Family::acyclic:
    case Family::cyclic:
        break;
    }
    return in_grid(p, rank);
}

std::string partners(Pattern const& p) {
    if (p.family == Family::worst_cycle)
        return fmt::format("{}", fmt::join(worst_cycle(p.processes), " "));
    if (p.family != Family::best_bisection && p.family != Family::worst_bisection)
        return {};
    std::string text;
    for (int rank = 0; rank < p.processes; ++rank)
        if (int const to = exchanges(p, rank).front().to; to != nobody)
            put(text, "{}({},{})", text.empty() ? "" : " ", rank, to);
    return text;
}

std::string members(Rings const& rings) {
    std::string text;
    int next = 0;
    for (int const size : rings.sizes()) {
        text += text.empty() ? "{" : " {";
        for (int i = 0; i < size; ++i)
            put(text, "{}{}", i == 0 ? "" : ",", next++);
        text += '}';
    }
    return text;
}

namespace {

std::string shape(Pattern const& p, int n) {
    auto const idle = n - p.processes;
    switch (p.family) {
    case Family::ring:
        return p.rings.text();
    case Family::random:
    case Family::worst_cycle:
        return "1x" + std::to_string(n);
    case Family::acyclic:
    case Family::cyclic:
        return fmt::format("{}, {} unused", p.grid.text(), idle);
    default:
        return fmt::format("{} processes, {} unused", p.processes, idle);
    }
}

}  // namespace

std::string list(std::span<Pattern const> patterns) {
    std::string text;
    int const n = patterns.front().processes;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        Pattern const& p = patterns[i];
        put(text, "  p{:02} {:<16} {:<20} M={:<6} exchanges={} {}\n", i, p.key, p.label, p.messages, p.exchanges,
            shape(p, n));
    }
    return text;
}

}  // namespace b_eff
