// SPDX-License-Identifier: BSD-3-Clause
/// Watchdog: ends a run that makes no progress. Uses a POSIX timer with a signal, and no thread.
#pragma once

#include <measure/units.hpp>

namespace program {

/// Progress is a call of `alive` or a heartbeat of a loop (measure/heartbeat.hpp). The signal handler checks heartbeats
/// eight times within the limit. On expiry it writes the crash report and removes the temporary files. About a second
/// later (crash_report::exit_grace_seconds) it ends the process with _exit(1).
///
/// A rank other than the root that is outside of a body waits for the root, whose watchdog reports first. Such a rank
/// ends after ten limits, at least 60 s, without a message. After the run only MPI_Finalize can hang; the run then
/// keeps its exit code. The watchdog is off before `watch` and after the object's life. At most one object exists.
/// Local.
class Watchdog {
public:
    Watchdog() = default;
    ~Watchdog();
    Watchdog(Watchdog const&) = delete;
    Watchdog& operator=(Watchdog const&) = delete;

    /// Starts watching. Call it once. \param limit  longest time without progress; 0: stays off
    void watch(measure::seconds limit);
    /// Changes the limit of an active watchdog. A watchdog that is off stays off. \param limit  > 0
    void change(measure::seconds limit);
    /// Reports progress: the limit counts from now on. Costs about 0.2 us.
    void alive() noexcept;
    /// Suspends the limit until the next `alive`, while this rank waits for others.
    void suspend() noexcept;
    /// Watches MPI_Finalize, after all results are written and the exit code is agreed. If it hangs, the root prints a
    /// warning, and every rank ends with `code`. Works without `watch`, but not after `watch(0)`. The limit is at most
    /// 30 s.
    void over(int code);

private:
    void create();
    measure::seconds limit_{30};
    bool exists_ = false;
};

}  // namespace program
