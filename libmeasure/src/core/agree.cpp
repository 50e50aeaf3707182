// SPDX-License-Identifier: BSD-3-Clause
#include "measure/agree.hpp"

#include "measure/error.hpp"

#include <fmt/format.h>

#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

namespace measure::detail {

namespace {

/// An exception, in a form that can be sent to other ranks.
struct Failure {
    enum Kind : int { none, usage, no_memory, interrupted, unmeasurable, other };
    int kind = none;
    int rank = std::numeric_limits<int>::max();
    int value = 0;  ///< value of the stop flag for an interruption
};

Failure caught(int rank, Callback<void()> const& work, std::string& text) {
    auto const of_rank = [rank](std::string const& what) {
        return rank == 0 ? what : fmt::format("rank {}: {}", rank, what);
    };
    try {
        work();
        return {};
    } catch (UsageError const& error) {
        text = of_rank(error.what());
        return {Failure::usage, rank};
    } catch (std::bad_alloc const&) {
        return {Failure::no_memory, rank};
    } catch (Interrupted const& interrupted) {
        return {Failure::interrupted, rank, interrupted.value()};
    } catch (SkipPoint const& left_out) {
        text = left_out.what();
        return {Failure::unmeasurable, rank};
    } catch (std::exception const& error) {
        text = of_rank(error_text(error));
        return {Failure::other, rank};
    } catch (...) {
        text = of_rank("something that is not a std::exception was thrown");
        return {Failure::other, rank};
    }
}

[[noreturn]] void raise(Failure const& failure, std::string const& text) {
    switch (failure.kind) {
    case Failure::usage:
        throw UsageError(text);
    case Failure::no_memory:
        throw std::bad_alloc{};
    case Failure::interrupted:
        throw Interrupted(failure.value);
    case Failure::unmeasurable:
        throw SkipPoint(text);
    default:
        throw std::runtime_error(text);
    }
}

/// Broadcasts the root's failure and throws it on all ranks.
void raise_everywhere(Comm const& comm, Failure failure, std::string text) {
    comm.broadcast(failure);
    if (failure.kind == Failure::none)
        return;
    comm.broadcast(text);
    raise(failure, text);
}

}  // namespace

void agree_on_failure(Comm const& comm, Callback<void()> const& work) {
    std::string text;
    auto const mine = caught(comm.rank(), work, text);
    if (comm.max(mine.kind == Failure::none ? 0 : 1) <= 0)
        return;
    // Failures are rare, so gathering all texts on the root is acceptable.
    auto const failures = comm.gather(mine);
    auto const texts = comm.gather(text);
    Failure lowest;
    for (std::size_t i = failures.size(); i-- > 0;)
        if (failures[i].kind != Failure::none) {
            lowest = failures[i];
            text = texts[i];
        }
    raise_everywhere(comm, lowest, text);
}

void on_root(Comm const& comm, Callback<void()> const& work) {
    std::string text;
    auto const failure = comm.is_root() ? caught(0, work, text) : Failure{};
    raise_everywhere(comm, failure, text);
}

}  // namespace measure::detail
