// SPDX-License-Identifier: BSD-3-Clause
#include "osu/derived.hpp"

#include <measure/comm.hpp>
#include <measure/mpi_error.hpp>

#include <algorithm>

namespace osu {

std::vector<Run> sent(Derivation const& derivation, std::int64_t elements) {
    std::vector<Run> runs;
    if (derivation.kind == Derivation::Kind::indexed)
        std::copy_if(derivation.runs.begin(), derivation.runs.end(), std::back_inserter(runs),
                     [&](Run const& run) { return run.at + run.length <= elements; });
    else if (derivation.kind == Derivation::Kind::vector)
        for (std::int64_t at = 0; at + derivation.stride <= elements; at += derivation.stride)
            runs.push_back({at, derivation.length});
    else if (elements > 0)
        runs.push_back({0, elements});
    return runs;
}

std::int64_t length(std::span<Run const> runs) noexcept {
    std::int64_t sum = 0;
    for (auto const& run : runs)
        sum += run.length;
    return sum;
}

bodies::MadeType derived_type(Derivation::Kind kind, std::span<Run const> runs, MPI_Datatype element) {
    auto const number = [](std::int64_t value) { return measure::to_int(value, "elements of a derived datatype"); };
    int const n = number(std::ssize(runs));
    int const first = number(runs.front().length);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (kind == Derivation::Kind::contiguous) {
        measure::check(MPI_Type_contiguous(first, element, &made), "MPI_Type_contiguous");
    } else if (kind == Derivation::Kind::vector) {
        int const stride = n > 1 ? number(runs[1].at) : first;
        measure::check(MPI_Type_vector(n, first, stride, element, &made), "MPI_Type_vector");
    } else {
        std::vector<int> lengths;
        std::vector<int> places;
        for (auto const& run : runs) {
            lengths.push_back(number(run.length));
            places.push_back(number(run.at));
        }
        measure::check(MPI_Type_indexed(n, lengths.data(), places.data(), element, &made), "MPI_Type_indexed");
    }
    return bodies::MadeType{made};
}

}  // namespace osu
