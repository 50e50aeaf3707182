// SPDX-License-Identifier: BSD-3-Clause
/// Bench: buffers, frame and role of one process at one setting. They are created and destroyed outside of all timing.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/one_sided.hpp"
#include "skampi/routines/calls.hpp"
#include "skampi/run/setting.hpp"

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <optional>
#include <vector>

namespace skampi {

/// The call of an empty measurement.
int nothing(Frame& frame);

/// Not copyable or movable, because the frame points into it.
class Bench {
public:
    /// Collective over the team, which must outlive the bench.
    /// \param room  number of bytes that this process may allocate
    /// \throws std::bad_alloc on all processes if any of them lacks memory; measure::UsageError for numbers beyond
    /// MPI's int; measure::MpiError
    Bench(measure::Comm const& team, Setting const& setting, measure::Bytes room);
    Bench(Bench const&) = delete;
    Bench& operator=(Bench const&) = delete;
    /// Collective if there is a window.
    ~Bench();

    [[nodiscard]] measure::Comm const& team() const noexcept { return team_; }
    [[nodiscard]] Setting const& setting() const noexcept { return setting_; }
    [[nodiscard]] Frame& frame() noexcept { return frame_; }
    [[nodiscard]] bodies::Sizes const& sizes() const noexcept { return sizes_; }

    /// This process's part of one execution. Not for the patterns simple and master-worker, where it is not a single
    /// function.
    [[nodiscard]] Call call() noexcept;
    /// Runs this process's part of one complete execution of any pattern. \returns the error code of MPI
    int once();
    /// Frees the communicators that calls have made.
    void clear() noexcept;

private:
    /// Bytes that a process needs in addition to its buffers.
    struct Beside {
        measure::Bytes attached = 0;
        measure::Bytes scratch = 0;
    };

    /// Allocates all memory of this process. Local. \throws std::bad_alloc
    /// \{
    void prepare(Exchange const& calls);
    void prepare(Dispatch const& calls);
    void prepare(Together const& calls);
    void prepare(OneSided const& calls);
    void prepare(Local) {}
    /// \}
    void find_neighbours(int dimensions);
    void allocate(bodies::Sizes const& sizes, Beside const& beside);
    [[nodiscard]] measure::Bytes bytes_to_attach() const noexcept;
    void attach();
    void open_window(OneSided const& calls);

    measure::Comm const& team_;
    Setting setting_;
    measure::Bytes room_;
    bodies::Sizes sizes_{};
    std::optional<bodies::Buffers> buffers_{};
    std::optional<bodies::Window> window_{};
    std::vector<std::byte> attached_{};
    Frame frame_{};
};

}  // namespace skampi
