// How long after a one-sided put can the target know that the data have arrived?
// SPDX-License-Identifier: BSD-3-Clause
//
// The origin puts data into the target's window, completes the put, and sets a flag there. The target polls its flag.
// The one-way time is from the begin on the origin to the last poll on the target. These are readings of different
// clocks, so the result is a difference on the global clock and no more accurate than that clock
// (`derived.sync.bound` in the record).
#include <measure/main.hpp>

#include <mpi.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace {

/// A window with passive target. The first cache line holds the flag of its rank.
class FlaggedWindow {
public:
    FlaggedWindow(measure::Comm const& team, measure::Bytes bytes) {
        void* memory = nullptr;
        measure::check(MPI_Win_allocate(data + bytes, 1, MPI_INFO_NULL, team.native(), &memory, &window_),
                       "MPI_Win_allocate");
        *static_cast<std::int64_t*>(memory) = 0;
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
        MPI_Win_sync(window_);
        team.barrier();
    }
    FlaggedWindow(FlaggedWindow&& other) noexcept : window_{std::exchange(other.window_, MPI_WIN_NULL)} {}
    FlaggedWindow& operator=(FlaggedWindow&&) = delete;
    ~FlaggedWindow() {
        if (window_ == MPI_WIN_NULL)
            return;
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }

    /// Sends the data, then the flag. Each is complete at the target before the next call.
    void notify(std::vector<char> const& bytes, int target, std::int64_t number) {
        auto const count = static_cast<int>(bytes.size());
        MPI_Put(bytes.data(), count, MPI_BYTE, target, data, count, MPI_BYTE, window_);
        MPI_Win_flush(target, window_);
        MPI_Accumulate(&number, 1, MPI_INT64_T, target, flag, 1, MPI_INT64_T, MPI_REPLACE, window_);
        MPI_Win_flush(target, window_);
    }

    /// Waits until this number or a later one has arrived. Warm-up calls follow each other without synchronisation, so
    /// the origin may be some notifications ahead.
    void await(int me, std::int64_t number) {
        for (std::int64_t seen = 0; seen < number;) {
            MPI_Fetch_and_op(nullptr, &seen, MPI_INT64_T, me, flag, MPI_NO_OP, window_);
            MPI_Win_flush(me, window_);
        }
    }

private:
    static constexpr MPI_Aint flag = 0;
    static constexpr MPI_Aint data = 64;
    MPI_Win window_ = MPI_WIN_NULL;
};

auto notification(measure::Comm const& team, measure::Point const& at) {
    if (team.size() != 2)
        throw measure::SkipPoint("needs two ranks");
    auto const bytes = static_cast<std::size_t>(measure::to_int(at.bytes("bytes"), "bytes of a put"));
    return [window = FlaggedWindow(team, at.bytes("bytes")), buffer = std::vector<char>(bytes),
            rank = team.rank()](auto& lap) mutable {
        std::int64_t const number = lap.iteration().index + 1;
        if (rank == 0) {
            lap.end();  // only the begin counts on the origin
            window.notify(buffer, 1, number);
        } else {
            window.await(rank, number);
            lap.begin();  // only the end counts on the target
        }
    };
}

}  // namespace

int main(int argc, char** argv) {
    measure::Program program{.name = "own_notify", .summary = "Times a put with notification, one way."};
    program.plan = {.combine = measure::Combine::span};
    program.axes = {measure::values("ranks", {2}), measure::values("bytes", {8, 4096})};
    program.benchmarks = {{"notify", notification}};
    return measure::run_main(argc, argv, program);
}
