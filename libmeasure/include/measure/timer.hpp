// SPDX-License-Identifier: BSD-3-Clause
/// Timers: the concept, the clocks of the machine, the synthetic test clock, and what can be measured about them.
#pragma once

#include "measure/comm.hpp"
#include "measure/timer_info.hpp"
#include "measure/units.hpp"

#include <sys/time.h>
#include <time.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// What can be timed with. A stamp is the clock's native type (ticks, nanoseconds, MPI's double): an 8-byte number.
/// Nothing is converted between the opening and the closing stamp of a timed region.
///
///     stamp   now() const noexcept            monotone on one core, ordered with the surrounding code
///     seconds between(stamp a, stamp b) const  b - a; only differences are ever converted
///     stamp   after(stamp a, seconds d) const  the stamp d after a: a deadline to spin on
///     seconds resolution() const               nominal step of the clock; 0: readings are computed
///
/// Optional `begin()` and `end()`: the stamps that open and close a timed region, where they need other instructions
/// than `now()` (TSC). Optional `std::string name() const`.
template <class T>
concept Timer = std::is_arithmetic_v<typename T::stamp> && sizeof(typename T::stamp) == 8 &&
                std::copyable<T>&& requires(T const timer, typename T::stamp a, seconds d) {
    { timer.now() }
    noexcept->std::same_as<typename T::stamp>;
    { timer.between(a, a) } -> std::same_as<seconds>;
    { timer.after(a, d) } -> std::same_as<typename T::stamp>;
    { timer.resolution() } -> std::same_as<seconds>;
};

/// The stamp that opens a timed region.
template <Timer T>
[[nodiscard, gnu::always_inline]] inline typename T::stamp begin_stamp(T const& timer) noexcept {
    if constexpr (requires { timer.begin(); })
        return timer.begin();
    else
        return timer.now();
}

/// The stamp that closes a timed region.
template <Timer T>
[[nodiscard, gnu::always_inline]] inline typename T::stamp end_stamp(T const& timer) noexcept {
    if constexpr (requires { timer.end(); })
        return timer.end();
    else
        return timer.now();
}

namespace detail {
inline std::int64_t clock_nanoseconds(clockid_t clock) noexcept {
    timespec t;
    clock_gettime(clock, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Integer nanoseconds: shared arithmetic of the clocks that count them.
struct NanosecondStamps {
    using stamp = std::int64_t;
    [[nodiscard]] seconds between(stamp a, stamp b) const noexcept {
        return seconds{static_cast<double>(b - a) * 1e-9};
    }
    [[nodiscard]] stamp after(stamp a, seconds d) const noexcept {
        return a + static_cast<stamp>(d.count() * 1e9 + (d.count() < 0 ? -0.5 : 0.5));
    }
};
}  // namespace detail

/// MPI_Wtime. Its zero point and its resolution are the MPI library's choice. Needs MPI_Init.
class WtimeTimer {
public:
    using stamp = double;  ///< seconds
    /// \{
    /// What the concept Timer says.
    [[nodiscard]] stamp now() const noexcept { return MPI_Wtime(); }
    [[nodiscard]] seconds between(stamp a, stamp b) const noexcept { return seconds{b - a}; }
    [[nodiscard]] stamp after(stamp a, seconds d) const noexcept { return a + d.count(); }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{MPI_Wtick()}; }
    [[nodiscard]] std::string name() const { return "mpi_wtime"; }
    /// \}
};

/// gettimeofday: microseconds of the wall clock, which NTP may slew and step.
class GettimeofdayTimer {
public:
    using stamp = std::int64_t;  ///< microseconds
    /// \{
    /// What the concept Timer says.
    [[nodiscard]] stamp now() const noexcept {
        timeval t;
        gettimeofday(&t, nullptr);
        return stamp{t.tv_sec} * 1'000'000 + t.tv_usec;
    }
    [[nodiscard]] seconds between(stamp a, stamp b) const noexcept {
        return seconds{static_cast<double>(b - a) * 1e-6};
    }
    [[nodiscard]] stamp after(stamp a, seconds d) const noexcept {
        return a + static_cast<stamp>(d.count() * 1e6 + (d.count() < 0 ? -0.5 : 0.5));
    }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{1e-6}; }
    [[nodiscard]] std::string name() const { return "gettimeofday"; }
    /// \}
};

