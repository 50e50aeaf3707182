// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/large_count.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace bodies {

namespace {

using measure::UsageError;

/// The counts and displacements of a call, also for elements that are joined into chunks.
struct Numbers {
    Shape const& shape;
    std::int64_t count;   ///< elements
    std::int64_t extent;  ///< bytes of an element
    int processes;

    /// The largest number passed to MPI.
    [[nodiscard]] std::int64_t largest(std::int64_t chunk) const {
        std::int64_t const n = count / chunk;
        switch (shape.counts) {
        case Counts::equal:
            return std::max<std::int64_t>(n, n * (processes - 1));
        case Counts::typed:
            return std::max<std::int64_t>(n, count * extent * (processes - 1));
        default:
            return n;
        }
    }
};

/// More bytes than any machine has, and small enough that products below it cannot overflow.
constexpr double beyond_memory = 1e18;

}  // namespace

Carrier carrier(Shape const& shape, std::string_view name, TypeLayout const& layout, std::int64_t count, int processes,
                CountLimits const& limits) {
    if (shape.ignores_count)
        return {};
    bool const reduces = shape.element == Element::real;
    std::int64_t const units = reduces ? count : count / layout.unit();
    auto const step = reduces ? std::int64_t{sizeof(double)} : layout.step();
    if (static_cast<double>(units) * static_cast<double>(step) * processes > beyond_memory)
        throw UsageError(fmt::format("{}: count {} for {} processes needs more memory than any machine has", name,
                                     count, processes));
    TypeMap const map{reduces ? TypeLayout{} : layout, count};
    Numbers const numbers{shape, map.elements(), reduces ? std::int64_t{sizeof(double)} : map.extent(), processes};
    if (numbers.largest(1) <= limits.largest)
        return {};
    if (limits.has_wide_calls)
        return {.wide = true};
    for (std::int64_t chunk = 2; !reduces && numbers.count % chunk == 0; chunk *= 2)
        if (numbers.largest(chunk) <= limits.largest)
            return {.chunk = chunk};
    throw UsageError(fmt::format("{}: count {} for {} processes does not fit MPI's int{}, and this MPI library has no "
                                 "functions with large counts",
                                 name, count, processes, reduces ? "" : ", even with larger elements"));
}

}  // namespace bodies
