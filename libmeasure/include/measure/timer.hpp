// SPDX-License-Identifier: BSD-3-Clause
/// Timers: the concept, the clocks of the machine, the synthetic test clock, and the calibration of a timer.
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

/// A clock for timed regions. Its stamps are 8-byte numbers of the clock's native type (ticks, nanoseconds, or the
/// double of MPI_Wtime), so that no conversion happens inside a timed region.
///
///     stamp   now() const noexcept            current reading: monotone on one core, ordered with surrounding code
///     seconds between(stamp a, stamp b) const  b - a; only differences are ever converted
///     stamp   after(stamp a, seconds d) const  the stamp d after a, used as a deadline
///     seconds resolution() const               nominal step of the clock; 0 for a simulated clock without steps
///
/// Optional members: `begin()` and `end()` return the stamps that open and close a timed region, if these need other
/// instructions than `now()` (as for TSC). `std::string name() const` names the timer in records.
template <class T>
concept Timer = std::is_arithmetic_v<typename T::stamp> && sizeof(typename T::stamp) == 8 &&
                std::copyable<T>&& requires(T const timer, typename T::stamp a, seconds d) {
    { timer.now() }
    noexcept->std::same_as<typename T::stamp>;
    { timer.between(a, a) } -> std::same_as<seconds>;
    { timer.after(a, d) } -> std::same_as<typename T::stamp>;
    { timer.resolution() } -> std::same_as<seconds>;
};

/// Reads the stamp that opens a timed region: `timer.begin()` if it exists, otherwise `timer.now()`. Local.
template <Timer T>
[[nodiscard, gnu::always_inline]] inline typename T::stamp begin_stamp(T const& timer) noexcept {
    if constexpr (requires { timer.begin(); })
        return timer.begin();
    else
        return timer.now();
}

/// Reads the stamp that closes a timed region: `timer.end()` if it exists, otherwise `timer.now()`. Local.
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

/// Arithmetic of the clocks whose stamps are integer nanoseconds.
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

/// MPI_Wtime. The MPI library chooses its zero point and its resolution. Requires MPI_Init.
class WtimeTimer {
public:
    using stamp = double;  ///< seconds
    /// \{
    /// As the concept Timer requires.
    [[nodiscard]] stamp now() const noexcept { return MPI_Wtime(); }
    [[nodiscard]] seconds between(stamp a, stamp b) const noexcept { return seconds{b - a}; }
    [[nodiscard]] stamp after(stamp a, seconds d) const noexcept { return a + d.count(); }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{MPI_Wtick()}; }
    [[nodiscard]] std::string name() const { return "mpi_wtime"; }
    /// \}
};

/// gettimeofday: wall clock in microseconds, which NTP may slew and step.
class GettimeofdayTimer {
public:
    using stamp = std::int64_t;  ///< microseconds
    /// \{
    /// As the concept Timer requires.
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

/// clock_gettime(CLOCK_MONOTONIC) in nanoseconds: slewed by NTP, never stepped.
class MonotonicTimer : public detail::NanosecondStamps {
public:
    /// \{
    /// As the concept Timer requires.
    [[nodiscard]] stamp now() const noexcept { return detail::clock_nanoseconds(CLOCK_MONOTONIC); }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{1e-9}; }
    [[nodiscard]] std::string name() const { return "monotonic"; }
    /// \}
};

/// clock_gettime(CLOCK_MONOTONIC_RAW) in nanoseconds: neither slewed nor stepped. The reference for calibration.
class MonotonicRawTimer : public detail::NanosecondStamps {
public:
    /// \{
    /// As the concept Timer requires.
    [[nodiscard]] stamp now() const noexcept { return detail::clock_nanoseconds(CLOCK_MONOTONIC_RAW); }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{1e-9}; }
    [[nodiscard]] std::string name() const { return "monotonic_raw"; }
    /// \}
};

/// The hardware's time-base counter: TSC on x86-64, the generic timer's virtual count on arm64.
///
/// Readings are serialised with lfence and rdtscp on x86-64, and with isb on arm64. CPUID is not used for this, because
/// in a virtual machine it traps to the hypervisor, which takes microseconds.
class TscTimer {
public:
    using stamp = std::int64_t;  ///< ticks

