// SPDX-License-Identifier: BSD-3-Clause
/// Watchdog: ends a run that makes no progress. A POSIX timer with a signal; no thread.
#pragma once

#include <measure/units.hpp>

namespace program {

/// Progress is a call of `alive`, or a beat of a loop (measure/heartbeat.hpp), which the signal handler looks for eight
/// times in the limit. A rank other than the root, outside of a body, waits for the root, whose watchdog speaks first:
/// it leaves after ten limits, at least 60 s, and says nothing. On expiry the signal handler writes the crash report
/// and removes the temporary files; a little later (crash_report::exit_grace_seconds) it leaves with _exit(1). Off
/// until `watch`, and after the object's life; at most one exists. Once the run is over what can hang is MPI_Finalize:
/// then the run keeps the code that it has. Local.
class Watchdog {
public:
    Watchdog() = default;
    ~Watchdog();
    Watchdog(Watchdog const&) = delete;
    Watchdog& operator=(Watchdog const&) = delete;

    /// Begins to watch. Once. \param limit  time without progress; 0: stays off
    void watch(measure::seconds limit);
    /// Changes the limit of a watchdog that watches; one that is off stays off. \param limit  > 0
    void change(measure::seconds limit);
    /// There was progress: the limit counts from now on. Costs about 0.2 us.
    void alive() noexcept;
    /// No limit until the next `alive`: this rank rightly waits for others.
    void suspend() noexcept;
    /// All is written and agreed, and MPI_Finalize comes next: if that hangs, the root says so, and every rank leaves
    /// with `code`. Also where `watch` was never called; not where it was told 0. The limit is at most 30 s.
    void over(int code);

private:
    void create();
    measure::seconds limit_{30};
    bool exists_ = false;
};

}  // namespace program
