// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/agreement.hpp"

#include "program/runtime/progress_timeout.hpp"

#include <measure/mpi_error.hpp>

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <limits>

namespace program {
namespace {

constexpr int text_tag = 1;

int gravity(int code) noexcept {
    if (code >= 128)
        return 5;
    switch (code) {
    case 2:
        return 4;
    case 1:
        return 3;
    case 3:
        return 2;
    case 4:
        return 1;
    default:
        return 0;
    }
}

/// A number whose maximum is the ending to use: ordered by severity, then by having a text, then by the lowest rank.
/// Always positive, because 0 means "not leaving".
std::int64_t pack(int code, bool has_text, int rank) noexcept {
    std::int64_t const high = (gravity(code) * 1024 + code) * 2 + (has_text ? 1 : 0) + 1;
    return (high << 31) + (std::numeric_limits<std::int32_t>::max() - rank);
}

Ending unpack(std::int64_t word) noexcept {
    std::int64_t const high = (word >> 31) - 1;
    auto const low = static_cast<std::int32_t>(word & std::numeric_limits<std::int32_t>::max());
    return {static_cast<int>(high / 2 % 1024), std::numeric_limits<std::int32_t>::max() - low};
}

/// Waits between two tests: yields the core at first, later sleeps for up to 1 ms.
void pause(int looks) noexcept {
    if (looks < 1000) {
        sched_yield();
        return;
    }
    timespec const nap{.tv_sec = 0, .tv_nsec = std::min(1000L * (looks - 999), 1'000'000L)};
    nanosleep(&nap, nullptr);
}

}  // namespace

Agreement::Agreement(measure::Comm const& world) : comm_{world.duplicate()} {}

/// Computes the element-wise maximum over all ranks in `all_`. \return false after a timeout of `patience`
bool Agreement::maximum(Words mine, std::optional<measure::seconds> patience) {
    static_assert(sizeof(Words) == 3 * sizeof(std::int64_t));
    mine_ = all_ = mine;
    if (comm_.is_solo())
        return true;
    MPI_Request request = MPI_REQUEST_NULL;
    measure::check(MPI_Iallreduce(&mine_, &all_, 3, MPI_INT64_T, MPI_MAX, comm_.native(), &request), "MPI_Iallreduce");
    ProgressTimeout wait{patience.value_or(measure::seconds{std::numeric_limits<double>::infinity()})};
    for (int looks = 0;; ++looks) {
        int done = 0;
        measure::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done != 0)
            return true;
        if (!wait.lasts())
            return false;
        pause(looks);
    }
}

Agreement::Point Agreement::meet(Point mine) {
    static_cast<void>(maximum({.leaving = 0, .stop = mine.stop, .budget_spent = mine.budget_spent ? 1 : 0}, {}));
    if (all_.leaving != 0)
        throw Dismissed(unpack(all_.leaving));
    return {static_cast<int>(all_.stop), all_.budget_spent != 0};
}

std::optional<Ending> Agreement::leave(int code, bool has_text, std::optional<measure::seconds> patience) {
    if (!maximum({.leaving = pack(code, has_text, comm_.rank()), .stop = 0, .budget_spent = 0}, patience))
        return std::nullopt;
    return unpack(all_.leaving);
}

std::string Agreement::to_root(std::string text, Ending ending) const {
    if (ending.speaker == 0)
        return text;
    if (comm_.rank() == ending.speaker) {
        std::size_t const size = text.size();
        comm_.send(&size, sizeof size, 0, text_tag);
        comm_.send(text.data(), size, 0, text_tag);
    } else if (comm_.is_root()) {
        std::size_t size = 0;
        comm_.receive(&size, sizeof size, ending.speaker, text_tag);
        text.resize(size);
        comm_.receive(text.data(), size, ending.speaker, text_tag);
    }
    return text;
}

}  // namespace program