/// clock_gettime(CLOCK_MONOTONIC): slewed by NTP, never stepped.
class MonotonicTimer : public detail::NanosecondStamps {
public:
    /// \{
    /// What the concept Timer says.
    [[nodiscard]] stamp now() const noexcept { return detail::clock_nanoseconds(CLOCK_MONOTONIC); }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{1e-9}; }
    [[nodiscard]] std::string name() const { return "monotonic"; }
    /// \}
};

/// clock_gettime(CLOCK_MONOTONIC_RAW): neither slewed nor stepped; the reference for calibration.
class MonotonicRawTimer : public detail::NanosecondStamps {
public:
    /// \{
    /// What the concept Timer says.
    [[nodiscard]] stamp now() const noexcept { return detail::clock_nanoseconds(CLOCK_MONOTONIC_RAW); }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{1e-9}; }
    [[nodiscard]] std::string name() const { return "monotonic_raw"; }
    /// \}
};

/// The hardware's time-base counter: TSC on x86-64, the generic timer's virtual count on arm64.
///
/// The readings are serialised with lfence and rdtscp (never with CPUID, which traps to the hypervisor in a virtual
/// machine and costs microseconds); on arm64 with isb.
class TscTimer {
public:
    using stamp = std::int64_t;  ///< ticks

    /// Local: determines the frequency for this process (up to 0.3 s of calibration against CLOCK_MONOTONIC_RAW).
    /// Ranks of one host should share one frequency: use the collective constructor.
    /// \throws UsageError where the processor has no counter, or one whose rate varies
    TscTimer();
    /// Collective: the first rank of each host determines the frequency and hands it to the others, so that equal
    /// counters do not drift apart by their calibration errors.
    /// \throws UsageError on all ranks, where one host has no usable counter
    explicit TscTimer(Comm const& comm);
    /// Local: a counter whose frequency the caller knows.
    /// \param hertz  ticks per second, > 0
    /// \throws UsageError
    [[nodiscard]] static TscTimer with_frequency(double hertz);

    /// The counter exists and counts at a constant rate. Local.
    [[nodiscard]] static bool available() noexcept;

    /// \{
    /// What the concept Timer says; `begin` and `end` keep the timed region's instructions on their side.
#if defined(__x86_64__)
    [[nodiscard, gnu::always_inline]] stamp now() const noexcept {
        __builtin_ia32_lfence();
        return static_cast<stamp>(__builtin_ia32_rdtsc());
    }
    [[nodiscard, gnu::always_inline]] stamp begin() const noexcept {
        __builtin_ia32_lfence();
        auto const t = static_cast<stamp>(__builtin_ia32_rdtsc());
        __builtin_ia32_lfence();
        return t;
    }
    [[nodiscard, gnu::always_inline]] stamp end() const noexcept {
        unsigned cpu;
        auto const t = static_cast<stamp>(__builtin_ia32_rdtscp(&cpu));
        __builtin_ia32_lfence();
        return t;
    }
#elif defined(__aarch64__)
    [[nodiscard, gnu::always_inline]] stamp now() const noexcept {
        stamp t;
        asm volatile("isb; mrs %0, cntvct_el0" : "=r"(t)::"memory");
        return t;
    }
    [[nodiscard, gnu::always_inline]] stamp end() const noexcept {
        stamp t;
        asm volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(t)::"memory");
        return t;
    }
#else
    [[nodiscard]] stamp now() const noexcept { return 0; }
