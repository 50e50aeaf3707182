// SPDX-License-Identifier: BSD-3-Clause
/// Loop: launches the sides of a campaign round by round. Local.
///
///     in each round, for each side:  announce -> started -> keep or failed -> goes_on
///
/// `Loop` has the order, the numbers of the launches and the failures. `CommandLoop` is for commands typed by a user:
/// it keeps their records, and ends at the first failure.
#pragma once

#include "launching/folder.hpp"
#include "launching/start.hpp"
#include "launching/turns.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"
#include "program/runtime/temporary_file.hpp"
#include "program/runtime/temporary_folder.hpp"

#include <measure/units.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// The next launch.
struct Turn {
    std::size_t side = 0;
    int number = 1;  ///< number of the launch on its side, from 1
};

class Loop {
public:
    using Clock = measure::SteadyClock;
    virtual ~Loop() = default;
    Loop(Loop const&) = delete;
    Loop& operator=(Loop const&) = delete;

    /// The number of complete launches of the side that has fewer.
    [[nodiscard]] int complete() const noexcept;
    [[nodiscard]] measure::seconds elapsed() const noexcept { return Clock::now() - begin_; }

protected:
    /// \param sides  one or two  \param begin  beginning of the budget
    Loop(program::Session& session, std::size_t sides, Order const& order, Clock::time_point begin = Clock::now());

    /// Counts the launches of a side in the run that is resumed. \param last  number of the last launch
    void go_on(std::size_t side, int complete, int last) noexcept;
    /// One launch of each side. \return false if further launches make no sense  \throws measure::Interrupted
    [[nodiscard]] bool round();

    [[nodiscard]] program::Session& session() const noexcept { return session_; }
    [[nodiscard]] std::size_t sides() const noexcept { return sides_; }
    [[nodiscard]] int complete(std::size_t side) const noexcept { return complete_[side]; }
    /// Failed launches of a side since its last complete one, and how many of them timed out.
    [[nodiscard]] int failed_in_a_row(std::size_t side) const noexcept { return failed_[side]; }
    [[nodiscard]] int late_in_a_row(std::size_t side) const noexcept { return late_[side]; }

private:
    /// Shows the launch in the progress line.
    virtual void announce(Turn const& turn) = 0;
    /// Makes the launch.
    [[nodiscard]] virtual Started started(Turn const& turn) = 0;
    /// Stores the result of a complete launch.
    virtual void keep(Turn const& turn, Started&& started) = 0;
    /// Reports a failed launch, or throws.
    virtual void failed(Turn const& turn, Started const& started) = 0;
    /// Whether to continue; called after each launch.
    [[nodiscard]] virtual bool goes_on(std::size_t side) = 0;

    void one(std::size_t side);

    program::Session& session_;
    std::size_t sides_;
    Order order_;
    Clock::time_point begin_;
    std::array<int, 2> numbers_{};
    std::array<int, 2> complete_{};
    std::array<int, 2> failed_{};
    std::array<int, 2> late_{};
};

class CommandLoop : public Loop {
public:
    /// Makes rounds until the extent is reached. Complete launches are kept even if this throws.
    void run();
    [[nodiscard]] std::vector<Launch> const& side(std::size_t number) const noexcept { return launches_[number]; }

protected:
    /// \param things  what a round is called in the progress line, in the plural: "launches"
    /// \param kept  file for the records of each side; empty: the records are not kept
    CommandLoop(program::Session& session, std::size_t sides, Order const& order, Extent const& extent,
                std::string_view things, std::span<std::string const> kept);

    /// The expected total number of rounds.
    [[nodiscard]] int in_all() const { return rounds_in_all(extent_, complete(), elapsed()); }
    [[nodiscard]] Started started(Turn const& turn) override;
    [[nodiscard]] std::string log() const { return log_.path(); }
    [[nodiscard]] std::string const& campaign() const noexcept { return campaign_; }

private:
    /// The launch, without its number and record file.
    [[nodiscard]] virtual LaunchOrder order_of(Turn const& turn) const = 0;
    /// "launch 2 of 10"
    [[nodiscard]] virtual std::string name_of(Turn const& turn) const = 0;
    /// The name of the launch in the progress line.
    [[nodiscard]] virtual std::string step_of(Turn const& turn) const { return name_of(turn); }
    /// A hint that is appended to the error message.
    [[nodiscard]] virtual std::string advice(Started const& started) const = 0;

    void announce(Turn const& turn) final;
    void keep(Turn const& turn, Started&& started) final;
    [[noreturn]] void failed(Turn const& turn, Started const& started) final;
    [[nodiscard]] bool goes_on(std::size_t /*side*/) final { return true; }

    Extent extent_;
    std::string_view things_;
    std::string campaign_ = new_campaign();
    program::TemporaryFolder folder_{"measure-launch"};
    program::TemporaryFile record_{folder_.file(launch_file)};
    program::TemporaryFile log_{folder_.file(launch_log)};
    std::array<program::OutputFile, 2> kept_{};
    std::array<std::vector<Launch>, 2> launches_{};
};

}  // namespace measure::tool
