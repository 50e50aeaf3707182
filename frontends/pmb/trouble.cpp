// SPDX-License-Identifier: BSD-3-Clause
#include "trouble.hpp"

#include "kernel.hpp"

#include <measure/error.hpp>

#include <algorithm>
#include <cstddef>

namespace pmb {

/// One line.
std::string Trouble::message() const {
    auto text = subject_ + ": " + (code_ == MPI_SUCCESS ? text_ : measure::MpiError{code_, what_}.what());
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

void Trouble::agree(measure::Comm const& team) {
    double const mine = any() ? team.size() - team.rank() : 0;
    double const first = team.max(mine);
    if (first == 0)
        return;
    // Only there: of a collective call, the others may have a code that is not theirs and cannot be put into words.
    auto const texts = team.gather(mine == first ? message() : std::string{});
    std::string text = team.is_root() ? texts[static_cast<std::size_t>(team.size() - static_cast<int>(first))] : "";
    team.broadcast(text);
    code_ = MPI_SUCCESS;
    text_.clear();
    throw KernelError{text};
}

}  // namespace pmb
