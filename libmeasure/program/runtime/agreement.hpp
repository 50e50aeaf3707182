// SPDX-License-Identifier: BSD-3-Clause
/// Agreement: lets the ranks of a program agree on stopping, on the time budget and on the exit code.
#pragma once

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace program {

/// The end of a run: the exit code of all ranks, and the rank whose error line is printed.
struct Ending {
    int code = 0;
    int speaker = 0;
};

/// Thrown by `Agreement::meet` on a rank that waits while other ranks leave the run.
class Dismissed : public std::runtime_error {
public:
    explicit Dismissed(Ending ending) : std::runtime_error{"the other ranks have left"}, ending_{ending} {}
    [[nodiscard]] Ending ending() const noexcept { return ending_; }

private:
    Ending ending_;
};

/// Uses a single operation on a separate communicator, an allreduce of a few words. Ranks that meet and ranks that
/// leave call the same operation, so no rank waits forever.
class Agreement {
public:
    /// Collective.
    explicit Agreement(measure::Comm const& world);

    struct Point {
        int stop = 0;               ///< largest stop flag
        bool budget_spent = false;  ///< whether the time budget is spent on any rank
    };
    /// Collective. \throws Dismissed if other ranks leave
    [[nodiscard]] Point meet(Point mine);

    /// The last call of every rank that was not dismissed. Collective. The agreed code is the first one of the list
    /// 128 + signal, 2, 1, 3, 4, 0 that a rank has.
    /// \param code      this rank's exit code
    /// \param has_text  whether this rank has an error line; such ranks are preferred as speaker
    /// \param patience  time to wait for the others; empty: without limit
    /// \return the ending; empty if the others did not come in time
    [[nodiscard]] std::optional<Ending> leave(int code, bool has_text, std::optional<measure::seconds> patience);

    /// Returns the speaker's text on the root. Collective over all ranks after the ending is known.
    [[nodiscard]] std::string to_root(std::string text, Ending ending) const;

private:
    struct Words {
        std::int64_t leaving = 0;  ///< code and speaker of a rank that leaves, ordered by severity; otherwise 0
        std::int64_t stop = 0;
        std::int64_t budget_spent = 0;
    };
    [[nodiscard]] bool maximum(Words mine, std::optional<measure::seconds> patience);
    measure::Comm comm_;
    Words mine_;  ///< buffers of the operation; they must outlive an abandoned operation
    Words all_;
};

}  // namespace program
