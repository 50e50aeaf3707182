// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/tournament.hpp"

#include <algorithm>

namespace measure::tool::pairs {

int rounds_of(int n) noexcept { return n % 2 == 0 ? n - 1 : n; }

std::optional<int> partner(int n, int round, int seat) noexcept {
    int const last = rounds_of(n);  // N - 1: the seat that stays in place, or the empty seat if n is odd
    int met = 0;
    if (seat == last) {
        // Solves 2 i = round mod N - 1. N - 1 is odd, so 2 has the inverse N / 2.
        met = static_cast<int>(static_cast<long long>(round) * ((last + 1) / 2) % last);
    } else {
        met = (round - seat % last + last) % last;
        if (met == seat)
            met = last;
    }
    return met < n ? std::optional{met} : std::nullopt;
}

std::vector<Pair> meetings(int n, int round) {
    std::vector<Pair> pairs;
    for (int seat = 0; seat < n; ++seat)
        if (auto const met = partner(n, round, seat); met && *met > seat)
            pairs.emplace_back(seat, *met);
    return pairs;
}

std::vector<std::vector<Pair>> apart(std::span<Pair const> pairs, std::span<int const> host) {
    // [host][batch] whether the batch has a pair with this host
    int const hosts = host.empty() ? 0 : *std::max_element(host.begin(), host.end()) + 1;
    std::vector<std::vector<bool>> taken(index(hosts));
    auto const is_taken = [&](int h, std::size_t batch) {
        auto const& of_host = taken[index(h)];
        return batch < of_host.size() && of_host[batch];
    };
    auto const take = [&](int h, std::size_t batch) {
        auto& of_host = taken[index(h)];
        of_host.resize(std::max(of_host.size(), batch + 1));
        of_host[batch] = true;
    };
    std::vector<std::vector<Pair>> batches;
    for (auto const& pair : pairs) {
        int const a = host[index(pair.first)];
        int const b = host[index(pair.second)];
        std::size_t batch = 0;
        while (is_taken(a, batch) || is_taken(b, batch))
            ++batch;
        take(a, batch);
        take(b, batch);
        batches.resize(std::max(batches.size(), batch + 1));
        batches[batch].push_back(pair);
    }
    return batches;
}

}  // namespace measure::tool::pairs
