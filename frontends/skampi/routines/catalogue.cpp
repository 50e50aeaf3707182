// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/routines/catalogue.hpp"

#include "bodies/semantics.hpp"
#include "program/cli/values.hpp"
#include "skampi/routines/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace skampi {

std::string_view name(Pattern p) noexcept {
    static constexpr std::array<std::string_view, 6> names{"simple",     "point-to-point", "master-worker",
                                                           "collective", "one-sided",      "kernel"};
    return names[static_cast<std::size_t>(p)];
}

std::string_view prefix(Pattern p) noexcept {
    static constexpr std::array<std::string_view, 6> names{"simple", "p2p", "mw", "col", "osc", "ker"};
    return names[static_cast<std::size_t>(p)];
}

std::optional<measure::Semantics> Routine::semantics() const {
    using measure::OperationKind;
    // The time covers both messages.
    if (auto const* const exchange = std::get_if<Exchange>(&calls); exchange != nullptr && !exchange->operation.empty())
        return measure::Semantics{.operation = std::string{exchange->operation},
                                  .kind = OperationKind::ping_pong,
                                  .share = 0.5,
                                  .messages = 1};
    auto const* const together = std::get_if<Together>(&calls);
    if (together == nullptr || together->collective == nullptr)
        return std::nullopt;
    auto of = bodies::semantics(*together->collective);
    if (!together->by.empty()) {
        of.operation += fmt::format(" by {}", together->by);
        of.kind = OperationKind::by_hand;
    }
    return of;
}

namespace {

std::vector<Routine> collect() {
    std::vector<Routine> all;
    for (auto const part : {simple_routines(), point_to_point_routines(), master_worker_routines(),
                            collective_routines(), one_sided_routines(), kernel_routines()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

std::span<Routine const> routines() noexcept {
    static std::vector<Routine> const all = collect();
    return all;
}

Routine const* find_routine(std::string_view id) noexcept {
    auto const all = routines();
    auto const it = std::find_if(all.begin(), all.end(),
                                 [&](Routine const& r) { return program::lower(r.id) == program::lower(id); });
    return it != all.end() ? &*it : nullptr;
}

namespace {

measure::Bytes bytes(bodies::Extent extent, measure::Bytes length, measure::Bytes nodes, measure::Bytes share) {
    return bodies::elements(extent, length, nodes, true, share);
}

/// Bytes on the root, which needs most. Of unequal shares, the longest one counts.
measure::Bytes bytes(Together const& calls, measure::Bytes length, measure::Bytes nodes, measure::Bytes size) {
    constexpr measure::Bytes faces = 2;
    if (calls.dimensions > 0)
        return 2 * faces * calls.dimensions * length;
    measure::Bytes const share = (length / size + nodes - 1) / nodes * size;
    // A transposition needs two intermediate copies.
    measure::Bytes const copies = calls.content == Content::transposed ? 2 : 1;
    return bytes(calls.shape.send, length, nodes, share) + bytes(calls.shape.receive, length, nodes, share) +
           copies * bytes(calls.scratch, length, nodes, share);
}

}  // namespace

measure::Bytes buffer_bytes(Routine const& routine, measure::Bytes length, int nodes, measure::Bytes size) noexcept {
    switch (routine.pattern) {
    case Pattern::simple:
        return 0;
    case Pattern::point_to_point:
    case Pattern::one_sided:
        return 2 * length;
    case Pattern::master_worker:
        return 2 * (nodes - measure::Bytes{1}) * length;
    case Pattern::collective:
    case Pattern::kernel:
        return bytes(std::get<Together>(routine.calls), length, nodes, size);
    }
    return 0;
}

measure::Bytes attached_bytes(Routine const& routine, measure::Bytes length, int nodes) noexcept {
    measure::Bytes messages = 0;
    if (auto const* const exchange = std::get_if<Exchange>(&routine.calls); exchange != nullptr && exchange->buffered)
        messages = 4;
    if (auto const* const dispatch = std::get_if<Dispatch>(&routine.calls);
        dispatch != nullptr && dispatch->send == Dispatch::Send::buffered)
        messages = 2 * (nodes - measure::Bytes{1});
    return messages * (length + MPI_BSEND_OVERHEAD);
}

}  // namespace skampi
