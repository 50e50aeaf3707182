// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/operations/partners.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pmb {

int Draw::operator()(int below) noexcept {
    state_ = 7560690468208412377U * state_ + 4343336064253945357U;
    return static_cast<int>(static_cast<std::uint32_t>(state_ >> 24U) % static_cast<std::uint32_t>(below));
}

std::pair<int, int> drawn_pair(Draw& draw, int processes) noexcept {
    int const one = draw(processes);
    int other = draw(processes);
    while (other == one)
        other = draw(processes);
    return {one, other};
}

std::vector<Step> drawn_steps(int rank, int processes, std::int64_t pairs, bool both_ways) {
    std::vector<Step> steps;
    Draw draw;
    for (std::int64_t i = 0; i < pairs; ++i) {
        auto const [one, other] = drawn_pair(draw, processes);
        if (rank == one)
            steps.push_back({other, both_ways ? other : -1});
        else if (rank == other)
            steps.push_back({both_ways ? one : -1, one});
    }
    return steps;
}

std::vector<Step> ring_steps(int rank, int processes, std::int64_t rings) {
    std::vector<Step> steps;
    Draw draw;
    std::vector<int> order(static_cast<std::size_t>(processes));
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t i = 0; i < rings; ++i) {
        for (auto& each : order)
            std::swap(each, order[static_cast<std::size_t>(draw(processes))]);
        auto const place = std::find(order.begin(), order.end(), rank);
        steps.push_back(
            {place + 1 == order.end() ? order.front() : place[1], place == order.begin() ? order.back() : place[-1]});
    }
    return steps;
}

std::vector<int> sides(int processes, int dimensions) {
    if (dimensions == 1)
        return processes < 2 ? std::vector<int>{} : std::vector{processes};
    auto const volume = [dimensions](std::int64_t side) { return dimensions == 2 ? side * side : side * side * side; };
    int side = 2;
    while (volume(side) < processes)
        ++side;
    for (; side > 1; --side) {
        if (processes % side != 0)
            continue;
        auto rest = sides(processes / side, dimensions - 1);
        if (!rest.empty() && (dimensions == 2 || rest.front() >= side)) {
            rest.insert(rest.begin(), side);
            return rest;
        }
    }
    return {};
}

std::vector<int> grid_neighbours(int rank, std::vector<int> const& sides) {
    std::vector<int> result;
    int step = 1;
    for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
        int const at = rank / step % *side;
        for (int const next : {(at + *side - 1) % *side, (at + 1) % *side})
            result.push_back(rank + (next - at) * step);
        step *= *side;
    }
    return result;
}

int resolved_stride(int stride, int processes) noexcept { return stride > 0 ? stride : processes / 2; }

std::optional<StridePair> stride_pair(int rank, int processes, int stride) noexcept {
    if (stride == 0 || 2 * stride > processes)
        return std::nullopt;
    bool const first = rank / stride % 2 == 0;
    int const peer = first ? rank + stride : rank - stride;
    return peer < processes ? std::optional{StridePair{first, peer}} : std::nullopt;
}

}  // namespace pmb