    /// Determines the frequency for this process. Local. Takes 0.02 s to verify the frequency that the processor,
    /// hypervisor or firmware states. If this frequency is missing or wrong, a calibration against CLOCK_MONOTONIC_RAW
    /// takes 0.3 s. For ranks of one host, use the collective constructor, so that they share one frequency.
    /// \throws UsageError if the processor has no counter, or if the rate of the counter varies
    TscTimer();
    /// The first rank of each host determines the frequency and sends it to the other ranks of the host, so that their
    /// clocks do not drift apart by calibration errors. Collective.
    /// \throws UsageError on all ranks if some host has no usable counter
    explicit TscTimer(Comm const& comm);
    /// A counter with a known frequency, in ticks per second. Local. Does not test whether the processor has a counter.
    /// \throws UsageError unless `hertz` is positive and finite
    [[nodiscard]] static TscTimer with_frequency(double hertz);

    /// Whether the processor has a counter of constant rate. Local.
    [[nodiscard]] static bool available() noexcept;

    /// \{
    /// As the concept Timer requires. `begin` and `end` prevent instructions from moving out of the timed region.
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

    /// Frequency of the counter, ticks per second.
    [[nodiscard]] double frequency() const noexcept { return frequency_; }
    /// Source of the frequency: "cpuid", "hypervisor", "firmware", "calibrated" or "given" (`with_frequency`).
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

/// Converts a stamp to an integer with the same order. Integers remain unchanged. The bits of doubles have the order of
/// their values if all bits of negative numbers except the sign are inverted.
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

/// Type-erased timer of any other type, at the cost of one indirect call per reading. Its stamps are packed into
/// integers of the same order.
class OwnTimer {
public:
    using stamp = std::int64_t;

    OwnTimer() = default;  ///< holds no timer and may only be assigned to
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
        mutable int owners = 1;  ///< accessed atomically
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

/// Any timer, chosen at run time. A clock of `timer_names` costs no indirect call: the timed loop is compiled for each
/// of these clocks. Any other timer costs one indirect call per reading, which `run(comm, plan, timer, op)` avoids.
class AnyTimer {
public:
    /// Holds MPI_Wtime.
    AnyTimer() noexcept;
    /// \{
    /// Keeps a copy of the timer.
    AnyTimer(WtimeTimer timer) noexcept;         // NOLINT(google-explicit-constructor): a timer is a timer; also below
    AnyTimer(GettimeofdayTimer timer) noexcept;  // NOLINT(google-explicit-constructor)
    AnyTimer(TscTimer timer) noexcept;           // NOLINT(google-explicit-constructor)
    AnyTimer(MonotonicTimer timer) noexcept;     // NOLINT(google-explicit-constructor)
    AnyTimer(MonotonicRawTimer timer) noexcept;  // NOLINT(google-explicit-constructor)
    AnyTimer(detail::OwnTimer timer) noexcept;   // NOLINT(google-explicit-constructor)
    template <Timer T>
    AnyTimer(T timer) : AnyTimer{detail::OwnTimer{std::move(timer)}} {}  // NOLINT(google-explicit-constructor)
    /// \}
    /// \{
    /// Copies, moves or destroys the held timer.
    AnyTimer(AnyTimer const&) noexcept;
    AnyTimer(AnyTimer&&) noexcept;
    AnyTimer& operator=(AnyTimer const&) noexcept;
    AnyTimer& operator=(AnyTimer&&) noexcept;
    ~AnyTimer();
    /// \}

    /// Calls f(timer) with the concrete timer. \return the result of f
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
    [[nodiscard]] std::string name() const;    ///< `name()` of the timer; "own" if it has no name
    [[nodiscard]] seconds resolution() const;  ///< nominal step of the clock

private:
    enum class Kind : unsigned char { wtime, gettimeofday, tsc, monotonic, monotonic_raw, own };
    Kind kind_ = Kind::wtime;
    [[no_unique_address]] WtimeTimer wtime_{};
    [[no_unique_address]] GettimeofdayTimer gettimeofday_{};
    [[no_unique_address]] MonotonicTimer monotonic_{};
    [[no_unique_address]] MonotonicRawTimer monotonic_raw_{};
    TscTimer tsc_;
    detail::OwnTimer own_{};  ///< empty, except for the kind `own`
};

/// A real clock with a known distortion, for tests of code that depends on clocks:
///
///     reading = quantise(base * (1 + ppm * 1e-6) + skew) + jitter
///
/// Readings are integer nanoseconds. They may be negative, and they are monotone. The base is one of the clocks above,
/// in nanoseconds since its own zero. In each interval of `jitter_ns`, the clock jumps ahead once, and then stops until
/// the reading without jitter has caught up. Equal base readings always give equal readings.
class SyntheticTimer : public detail::NanosecondStamps {
public:
    /// The distortion of the clock on one rank.
    struct Distortion {
        std::int64_t skew_ns = 0;     ///< constant added to every reading, ns, in [-1e18, 1e18]
        double ppm = 0;               ///< drift in parts per million, in (-1e6, 1e6)
        std::int64_t quantum_ns = 1;  ///< step of the readings, ns, in [1, 1e18]; readings are rounded down
        std::int64_t jitter_ns = 0;   ///< readings are ahead by at least 0 and less than this, ns, in [0, 1e18]
    };

