// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/deferred_error.hpp"

#include "program/runtime/stderr_line.hpp"

#include <measure/mpi_error.hpp>

#include <fmt/format.h>

#include <cstddef>

namespace program {

std::string DeferredError::text() const {
    if (code_ != MPI_SUCCESS)
        return one_line(measure::MpiError{code_, call_}.what());
    return call_ != nullptr ? fmt::format("{}: {} of {} elements were moved", call_, moved_, wanted_) : text_;
}

std::optional<AgreedError> agree(measure::Comm const& team, DeferredError const& trouble) {
    double const mine = trouble.any() ? team.size() - team.rank() : 0;
    double const first = team.max(mine);
    if (first == 0)
        return std::nullopt;
    AgreedError word{.rank = team.size() - static_cast<int>(first)};
    // Only this rank formats its text: after a collective call, other ranks may have an error code that MPI cannot
    // translate there.
    auto texts = team.gather(team.rank() == word.rank ? trouble.text() : std::string{});
    if (team.is_root())
        word.text = std::move(texts[static_cast<std::size_t>(word.rank)]);
    team.broadcast(word.text);
    return word;
}

}  // namespace program
