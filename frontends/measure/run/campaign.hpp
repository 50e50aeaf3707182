// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: makes the launches of a run until the budget is spent or all points are known. Local.
///
///     doctor -> pilot (3 launches) -> schedule -> launches, with two sides alternately -> replace disturbed launches
///
/// Each launch measures all points and the controls, in its own random order. Points that are known well enough are
/// left out of further launches.
#pragma once

#include "launching/folder.hpp"
#include "launching/launcher.hpp"
#include "launching/loop.hpp"
#include "program/runtime/session.hpp"
#include "run/control.hpp"
#include "run/options.hpp"
#include "run/schedule.hpp"
#include "run/sweep.hpp"

#include <measure/units.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace measure::tool::runs {

/// A setup to be measured. A run has one, or two that alternate.
struct Side {
    std::string label{};               ///< human-readable name; empty if there is only one side
    std::vector<std::string> words{};  ///< words before the launcher, launcher and program
    std::string campaign{};            ///< identifier in the records
};

/// Everything that is decided before the first launch.
struct Plan {
    std::vector<Side> sides{};  ///< one or two
    std::vector<SweptTest> sweep{};
    std::string timer{};
    std::string launcher_note{};
    std::vector<std::string> notes{};   ///< omissions with their reasons
    std::string scratch{};              ///< folder for the file of the topic io; empty: no test needs one
    int ranks = 0;                      ///< number of ranks; 0: the given launcher decides
    std::vector<std::string> doctor{};  ///< command that runs `measure doctor` on the ranks
};
/// \param runs  folder of all runs; default folder for the file of the topic io
/// \throws measure::UsageError if the launcher, a program or the folder for the file is missing
[[nodiscard]] Plan plan_of(RunOptions const& options, Surroundings const& around, std::string const& name,
                           std::filesystem::path const& runs);

/// Samples per point in the pilot launches, before costs and scatter are known.
inline constexpr int pilot_samples = 16;

/// The command of one launch.
[[nodiscard]] std::vector<std::string> start_words(Side const& side, Plan const& plan, int number, int samples,
                                                   measure::seconds limit, std::vector<SweptPoint> const& done);

/// The result of a campaign.
struct Outcome {
    std::array<std::vector<Launch>, 2> launches{};  ///< complete launches, by side
    std::vector<std::string> failures{};            ///< reasons of failed launches
    std::vector<std::string> notes{};               ///< omissions, and the reason for an early end
    std::vector<std::string> warnings{};            ///< disturbances found by `measure doctor`
    int interrupted = 0;                            ///< signal that interrupted the run; 0: not interrupted
    bool is_short = false;                          ///< fewer counted launches than `fewest_starts`
    bool has_failed = false;                        ///< ended because launches kept failing
    bool is_refused = false;                        ///< mpiperf rejected its command line
};

/// "6 launches of 24 operations cannot show a difference" if even the smallest possible p is not significant; otherwise
/// nothing. \param launches  launches of the side that has fewer
[[nodiscard]] std::optional<std::string> too_few_launches(std::size_t launches, std::size_t operations);

/// Launches mpiperf until the budget is spent. Complete launches of a resumed run count.
class Campaign final : private Loop {
public:
    using Loop::Clock;
    /// \param begin  when the command began; the budget counts from here
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
    void warn_of_few(std::size_t launches);
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
    std::array<CountingLaunches, 2> counting_{};  ///< by side
    std::vector<SweptPoint> done_{};              ///< points that are left out of the next launch
    int earlier_ = 0;                             ///< launches of the resumed run, of the side that has fewer
    measure::seconds longest_{};                  ///< longest launch so far
    std::vector<double> taken_{};                 ///< duration of each launch, in seconds
    std::vector<double> launching_{};             ///< duration of each launch outside of its record, in seconds
};

}  // namespace measure::tool::runs