#endif
    [[nodiscard]] seconds between(stamp a, stamp b) const noexcept {
        return seconds{static_cast<double>(b - a) * period_};
    }
    [[nodiscard]] stamp after(stamp a, seconds d) const noexcept {
        return a + static_cast<stamp>(d.count() * frequency_ + (d.count() < 0 ? -0.5 : 0.5));
    }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{period_}; }
    [[nodiscard]] std::string name() const { return "tsc"; }
    /// \}

    /// Ticks per second.
    [[nodiscard]] double frequency() const noexcept { return frequency_; }
    /// How that was found: "cpuid", "hypervisor", "firmware", "calibrated", "given".
    [[nodiscard]] std::string_view frequency_source() const noexcept { return source_; }

private:
    friend class AnyTimer;
    explicit TscTimer(std::pair<double, std::string_view> frequency)
        : frequency_{frequency.first}, period_{1.0 / frequency.first}, source_{frequency.second} {}
    double frequency_;
    double period_;
    std::string_view source_;
};

namespace detail {

/// A stamp of any type as an integer that orders like it: doubles order like their bits once the negative ones are
/// mirrored; integers stand for themselves.
template <class S>
[[nodiscard]] std::int64_t pack_stamp(S s) noexcept {
    if constexpr (std::is_floating_point_v<S>) {
        auto const bits = std::bit_cast<std::int64_t>(s);
        return bits >= 0 ? bits : bits ^ INT64_MAX;
    } else {
        return static_cast<std::int64_t>(s);
    }
}
template <class S>
[[nodiscard]] S unpack_stamp(std::int64_t s) noexcept {
    if constexpr (std::is_floating_point_v<S>)
        return std::bit_cast<S>(s >= 0 ? s : s ^ INT64_MAX);
    else
        return static_cast<S>(s);
}

/// A timer of any other type behind one indirect call. Its stamps are carried as order-preserving integers.
class OwnTimer {
public:
    using stamp = std::int64_t;

    OwnTimer() = default;  ///< nothing: only to be assigned to
    template <class T>
    requires(!std::same_as<T, OwnTimer> && Timer<T>) explicit OwnTimer(T timer)
        : model_{new Model<T>(std::move(timer))} {}
    OwnTimer(OwnTimer const& other) noexcept;
    OwnTimer(OwnTimer&& other) noexcept : model_{std::exchange(other.model_, nullptr)} {}
    OwnTimer& operator=(OwnTimer other) noexcept {
        std::swap(model_, other.model_);
        return *this;
    }
    ~OwnTimer();

    [[nodiscard]] stamp now() const noexcept { return model_->now(); }
    [[nodiscard]] stamp begin() const noexcept { return model_->begin(); }
    [[nodiscard]] stamp end() const noexcept { return model_->end(); }
    [[nodiscard]] seconds between(stamp a, stamp b) const { return model_->between(a, b); }
    [[nodiscard]] stamp after(stamp a, seconds d) const { return model_->after(a, d); }
    [[nodiscard]] seconds resolution() const { return model_->resolution(); }
    [[nodiscard]] std::string name() const { return model_->name(); }

private:
    struct Concept {
        virtual ~Concept() = default;
        virtual stamp now() const noexcept = 0;
        virtual stamp begin() const noexcept = 0;
        virtual stamp end() const noexcept = 0;
        virtual seconds between(stamp a, stamp b) const = 0;
        virtual stamp after(stamp a, seconds d) const = 0;
        virtual seconds resolution() const = 0;
        virtual std::string name() const = 0;
        mutable int owners = 1;  ///< counted atomically
    };
    template <class T>
    struct Model final : Concept {
        using S = typename T::stamp;
        explicit Model(T t) : timer{std::move(t)} {}
        stamp now() const noexcept override { return pack_stamp(timer.now()); }
        stamp begin() const noexcept override { return pack_stamp(begin_stamp(timer)); }
        stamp end() const noexcept override { return pack_stamp(end_stamp(timer)); }
        seconds between(stamp a, stamp b) const override {
            return timer.between(unpack_stamp<S>(a), unpack_stamp<S>(b));
        }
        stamp after(stamp a, seconds d) const override { return pack_stamp(timer.after(unpack_stamp<S>(a), d)); }
        seconds resolution() const override { return timer.resolution(); }
        std::string name() const override {
            if constexpr (requires { timer.name(); })
                return timer.name();
            else
                return "own";
        }
        T timer;
    };

