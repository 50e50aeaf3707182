// SPDX-License-Identifier: BSD-3-Clause
/// IO kernel: the common part of the file benchmarks, and the loops of the blocking and of the overlapped ones.
#pragma once

#include "bodies/files.hpp"
#include "pmb/cpu_loop.hpp"
#include "pmb/kernel.hpp"
#include "pmb/operations/file_check.hpp"
#include "pmb/operations/scratch.hpp"

#include <measure/operation.hpp>
#include <measure/run.hpp>
#include <measure/time_iterations.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pmb {

enum class Pointer { individual, explicit_offset, shared };

/// The properties that the name of a file benchmark describes.
struct Manner {
    bool writes = false;
    Sharing sharing = Sharing::own;
    Pointer pointer = Pointer::individual;
    bool collective = false;
};

/// Prepares a file, opens it for one length and checks it. A transfer is this process's block of the length; all
/// repetitions use the same memory.
class FileKernel : public Kernel {
public:
    void begin(Mode mode, measure::Bytes length) final;
    void end() final { file_.close(); }

protected:
    /// Collective over the team. \throws KernelError, std::bad_alloc on all its processes
    FileKernel(Task const& task, Manner const& manner);

    [[nodiscard]] Task const& task() const noexcept { return task_; }
    [[nodiscard]] Manner const& manner() const noexcept { return manner_; }
    [[nodiscard]] Mode mode() const noexcept { return mode_; }

    /// The transfer of the next repetition. Advances the offset.
    [[nodiscard]] bodies::Piece next() noexcept {
        bodies::Piece const piece{file_.native(), offset_, memory_.data(), bytes_};
        offset_ += step_;
        return piece;
    }
    bool ok(int code) noexcept { return file_.ok(code, manner_.writes ? "writing" : "reading"); }
    bool sync() noexcept {
        bool const once = file_.sync();
        if (task_.parameters.write_sync == WriteSync::single)
            return once;
        task_.team.barrier();
        return once & file_.sync();
    }
    /// Makes the first repetition the next one. Collective over the team.
    void rewind();
    /// Closes and opens the file. Collective over the team. \throws KernelError on all processes
    void reopen();

    /// The timed loop with its check. Collective over the team. \throws KernelError on all processes
    template <class Op>
    [[nodiscard]] Reading time(Op& operation, std::int64_t n) {
        operation.prepare_hook();
        places_.clear();
        bool const each = !manner_.writes;
        auto reading = time_repetitions(task_, operation, n, each, [this](std::int64_t i) { check(i); });
        return settle(reading, n);
    }
    template <class Op>
    [[nodiscard]] Measured measure_by(measure::Plan const& plan, Op&& operation) {
        Measured measured{measure::run(task_.team, plan, operation)};
        file_.agree();
        return measured;
    }

private:
    void open();
    void check(std::int64_t i);
    void check_written(std::int64_t n);
    void check_read(std::int64_t i);
    void check_anywhere(std::int64_t i);
    /// Checks the blocks that the team read through the shared pointer. Collective over the team.
    void check_places(std::int64_t n);
    Reading settle(Reading reading, std::int64_t n);
    [[nodiscard]] measure::Bytes file_end(measure::Bytes length) const noexcept;
    [[nodiscard]] Portion block(int rank) const noexcept;
    /// Non-collective reads through the shared pointer, for which the block is not known in advance.
    [[nodiscard]] bool reads_anywhere() const noexcept;
    /// Whether the origin of a block of this length can be determined from its content.
    [[nodiscard]] bool can_be_located() const noexcept;

    Task task_;
    Manner manner_;
    Mode mode_ = Mode::aggregate;
    ScratchFile file_;
    std::vector<std::byte> memory_{};
    measure::Bytes length_ = 0;
    measure::Bytes start_ = 0;  ///< offset of the first repetition
    measure::Bytes step_ = 0;   ///< bytes from one repetition to the next
    measure::Bytes offset_ = 0;
    int bytes_ = 0;
    std::vector<double> places_{};  ///< [n], offsets of blocks read through the shared pointer; -1: not found
};

/// The calls of a benchmark. Pointers let one loop serve all benchmarks: a file call takes microseconds, a call
/// through a pointer a nanosecond.
struct Calls {
    int (*blocking)(bodies::Piece const&) noexcept = nullptr;
    int (*start)(bodies::Piece const&, MPI_Request&) noexcept = nullptr;  ///< non-blocking; null: begin and end are set
    int (*begin)(bodies::Piece const&) noexcept = nullptr;                ///< split collective
    int (*end)(bodies::Piece const&) noexcept = nullptr;
};

/// Aggregate: all repetitions, followed by one sync for writes. Non-aggregate: a sync in every repetition.
class BlockingKernel : public FileKernel {
public:
    BlockingKernel(Task const& task, Manner const& manner, Calls const& calls)
        : FileKernel{task, manner}, calls_{calls} {}

    Reading loop(std::int64_t n) override { return pure_loop(n); }
    void warm_up(std::int64_t n) override { static_cast<void>(pure_loop(n)); }
    Measured run(measure::Plan const& plan) override;

protected:
    [[nodiscard]] Calls const& calls() const noexcept { return calls_; }
    [[nodiscard]] Reading pure_loop(std::int64_t n);

private:
    /// Whether a write is followed by a sync in this mode: each write, or the last one.
    [[nodiscard]] bool syncs(Mode when) const noexcept { return manner().writes && mode() == when; }
    auto make_operation();
    bool transfer() noexcept;

    Calls calls_;
};

/// Runs the blocking loop, reopens the file, then runs the overlapped loop: all non-blocking calls, the same number of
/// calls of the CPU loop, and the wait for all. Split collective calls have the CPU loop between their halves.
class OverlappedKernel final : public BlockingKernel {
public:
    OverlappedKernel(Task const& task, Manner const& manner, Calls const& calls);

    Reading loop(std::int64_t n) override;
    /// One blocking loop, then overlapped loops by the plan.
    Measured run(measure::Plan const& plan) override;

private:
    [[nodiscard]] bool split() const noexcept { return calls().begin != nullptr; }
    /// Runs the blocking loop and reopens the file.
    Reading prepare(std::int64_t n);
    void reserve(std::int64_t n);
    auto make_operation();
    bool start() noexcept;
    void finish() noexcept;
    void wait() noexcept;

    std::vector<MPI_Request> requests_{};
    std::vector<MPI_Status> statuses_{};
};

}  // namespace pmb
