// SPDX-License-Identifier: BSD-3-Clause
/// Loop: starts the sides of a campaign round by round. Local.
///
///     each round, each side in turn:  announce -> started -> keep, or failed -> goes_on
///
/// `Loop` has the order, the numbers of the starts and the failures. `CommandLoop` has what is the same for commands
/// typed by a user: where their records go, and that the first failure ends it.
#pragma once

#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"
#include "program/runtime/temporary_file.hpp"
#include "program/runtime/temporary_folder.hpp"
#include "starts/start.hpp"
#include "starts/turns.hpp"

#include <measure/units.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// A start whose turn it is.
struct Turn {
    std::size_t side = 0;
    int number = 1;  ///< of its side
};

class Loop {
public:
    using Clock = measure::SteadyClock;
    virtual ~Loop() = default;
    Loop(Loop const&) = delete;
    Loop& operator=(Loop const&) = delete;

    /// Starts that count, of the side that has fewest.
    [[nodiscard]] int complete() const noexcept;
    [[nodiscard]] measure::seconds elapsed() const noexcept { return Clock::now() - begin_; }

protected:
    /// \param sides  one or two  \param begin  of the budget
    Loop(program::Session& session, std::size_t sides, Order const& order, Clock::time_point begin = Clock::now());

    /// Counts the starts that an earlier command made on a side. \param last  number of its last start
    void go_on(std::size_t side, int complete, int last) noexcept;
    /// A start of each side. \return false where further starts make no sense. \throws measure::Interrupted
    [[nodiscard]] bool round();

    [[nodiscard]] program::Session& session() const noexcept { return session_; }
    [[nodiscard]] std::size_t sides() const noexcept { return sides_; }
    [[nodiscard]] int complete(std::size_t side) const noexcept { return complete_[side]; }
    /// Starts of a side since its last one that counted; starts that were ended because of their limit.
    [[nodiscard]] int failed_in_a_row(std::size_t side) const noexcept { return failed_[side]; }
    [[nodiscard]] int late_in_a_row(std::size_t side) const noexcept { return late_[side]; }

private:
    /// Tells the session what is started now.
    virtual void announce(Turn const& turn) = 0;
    /// Starts it.
    [[nodiscard]] virtual Started started(Turn const& turn) = 0;
    /// Keeps what counts.
    virtual void keep(Turn const& turn, Started&& started) = 0;
    /// Tells why it does not count, or throws.
    virtual void failed(Turn const& turn, Started const& started) = 0;
    /// Asked after each start.
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
    /// Rounds until there are enough. Complete starts are kept also where this throws.
    void run();
    [[nodiscard]] std::vector<Launch> const& side(std::size_t number) const noexcept { return launches_[number]; }

protected:
    /// \param things  plural of the name of a round: "launches"
    /// \param kept  files of the records of each side; empty: none
    CommandLoop(program::Session& session, std::size_t sides, Order const& order, Extent const& extent,
                std::string_view things, std::span<std::string const> kept);

    /// The expected number of rounds.
    [[nodiscard]] int in_all() const { return rounds_in_all(extent_, complete(), elapsed()); }
    [[nodiscard]] Started started(Turn const& turn) override;
    [[nodiscard]] std::string log() const { return log_.path(); }
    [[nodiscard]] std::string const& campaign() const noexcept { return campaign_; }

private:
    /// Without number and record.
    [[nodiscard]] virtual StartOrder order_of(Turn const& turn) const = 0;
    /// "launch 2 of 10"
    [[nodiscard]] virtual std::string name_of(Turn const& turn) const = 0;
    /// Its name in the progress line.
    [[nodiscard]] virtual std::string step_of(Turn const& turn) const { return name_of(turn); }
    /// A hint that the error adds to the failure.
    [[nodiscard]] virtual std::string advice(Started const& started) const = 0;

    void announce(Turn const& turn) final;
    void keep(Turn const& turn, Started&& started) final;
    [[noreturn]] void failed(Turn const& turn, Started const& started) final;
    [[nodiscard]] bool goes_on(std::size_t /*side*/) final { return true; }

    Extent extent_;
    std::string_view things_;
    std::string campaign_ = new_campaign();
    program::TemporaryFolder folder_{"measure-launch"};
    program::TemporaryFile record_{folder_.file("start.jsonl")};
    program::TemporaryFile log_{folder_.file("start.log")};
    std::array<program::OutputFile, 2> kept_{};
    std::array<std::vector<Launch>, 2> launches_{};
};

}  // namespace measure::tool
