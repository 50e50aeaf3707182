// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/controls.hpp"

#include <measure/error.hpp>
#include <measure/mpi_error.hpp>

#include <sched.h>

#include <array>
#include <chrono>
#include <memory>
#include <new>
#include <string_view>

namespace bodies {

namespace {

constexpr int looks_alone = 5000;
constexpr int looks_on_shared_core = 100;

/// Whether ranks are simulated in a single process and run in turn. A rank that polls for another rank would then never
/// end.
bool takes_turns() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return std::string_view{text.data(), static_cast<std::size_t>(length)}.find("SMPI") != std::string_view::npos;
}

}  // namespace

CacheLine::CacheLine(measure::Comm const& pair, measure::seconds patience)
    : pair_{pair}, patience_{patience}, is_first_{pair.is_root()}, looks_{pair.oversubscribed() ? looks_on_shared_core
                                                                                                : looks_alone} {
    if (takes_turns())
        throw measure::SkipPoint("simulated processes share no cache line");
    if (pair.node().size() < pair.size())
        throw measure::SkipPoint("the processes are on different hosts and share no memory");
    std::size_t room = is_first_ ? 2 * sizeof(Words) : 0;
    void* base = nullptr;
    int const made = MPI_Win_allocate_shared(static_cast<MPI_Aint>(room), 1, MPI_INFO_NULL, pair.native(),
                                             static_cast<void*>(&base), &window_);
    if (pair.max(made == MPI_SUCCESS ? 0 : 1) > 0)
        throw measure::SkipPoint("the MPI library gives the processes no memory to share");
    MPI_Aint size = 0;
    int unit = 0;
    measure::check(MPI_Win_shared_query(window_, 0, &size, &unit, static_cast<void*>(&base)), "MPI_Win_shared_query");
    room = static_cast<std::size_t>(size);
    // Page alignment makes the position within a cache line equal on both processes.
    words_ = static_cast<Words*>(std::align(cache_line, sizeof(Words), base, room));
    if (is_first_)
        new (words_) Words;
    pair.barrier();
}

CacheLine::~CacheLine() {
    if (std::uncaught_exceptions() <= exceptions_)
        MPI_Win_free(&window_);
}

bool CacheLine::wait_aside(Word const& word) const {
    auto const deadline = measure::SteadyClock::now() + patience_;
    while (word.load(std::memory_order_acquire) < round_) {
        if (measure::SteadyClock::now() > deadline)
            return false;
        pair_.progress();
        sched_yield();
    }
    return true;
}

}  // namespace bodies