    Concept const* model_ = nullptr;  ///< shared by the copies
};

}  // namespace detail

/// Any timer, chosen at run time. It is visited once, outside the timed loop, which is instantiated for each of the
/// machine's clocks; a timer of another type (the synthetic clock, an own one) costs one indirect call per reading.
/// `run(comm, plan, timer, op)` takes an own timer without that call.
class AnyTimer {
public:
    /// MPI_Wtime.
    AnyTimer() noexcept;
    /// \{
    /// Keeps a copy of the timer.
    AnyTimer(WtimeTimer timer) noexcept;  // NOLINT(google-explicit-constructor): a timer is a timer, and likewise
    AnyTimer(GettimeofdayTimer timer) noexcept;  // NOLINT(google-explicit-constructor)
    AnyTimer(TscTimer timer) noexcept;           // NOLINT(google-explicit-constructor)
    AnyTimer(MonotonicTimer timer) noexcept;     // NOLINT(google-explicit-constructor)
    AnyTimer(MonotonicRawTimer timer) noexcept;  // NOLINT(google-explicit-constructor)
    AnyTimer(detail::OwnTimer timer) noexcept;   // NOLINT(google-explicit-constructor)
    template <Timer T>
    AnyTimer(T timer) : AnyTimer{detail::OwnTimer{std::move(timer)}} {}  // NOLINT(google-explicit-constructor)
    /// \}
    /// \{
    /// Whole values, whatever they hold.
    AnyTimer(AnyTimer const&) noexcept;
    AnyTimer(AnyTimer&&) noexcept;
    AnyTimer& operator=(AnyTimer const&) noexcept;
    AnyTimer& operator=(AnyTimer&&) noexcept;
    ~AnyTimer();
    /// \}

    /// Calls f(timer) with the concrete timer.
    template <class F>
    decltype(auto) visit(F&& f) const {
        switch (kind_) {
        case Kind::gettimeofday:
            return f(std::as_const(gettimeofday_));
        case Kind::tsc:
            return f(tsc_);
        case Kind::monotonic:
            return f(std::as_const(monotonic_));
        case Kind::monotonic_raw:
            return f(std::as_const(monotonic_raw_));
        case Kind::own:
            return f(own_);
        case Kind::wtime:
            break;
        }
        return f(std::as_const(wtime_));
    }
    [[nodiscard]] std::string name() const;    ///< its `name()`; "own" for a timer that has none
    [[nodiscard]] seconds resolution() const;  ///< nominal step of the clock

private:
    enum class Kind : unsigned char { wtime, gettimeofday, tsc, monotonic, monotonic_raw, own };
    Kind kind_ = Kind::wtime;
    [[no_unique_address]] WtimeTimer wtime_{};
    [[no_unique_address]] GettimeofdayTimer gettimeofday_{};
    [[no_unique_address]] MonotonicTimer monotonic_{};
    [[no_unique_address]] MonotonicRawTimer monotonic_raw_{};
    TscTimer tsc_;
    detail::OwnTimer own_{};  ///< empty but for the kind `own`
};

/// A real clock seen through known distortion, for tests of everything that depends on clocks:
///
///     reading = quantise(base * (1 + ppm * 1e-6) + skew) + jitter
///
/// Integer nanoseconds, which may be negative; the readings stay monotone. The base is one of the clocks above, by
/// name, read as nanoseconds since its own zero. With jitter the clock runs ahead of the truth and then stands until
/// the truth has caught up, once per interval of the jitter's width; how far depends on the interval alone, so that
/// the same base readings always give the same readings.
class SyntheticTimer : public detail::NanosecondStamps {
public:
    /// What is wrong with the clock.
    struct Distortion {
        std::int64_t skew_ns = 0;     ///< added to every reading, at most 1e18 either way
        double ppm = 0;               ///< drift, parts per million, between -1e6 and 1e6
        std::int64_t quantum_ns = 1;  ///< step of the readings, 1 to 1e18; readings are rounded down
        std::int64_t jitter_ns = 0;   ///< deviation of a reading from the truth, 0 <= deviation < jitter, up to 1e18
    };

