// SPDX-License-Identifier: BSD-3-Clause
// Preloaded with MPICH over UCX. Yields the core after some polls without events, so that ranks that share a core
// alternate within microseconds instead of whole time slices.
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace {

using Progress = unsigned (*)(void* worker);

Progress next_definition() {
    if (auto* const symbol = dlsym(RTLD_NEXT, "ucp_worker_progress"); symbol != nullptr)
        return reinterpret_cast<Progress>(symbol);
    std::fputs("libmeasure_yield: cannot find ucp_worker_progress; the program must be linked with UCX\n", stderr);
    std::abort();
}

/// A yield takes about a microsecond, less than the awaited rank needs. Values from 1 to 20 polls work equally well.
long polls_before_yield() {
    constexpr long default_polls = 5;
    char const* const text = std::getenv("LIBMEASURE_YIELD_POLLS");
    long const polls = text != nullptr ? std::strtol(text, nullptr, 10) : default_polls;
    return polls >= 1 ? polls : default_polls;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] unsigned ucp_worker_progress(void* worker) {
    static Progress const progress = next_definition();
    static long const limit = polls_before_yield();
    thread_local long empty_polls = 0;

    unsigned const events = progress(worker);
    empty_polls = events == 0 ? empty_polls + 1 : 0;
    if (empty_polls >= limit) {
        empty_polls = 0;
        sched_yield();
    }
    return events;
}
