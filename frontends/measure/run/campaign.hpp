// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: the starts of a run: how many of what, in which order, until the budget or the error is reached. Local.
///
///     look -> pilot (3 starts) -> schedule -> starts, in turn where there are two sides -> what was disturbed again
///
/// Each start is a sweep over all points in a random order of its own, with the controls among them. Points that are
/// exact enough are left out of further sweeps.
#pragma once

#include "program/runtime/session.hpp"
#include "run/control.hpp"
#include "run/options.hpp"
#include "run/schedule.hpp"
#include "run/sweep.hpp"
#include "starts/folder.hpp"
#include "starts/launcher.hpp"
#include "starts/loop.hpp"

#include <measure/units.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace measure::tool::runs {

/// One of the things that are measured in turn.
struct Side {
    std::string label{};               ///< for people; empty where there is one side
    std::vector<std::string> words{};  ///< launcher and program, with what stands before them
    std::string campaign{};
};

/// What is to be done, before anything is started.
struct Plan {
    std::vector<Side> sides{};  ///< one or two
    std::vector<SweptTest> sweep{};
    std::string timer{};
    std::string launcher_note{};
    std::vector<std::string> notes{};   ///< what is left out, and why
    std::string scratch{};              ///< folder of the file that is written and read; empty: there is none
    int ranks = 0;                      ///< of a start; 0: the launcher's words say it
    std::vector<std::string> doctor{};  ///< the words that have the ranks look at the machine
};
/// \param runs  folder of all runs, where files of io are unless another one is asked for
/// \throws measure::UsageError where a launcher, a program or the folder for a file is missing
[[nodiscard]] Plan plan_of(RunOptions const& options, Surroundings const& around, std::string const& name,
                           std::filesystem::path const& runs);

/// Of a point in the first starts, before costs and scatter are known.
inline constexpr int pilot_samples = 16;

/// The words of one start.
[[nodiscard]] std::vector<std::string> start_words(Side const& side, Plan const& plan, int number, int samples,
                                                   measure::seconds limit, std::vector<SweptPoint> const& done);

/// What has come out.
struct Outcome {
    std::array<std::vector<Launch>, 2> starts{};  ///< complete ones, by side
    std::vector<std::string> failures{};          ///< of starts that count for nothing
    std::vector<std::string> notes{};             ///< what was left out, and why it ended
    std::vector<std::string> warnings{};          ///< of `measure doctor`: what will disturb
    int interrupted = 0;                          ///< signal that broke it off
    bool is_short = false;                        ///< fewer starts than `fewest_starts`
    bool has_failed = false;                      ///< starts kept failing
    bool is_refused = false;                      ///< mpiperf did not take its command line
};

/// Why so many starts of so many operations can find no difference, "no difference can be found with 6 starts of 24
/// operations"; nothing where they can. \param starts  of the side that has fewer
[[nodiscard]] std::optional<std::string> too_few_starts(std::size_t starts, std::size_t operations);

/// Starts until the budget is spent. What a run that is gone on with has is counted.
class Campaign final : private Loop {
public:
    using Loop::Clock;
    /// \param begin  of the whole command
    Campaign(RunOptions const& options, Plan plan, RunFolder& folder, program::Session& session,
             Clock::time_point begin);
    [[nodiscard]] Outcome run();

private:
    [[nodiscard]] measure::seconds left() const;
    [[nodiscard]] int counting() const;
    void read_earlier();
    void look();
    void go();
    [[nodiscard]] std::vector<PointCost> costs() const;
    void settle_schedule();
    void warn_of_few(std::size_t starts);
    void tell_expected_resolution() const;
    [[nodiscard]] bool fits() const;
    [[nodiscard]] std::string problem_of(Started const& started) const;
    void announce(Turn const& turn) override;
    [[nodiscard]] Started started(Turn const& turn) override;
    void keep(Turn const& turn, Started&& started) override;
    void failed(Turn const& turn, Started const& started) override;
    [[nodiscard]] bool goes_on(std::size_t side) override;
    void leave_out_exact_points();
    [[nodiscard]] measure::seconds usual_time() const;
    [[nodiscard]] measure::seconds patience(std::size_t side) const;
    [[nodiscard]] bool is_hopeless(std::size_t side) const;

    RunOptions const& o_;
    Plan plan_;
    RunFolder& folder_;
    Outcome outcome_{};
    Schedule schedule_{};
    std::array<CountingStarts, 2> counting_{};  ///< by side
    std::vector<SweptPoint> done_{};
    int earlier_ = 0;                  ///< starts of a run that is gone on with
    measure::seconds longest_{};       ///< that a start has taken
    std::vector<double> taken_{};      ///< s, of each start
    std::vector<double> launching_{};  ///< s of each start before and behind what its record tells of
};

}  // namespace measure::tool::runs