    /// Collective over `comm` for the base "tsc", otherwise local.
    /// \param base    "mpi_wtime" (not on `Comm::solo()`), "gettimeofday", "tsc", "monotonic", "monotonic_raw"
    /// \param distortion  of this rank
    /// \throws UsageError
    SyntheticTimer(std::string_view base, Distortion distortion, Comm const& comm = Comm::solo());

    /// The specification "synthetic:BASE,skew=S,ppm=P,quant=Q,jitter=J" as this rank has it. Every fault is optional.
    /// Durations take ns us ms s, a bare number is seconds; S and P may be a value, "rank*VALUE", or "random*VALUE"
    /// (uniform in +/-VALUE, from seed and rank). Any letter case. Collective when BASE is tsc, otherwise local.
    /// \throws UsageError, on all ranks alike
    [[nodiscard]] static SyntheticTimer parse(std::string_view specification, Comm const& comm, std::uint64_t seed = 1);

    [[nodiscard]] stamp now() const noexcept { return distort(base_now()); }  ///< the base clock now, distorted
    /// The reading that belongs to a reading of the base clock in nanoseconds: a pure function, for tests.
    [[nodiscard]] stamp distort(stamp base_ns) const noexcept;
    [[nodiscard]] Distortion const& distortion() const noexcept {
        return distortion_;
    }  ///< of this rank, with random ones drawn
    /// Step of the base, or the quantum where that is coarser.
    [[nodiscard]] seconds resolution() const noexcept;
    /// The specification in lower case; "synthetic:BASE" where there was none.
    [[nodiscard]] std::string name() const { return name_; }

private:
    SyntheticTimer(AnyTimer base, Distortion distortion, std::string name);
    [[nodiscard]] stamp base_now() const noexcept;

    AnyTimer base_;
    Distortion distortion_;
    std::string name_;
};

/// "mpi_wtime", "gettimeofday", "tsc", "monotonic", "monotonic_raw".
[[nodiscard]] std::span<std::string_view const> timer_names() noexcept;

/// The timer of that name (any letter case), or "synthetic:...". Collective: tsc is calibrated once per host.
/// \throws UsageError for an unknown name (the text lists the known ones), for tsc where there is none, and for
///         mpi_wtime on `Comm::solo()`
[[nodiscard]] AnyTimer timer_from(std::string_view name, Comm const& comm, std::uint64_t seed = 1);

/// Resolution, granularity and cost of a reading. Local; takes about 50 ms at most. The resolution and the granularity
/// of a clock that did not move in that time are zero.
[[nodiscard]] TimerInfo calibrate(AnyTimer const& timer);

/// Step of the clock as its readings show it, in which times come. Where each of 256 readings differs from the one
/// before, the step is finer than a reading takes: it is the grid that distances of readings have, or without a grid
/// the nominal one, or the smallest distance of two readings where that is less. Where readings repeat themselves,
/// whatever the clock claims, it is the smallest distance of two that differ; of a clock that does not move at all, the
/// nominal one. Local; takes microseconds, and up to 25 ms for a clock of milliseconds.
[[nodiscard]] seconds seen_step(AnyTimer const& timer);

/// PointStatus of the sanity check of a timer on this rank.
struct TimerCheck {
    TimerInfo info;                     ///< resolution and cost that were found
    double rate_error = 0;              ///< relative deviation of its rate from CLOCK_MONOTONIC_RAW
    std::vector<std::string> failures;  ///< empty: passed
    std::vector<std::string> warnings;  ///< sentences; empty: nothing to mind
};

/// Backward steps, rate (100 ppm warns, 1000 ppm fails), spikes (99th percentile above 10 medians warns), cost above
/// 1 us warns. Local; takes less than 0.5 s.
[[nodiscard]] TimerCheck check_timer(AnyTimer const& timer);

}  // namespace measure
#pragma GCC visibility pop
