// SPDX-License-Identifier: BSD-3-Clause
/// Agreement: how the ranks of a program agree on stopping, on the time budget and on the exit code.
#pragma once

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace program {

/// How the run ends: the exit code of all ranks, and the rank whose error line is printed.
struct Ending {
    int code = 0;
    int speaker = 0;
};

/// Thrown by `Agreement::meet` on a rank that waits for others while these leave the run.
class Dismissed : public std::runtime_error {
public:
    explicit Dismissed(Ending ending) : std::runtime_error{"the other ranks have left"}, ending_{ending} {}
    [[nodiscard]] Ending ending() const noexcept { return ending_; }

private:
    Ending ending_;
};

/// One operation on a communicator of its own, an allreduce of a few words: ranks that meet and ranks that leave find
/// each other in it whichever way they came, so that none is left waiting.
class Agreement {
public:
    /// Collective.
    explicit Agreement(measure::Comm const& world);

    struct Point {
        int stop = 0;               ///< largest stop flag
        bool budget_spent = false;  ///< on any rank
    };
    /// Collective. \throws Dismissed where other ranks leave
    [[nodiscard]] Point meet(Point mine);

    /// The last call of every rank that was not dismissed. Collective. Of several codes the first of 128 + signal, 2,
    /// 1, 3, 4, 0 stands.
    /// \param code      this rank's own exit code
    /// \param has_text  this rank has an error line; ranks with one are preferred as speaker
    /// \param patience  time to wait for the others; nothing: as long as it takes
    /// \return nothing when the others did not come in time: this rank is lost alone
    [[nodiscard]] std::optional<Ending> leave(int code, bool has_text, std::optional<measure::seconds> patience);

    /// The speaker's text on the root. Collective over all ranks after the ending is known.
    [[nodiscard]] std::string to_root(std::string text, Ending ending) const;

private:
    struct Words {
        std::int64_t leaving = 0;  ///< code and speaker of a rank that leaves, in order of importance; otherwise 0
        std::int64_t stop = 0;
        std::int64_t budget_spent = 0;
    };
    [[nodiscard]] bool maximum(Words mine, std::optional<measure::seconds> patience);
    measure::Comm comm_;
    Words mine_;  ///< buffers of the operation: they outlive one that is abandoned
    Words all_;
};

}  // namespace program
