// SPDX-License-Identifier: BSD-3-Clause
/// Schedule: how ranks begin a sample, the arithmetic of slots, and when a slot is invalid.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/units.hpp"

#include <optional>
#include <string_view>
#include <variant>

#pragma GCC visibility push(default)
namespace measure {

/// How the next slot length is found when more than the tolerated share of a stage was invalid.
enum class SlotRule {
    doubling,  ///< max(2 length, growth * stage time / samples): MPIPerf 0.0.3
    paper,     ///< growth * stage time / samples, by the global clock: MPIPerf paper, section 4
};
/// "doubling", "paper", and its old word "seed". \throws UsageError
[[nodiscard]] SlotRule slot_rule_from(std::string_view name);

/// One barrier before each stage, nothing between samples: operations that synchronise themselves (a ping-pong), local
/// operations, and the common but wrong loop of collectives.
struct FreeStart {};
/// MPI_Barrier before each sample: ranks leave it at different times, which the sample then contains.
struct BarrierStart {
    std::optional<GlobalClock> clock{};  ///< for span and imbalances only
};
/// The library's own dissemination barrier before each sample: the same code with every MPI library.
struct DisseminationStart {
    std::optional<GlobalClock> clock{};  ///< for span and imbalances only
};
/// Samples begin at fixed instants of the global clock (MPIPerf paper, section 4): the slots of a stage.
struct SlotStart {
    Sync sync = LinearSync{};               ///< used where `clock` is missing or too old
    std::optional<GlobalClock> clock{};     ///< a clock of the same communicator and timer; differs on each rank
    std::optional<seconds> resync_after{};  ///< by default as `GlobalClock::is_young`
    double growth = 1.1;                    ///< gamma, in [1.1, 2]
    double invalid_share = 0.25;            ///< g: more invalid samples than this share of a stage lengthen the slots
    SlotRule rule = SlotRule::doubling;     ///< how slots grow
    double broadcast_factor = 1.5;          ///< safety factor on the measured broadcast time
    bool check = true;                      ///< measure the offsets again after the point
};
/// No fixed slots: before each sample the root announces an instant, three broadcast times ahead (round-time method,
/// Hunold & Carpen-Amarie 2018). Slower, but robust on jittery and oversubscribed systems.
struct RoundTimeStart {
    Sync sync = LinearSync{};               ///< used where `clock` is missing or too old
    std::optional<GlobalClock> clock{};     ///< a clock of the same communicator and timer; differs on each rank
    std::optional<seconds> resync_after{};  ///< by default as `GlobalClock::is_young`
    double broadcast_factor = 3;            ///< on the mean broadcast time
    bool check = true;                      ///< measure the offsets again after the point
};
/// SlotStart; on an oversubscribed communicator RoundTimeStart with a limit of 0.5 s per epoch.
struct AutoStart {
    SlotStart slot{};    ///< where there are enough cores
    seconds limit{0.5};  ///< of an epoch, where there are not
};
namespace detail {
using StartVariant = std::variant<AutoStart, FreeStart, BarrierStart, DisseminationStart, SlotStart, RoundTimeStart>;
}
/// How ranks begin a sample: a variant, whose special members are compiled once, in the library.
class Start : public detail::StartVariant {
public:
    Start();  ///< AutoStart
    /// \{
    /// One of the starts.
    Start(AutoStart start);           // NOLINT(google-explicit-constructor): as std::variant has it, and likewise
    Start(FreeStart start) noexcept;  // NOLINT(google-explicit-constructor)
    Start(BarrierStart start);        // NOLINT(google-explicit-constructor)
    Start(DisseminationStart start);  // NOLINT(google-explicit-constructor)
    Start(SlotStart start);           // NOLINT(google-explicit-constructor)
    Start(RoundTimeStart start);      // NOLINT(google-explicit-constructor)
    /// \}
    /// \{
    /// Whole values, whatever they hold.
    Start(Start const&);
    Start(Start&&) noexcept;
    Start& operator=(Start const&);
    Start& operator=(Start&&) noexcept;
    ~Start();
    /// \}
};

/// "auto", "free", "barrier", "dissemination", "slot", "roundtime" (any letter case). \throws UsageError
[[nodiscard]] Start start_from(std::string_view name, Sync const& sync = LinearSync{});
[[nodiscard]] std::string_view name(Start const& start) noexcept;  ///< as `start_from` takes it

/// Dissemination barrier: ceil(log2 n) rounds, in round q a message to rank + 2^q and one from rank - 2^q. Collective.
void dissemination_barrier(Comm const& comm);

/// Upper bound of the time in which the root's word reaches every rank: largest of ten broadcasts over all ranks times
/// `factor`, plus twice the clocks' bound, at least 20 us. Collective; the same on all ranks. `mean` takes the mean of
/// the ten instead of the largest (round-time).
[[nodiscard]] seconds broadcast_bound(Comm const& comm, double factor, seconds clock_bound, bool mean = false);

namespace detail {
/// Starts may be wrong by a tolerance and delays by the broadcast bound, never by this: beyond it the clocks disagree.
inline constexpr seconds disagreement{0.1};
}  // namespace detail

/// How far behind its slot's start a sample may begin: max(4 readings, 2 steps of the clock, 200 ns).
[[nodiscard]] constexpr seconds slot_tolerance(seconds overhead, seconds resolution) noexcept {
    seconds const longer = 4 * overhead < 2 * resolution ? 2 * resolution : 4 * overhead;
    return longer < seconds{200e-9} ? seconds{200e-9} : longer;
}

/// What the root learns of a stage, for the next slot length. Seconds.
struct StageFacts {
    int samples = 0;            ///< of the stage
    int invalid = 0;            ///< invalid samples
    int slipped = 0;            ///< those of them that come from a rank that was not running, which no length cures
    double elapsed = 0;         ///< longest local time of the stage's samples over ranks
    double global_elapsed = 0;  ///< from the stage's first start to the last end by the global clock
    double longest = 0;         ///< longest sample over ranks, its `prepare` included
    double typical = 0;         ///< median over samples of the same
};

/// The slot length of a point from stage to stage. Pure; kept by the root.
class SlotLength {
public:
    /// Within which slots change; as in SlotStart.
    struct Limits {
        double growth = 1.1;                 ///< gamma, in [1.1, 2]
        double invalid_share = 0.25;         ///< of invalid samples in a stage, in [0, 1]
        SlotRule rule = SlotRule::doubling;  ///< how slots grow
        double floor = 2e-6;                 ///< 10 tolerances + 4 (clock bound + reading), s
    };
    /// Of length zero, until the warm-up has been seen.
    explicit SlotLength(Limits limits) : limits_{limits} {}

    [[nodiscard]] double value() const noexcept { return length_; }  ///< length of the next slots, s
    /// Length after the warm-up stage of slots of length zero: growth * elapsed / samples.
    void after_warm_up(StageFacts const& stage);
    /// Lengthens after more than the tolerated share of invalid samples that a longer slot could have saved; shortens
    /// after two stages in a row without such a sample whose typical one needed less than a quarter: max(4 typical,
    /// length / 2). Not below the floor, and never above max(100 us, 64 typical of the quickest stage): a rank that was
    /// not running for a while makes a sample long, and the longer slots are, the likelier a rank is pre-empted while
    /// it waits.
    void after_stage(StageFacts const& stage);
    /// Samples become longer or shorter from here on: what is typical is learnt anew.
    void forget() noexcept { typical_ = 0; }
    /// What no sample of the operation is expected to need, s: beyond it a rank was not running. 0: not known yet.
    [[nodiscard]] double ceiling() const noexcept;

private:
    void set(double length);
    Limits limits_;
    double length_ = 0;
    double typical_ = 0;  ///< of the quickest stage so far; 0 before the first
    int clean_ = 0;       ///< stages in a row that could be shortened
};

}  // namespace measure
#pragma GCC visibility pop