    /// Collective over `comm` for the base "tsc", otherwise local.
    /// \param base        "mpi_wtime" (not on `Comm::solo()`), "gettimeofday", "tsc", "monotonic" or "monotonic_raw"
    /// \param distortion  the distortion of this rank
    /// \throws UsageError for an unknown or unavailable base and for a distortion out of range
    SyntheticTimer(std::string_view base, Distortion distortion, Comm const& comm = Comm::solo());

    /// Creates this rank's clock from the specification "synthetic:BASE,skew=S,ppm=P,quant=Q,jitter=J" in any letter
    /// case. All keys are optional. Durations have a unit (ns, us, ms, s); a number without a unit is in seconds. S and
    /// P are a value, "rank*VALUE" (multiplied by the rank), or "random*VALUE" (uniform in +/-VALUE, derived from
    /// `seed` and rank). Collective if BASE is tsc, otherwise local.
    /// \throws UsageError for an invalid specification, on all ranks
    [[nodiscard]] static SyntheticTimer parse(std::string_view specification, Comm const& comm, std::uint64_t seed = 1);

    [[nodiscard]] stamp now() const noexcept { return distort(base_now()); }  ///< distorted reading of the base clock
    /// The distorted reading for a base reading in nanoseconds. A pure function, for tests.
    [[nodiscard]] stamp distort(stamp base_ns) const noexcept;
    [[nodiscard]] Distortion const& distortion() const noexcept {
        return distortion_;
    }  ///< distortion of this rank, with the random values drawn
    /// Step of the base clock or the quantum, whichever is larger.
    [[nodiscard]] seconds resolution() const noexcept;
    /// The specification in lower case; "synthetic:BASE" for a timer created without a specification.
    [[nodiscard]] std::string name() const { return name_; }

private:
    SyntheticTimer(AnyTimer base, Distortion distortion, std::string name);
    [[nodiscard]] stamp base_now() const noexcept;

    AnyTimer base_;
    Distortion distortion_;
    std::string name_;
};

/// The clocks that `timer_from` knows: "mpi_wtime", "gettimeofday", "tsc", "monotonic", "monotonic_raw".
[[nodiscard]] std::span<std::string_view const> timer_names() noexcept;

/// The timer with the given name in any letter case, or a synthetic timer for "synthetic:..."
/// (`SyntheticTimer::parse`). Collective, because tsc is calibrated once per host.
/// \param seed  seed of the random values of a synthetic timer
/// \throws UsageError for an unknown name (the text lists the known ones), for tsc if a host has no usable counter, and
///         for mpi_wtime on `Comm::solo()`
[[nodiscard]] AnyTimer timer_from(std::string_view name, Comm const& comm, std::uint64_t seed = 1);

/// Measures the resolution (smallest step), the granularity (most frequent step) and the cost of a reading. Local.
/// Takes at most about 50 ms. Resolution and granularity are zero for a clock that does not advance during this time.
[[nodiscard]] TimerInfo calibrate(AnyTimer const& timer);

/// Step of the clock as seen in 256 or more successive readings: the resolution of measured times. Local. Takes
/// microseconds, or up to 25 ms for a clock with millisecond steps.
///
/// - If some of the readings are equal: their smallest nonzero difference.
/// - If all readings differ: the greatest common divisor of the differences. If none is found, the smaller of the
/// nominal step and the smallest difference.
/// - For a clock that does not advance: the nominal step.
/// - For a timer whose `resolution()` is 0: 0.
[[nodiscard]] seconds seen_step(AnyTimer const& timer);

/// Result of the sanity check of a timer on this rank.
struct TimerCheck {
    TimerInfo info;                     ///< measured resolution and cost, by `calibrate`
    double rate_error = 0;              ///< relative deviation of the rate from CLOCK_MONOTONIC_RAW
    std::vector<std::string> failures;  ///< one sentence for each failure; empty if the timer passed
    std::vector<std::string> warnings;  ///< one sentence for each warning
};

/// Checks a timer. Local. Takes less than 0.5 s. Fails for steps back in time and for a rate error above 1000 ppm.
/// Warns if the rate error is above 100 ppm, if the 99th percentile of the reading time is more than 10 times the
/// median, or if a reading takes more than 1 us.
[[nodiscard]] TimerCheck check_timer(AnyTimer const& timer);

}  // namespace measure
#pragma GCC visibility pop
