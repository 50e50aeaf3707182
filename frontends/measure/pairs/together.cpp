// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/together.hpp"

#include <measure/mpi_error.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace measure::tool::pairs {

namespace {

constexpr unsigned digit_bits = 8;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63U;

/// Integer keys in the order of the values; both zeros have the same key.
std::uint64_t key_of(double x) {
    auto const bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}
double value_of(std::uint64_t key) { return std::bit_cast<double>((key & sign_bit) != 0 ? key & ~sign_bit : ~key); }

/// Search for the value with a given rank in the sorted values of all processes.
struct Search {
    double rank = 0;                    ///< rank among the remaining values
    std::vector<std::uint64_t> left{};  ///< keys of this process that begin with the digits in `found`
    std::uint64_t found = 0;            ///< leading digits of the result, known after each step

    Search(std::vector<double> const& values, double wanted) : rank{wanted} {
        left.reserve(values.size());
        for (double const x : values)
            left.push_back(key_of(x));
    }
};

void find_all(measure::Comm const& comm, std::vector<Search>& searches) {
    for (unsigned shift = 64; shift > 0;) {
        shift -= digit_bits;
        auto const digit_of = [shift](std::uint64_t key) { return (key >> shift) % digits; };
        std::vector<double> counts(searches.size() * digits);
        for (std::size_t s = 0; s < searches.size(); ++s)
            for (auto const key : searches[s].left)
                ++counts[s * digits + digit_of(key)];
        sum(comm, counts);
        for (std::size_t s = 0; s < searches.size(); ++s) {
            auto& search = searches[s];
            std::size_t digit = 0;
            for (; search.rank >= counts[s * digits + digit]; ++digit)
                search.rank -= counts[s * digits + digit];
            search.found |= std::uint64_t{digit} << shift;
            std::erase_if(search.left, [&](std::uint64_t key) { return digit_of(key) != digit; });
        }
    }
}

}  // namespace

void sum(measure::Comm const& comm, std::vector<double>& values) {
    if (comm.size() == 1 || values.empty())
        return;
    MPI_Request request = MPI_REQUEST_NULL;
    measure::check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                                  comm.native(), &request),
                   "MPI_Iallreduce");
    comm.wait(request);
}

double order_statistic(measure::Comm const& comm, std::vector<double> const& mine, double rank) {
    std::vector<Search> search(1, Search{mine, rank});
    find_all(comm, search);
    return value_of(search.front().found);
}

std::vector<std::vector<double>> quantiles(measure::Comm const& comm, std::vector<std::vector<double>> const& sets,
                                           std::span<double const> ps) {
    std::vector<double> sizes;
    for (auto const& set : sets)
        sizes.push_back(static_cast<double>(set.size()));
    sum(comm, sizes);
    std::vector<Search> searches;
    // f(set, p, rank of the value below, weight of the next value)
    auto const each = [&](auto f) {
        for (std::size_t set = 0; set < sets.size(); ++set)
            for (std::size_t p = 0; sizes[set] > 0 && p < ps.size(); ++p) {
                double const position = ps[p] * (sizes[set] - 1);
                auto const below = static_cast<double>(static_cast<std::size_t>(position));
                f(set, p, below, position - below);
            }
    };
    each([&](std::size_t set, std::size_t, double below, double beyond) {
        searches.emplace_back(sets[set], below);
        if (beyond > 0)
            searches.emplace_back(sets[set], below + 1);
    });
    find_all(comm, searches);
    std::vector found(sets.size(), std::vector<double>(ps.size(), std::numeric_limits<double>::quiet_NaN()));
    std::size_t s = 0;
    each([&](std::size_t set, std::size_t p, double, double beyond) {
        double const below = value_of(searches[s++].found);
        found[set][p] = beyond > 0 ? below + beyond * (value_of(searches[s++].found) - below) : below;
    });
    return found;
}

std::vector<double> medians(measure::Comm const& comm, std::vector<std::vector<double>> const& sets) {
    double const half = 0.5;
    std::vector<double> all;
    for (auto const& of_set : quantiles(comm, sets, {&half, 1}))
        all.push_back(of_set.front());
    return all;
}

}  // namespace measure::tool::pairs
