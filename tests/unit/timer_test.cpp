// SPDX-License-Identifier: BSD-3-Clause
#include "clock/clock_grid.hpp"
#include "measure/error.hpp"
#include "measure/timer.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using measure::AnyTimer;
using measure::Comm;
using measure::nanoseconds;
using measure::seconds;
using measure::SyntheticTimer;
using measure::Timer;
using measure::TscTimer;
using measure::UsageError;
using measure::detail::OwnTimer;
using measure::detail::pack_stamp;
using measure::detail::unpack_stamp;
using test::FakeTimer;

namespace {

/// A clock that counts in doubles and has its own stamps to open and close regions.
struct Stopwatch {
    using stamp = double;
    [[nodiscard]] stamp now() const noexcept { return -2.5; }
    [[nodiscard]] stamp begin() const noexcept { return -1.25; }
    [[nodiscard]] stamp end() const noexcept { return 3; }
    [[nodiscard]] seconds between(stamp a, stamp b) const { return seconds{b - a}; }
    [[nodiscard]] stamp after(stamp a, seconds d) const { return a + d.count(); }
    [[nodiscard]] seconds resolution() const { return seconds{0.25}; }
};

struct FourByteStamps : FakeTimer {
    using stamp = std::int32_t;
};

struct ThrowingNow : Stopwatch {
    [[nodiscard]] stamp now() const { return 0; }
};

SyntheticTimer timer_of(std::string_view specification, std::uint64_t seed = 1) {
    return SyntheticTimer::parse(specification, Comm::solo(), seed);
}

std::string error_of(std::string_view name) {
    try {
        static_cast<void>(measure::timer_from(name, Comm::solo()));
    } catch (UsageError const& e) {
        return e.what();
    }
    return "no error";
}

bool contains(std::string const& text, std::string_view part) { return text.find(part) != std::string::npos; }

bool any_contains(std::vector<std::string> const& texts, std::string_view part) {
    return std::any_of(texts.begin(), texts.end(), [part](auto const& text) { return contains(text, part); });
}

/// Readings whose differences repeat the given pattern, enough for one calibration.
FakeTimer with_distances(std::vector<std::int64_t> const& pattern) {
    std::vector<std::int64_t> readings{0};
    for (std::size_t i = 0; i < 40'000; ++i)
        readings.push_back(readings.back() + pattern[i % pattern.size()]);
    return FakeTimer::scripted(std::move(readings));
}

}  // namespace

static_assert(Timer<measure::WtimeTimer>);
static_assert(Timer<measure::GettimeofdayTimer>);
static_assert(Timer<TscTimer>);
static_assert(Timer<measure::MonotonicTimer>);
static_assert(Timer<measure::MonotonicRawTimer>);
static_assert(Timer<SyntheticTimer>);
static_assert(Timer<OwnTimer>);
static_assert(Timer<FakeTimer>);
static_assert(Timer<Stopwatch>);
static_assert(!Timer<int>);
static_assert(!Timer<AnyTimer>);
static_assert(!Timer<FourByteStamps>);
static_assert(!Timer<ThrowingNow>);
static_assert(std::copyable<AnyTimer>);
static_assert(std::convertible_to<Stopwatch, AnyTimer>);

TEST_CASE("doubles keep their order as packed stamps, also below zero", "[timer]") {
    std::vector<double> const ascending{-1e300, -2.5, -1.25, -1e-300, 0, 1e-300, 1.25, 2.5, 1e300};
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        CHECK(unpack_stamp<double>(pack_stamp(ascending[i])) == ascending[i]);
        if (i > 0)
            CHECK(pack_stamp(ascending[i - 1]) < pack_stamp(ascending[i]));
    }
    CHECK(pack_stamp(std::int64_t{-7}) == -7);
    CHECK(unpack_stamp<std::int64_t>(-7) == -7);
}

TEST_CASE("begin and end stamps come from the timer if it has them", "[timer]") {
    CHECK(measure::begin_stamp(Stopwatch{}) == -1.25);
    CHECK(measure::end_stamp(Stopwatch{}) == 3);

    auto const fake = FakeTimer::counting(10);
    CHECK(measure::begin_stamp(fake) == 0);
    CHECK(measure::end_stamp(fake) == 10);
}

TEST_CASE("a wrapped timer keeps its stamps with their order and differences", "[timer]") {
    OwnTimer const own{Stopwatch{}};
    CHECK(own.now() < own.begin());
    CHECK(own.begin() < own.end());
    CHECK(own.between(own.begin(), own.end()) == seconds{4.25});
    CHECK(own.between(own.end(), own.begin()) == seconds{-4.25});
    CHECK(own.after(own.begin(), seconds{4.25}) == own.end());
    CHECK(own.resolution() == seconds{0.25});
    CHECK(own.name() == "own");
}

TEST_CASE("copies of a wrapped timer read the same clock", "[timer]") {
    auto const fake = FakeTimer::counting(10, 1000);
    AnyTimer const first = fake;
    AnyTimer const second = first;
    auto const read = [](auto const& t) { return t.between(typename std::decay_t<decltype(t)>::stamp{}, t.now()); };
    CHECK_THAT(nanoseconds(first.visit(read)), WithinRel(1000.0, 1e-9));
    CHECK_THAT(nanoseconds(second.visit(read)), WithinRel(1010.0, 1e-9));
    CHECK(fake.readings() == 2);
    CHECK(first.name() == "fake");
}

TEST_CASE("the default timer is mpi_wtime", "[timer]") {
    CHECK(AnyTimer{}.name() == "mpi_wtime");
    CHECK(AnyTimer{measure::MonotonicTimer{}}.name() == "monotonic");
    CHECK(AnyTimer{measure::MonotonicTimer{}}.resolution() == seconds{1e-9});
}

TEST_CASE("clocks of the machine are visited directly, other timers through one wrapper", "[timer]") {
    auto const is_wrapped = [](auto const& t) { return std::is_same_v<std::decay_t<decltype(t)>, OwnTimer>; };
    CHECK_FALSE(AnyTimer{}.visit(is_wrapped));
    CHECK_FALSE(AnyTimer{TscTimer::with_frequency(1e9)}.visit(is_wrapped));
    CHECK(AnyTimer{SyntheticTimer{"monotonic", {}}}.visit(is_wrapped));
    CHECK(AnyTimer{Stopwatch{}}.visit(is_wrapped));
}

TEST_CASE("present-day stamps in nanoseconds keep single nanoseconds", "[timer]") {
    measure::MonotonicTimer const timer;
    constexpr std::int64_t today = 1'700'000'000'000'000'000;
    CHECK(timer.between(today, today + 1) == seconds{1e-9});
    CHECK(timer.between(today + 1, today) == seconds{-1e-9});
    CHECK(timer.after(today, seconds{2.5e-6}) == today + 2500);
    CHECK(timer.after(-100, seconds{-60e-9}) == -160);
}

TEST_CASE("gettimeofday counts microseconds", "[timer]") {
    measure::GettimeofdayTimer const timer;
    CHECK(timer.between(10, 13) == seconds{3e-6});
    CHECK(timer.after(10, seconds{2.6e-6}) == 13);
    CHECK(timer.after(10, seconds{-2.6e-6}) == 7);
    CHECK(timer.resolution() == seconds{1e-6});
}

TEST_CASE("a counter of 2.6 GHz counts 26 ticks in 10 ns", "[timer][tsc]") {
    auto const timer = TscTimer::with_frequency(2.6e9);
    CHECK_THAT(nanoseconds(timer.between(-13, 13)), WithinRel(10.0, 1e-9));
    CHECK(timer.after(1000, seconds{10e-9}) == 1026);
    CHECK(timer.after(1000, seconds{-10e-9}) == 974);
    CHECK(timer.frequency() == 2.6e9);
    CHECK(timer.frequency_source() == "given");
}

TEST_CASE("a counter needs a positive frequency", "[timer][tsc]") {
    CHECK_THROWS_AS(TscTimer::with_frequency(0), UsageError);
    CHECK_THROWS_AS(TscTimer::with_frequency(-1), UsageError);
    CHECK_THROWS_AS(TscTimer::with_frequency(NAN), UsageError);
}

TEST_CASE("the counter of the processor advances at the rate of the raw clock", "[timer][tsc]") {
    if (!TscTimer::available()) {
        WARN("this processor has no counter with a constant rate; this case is skipped");
        return;
    }
    TscTimer const timer;
    auto const first = measure::begin_stamp(timer);
    auto const second = timer.now();
    auto const third = measure::end_stamp(timer);
    CHECK(first < second);
    CHECK(second < third);
    CHECK(timer.frequency_source() != "given");

    auto const check = measure::check_timer(timer);
    CHECK(check.failures == std::vector<std::string>{});
    CHECK(check.info.frequency == timer.frequency());
}

TEST_CASE("without a counter the tsc timer is a usage error", "[timer][tsc]") {
    if (TscTimer::available()) {
        WARN("this processor has a counter with a constant rate; this case is skipped");
        return;
    }
    CHECK_THROWS_AS(TscTimer{}, UsageError);
    CHECK_THROWS_AS(measure::timer_from("tsc", Comm::solo()), UsageError);
}

TEST_CASE("timer names are case-insensitive", "[timer]") {
    auto const comm = Comm::solo();
    CHECK(measure::timer_from("monotonic", comm).name() == "monotonic");
    CHECK(measure::timer_from("Monotonic_RAW", comm).name() == "monotonic_raw");
    CHECK(measure::timer_from("GetTimeOfDay", comm).name() == "gettimeofday");
    CHECK(measure::timer_from("Synthetic:Monotonic,Skew=1S", comm).name() == "synthetic:monotonic,skew=1s");
}

TEST_CASE("the error for an unknown timer lists the known ones", "[timer]") {
    CHECK(error_of("NoSuch") == "unknown timer 'NoSuch'; known: mpi_wtime, gettimeofday, tsc, monotonic, "
                                "monotonic_raw, or synthetic:NAME,... based on any of them");
    CHECK(contains(error_of(""), "unknown timer ''"));
    CHECK(contains(error_of("synthetic:nosuch"), "unknown timer 'nosuch'"));
    CHECK(contains(error_of("synthetic"), "unknown timer 'synthetic'"));
}

TEST_CASE("MPI_Wtime is refused without MPI", "[timer]") {
    CHECK(error_of("MPI_Wtime") == "timer 'mpi_wtime' needs MPI; use monotonic_raw without MPI");
    CHECK(error_of("synthetic:mpi_wtime") == "timer 'mpi_wtime' needs MPI; use monotonic_raw without MPI");
}

TEST_CASE("a skew shifts every reading, up to a million seconds and below zero", "[timer][synthetic]") {
    SyntheticTimer const ahead{"monotonic", {.skew_ns = 1'000'000'000'000'000}};
    CHECK(ahead.distort(5) == 1'000'000'000'000'005);
    SyntheticTimer const behind{"monotonic", {.skew_ns = -1'000'000'000'000'000}};
    CHECK(behind.distort(5) == -999'999'999'999'995);
}

TEST_CASE("a drift of 20 ppm gains 20 us per second, one of -50 ppm loses 50 us", "[timer][synthetic]") {
    SyntheticTimer const fast{"monotonic", {.ppm = 20}};
    CHECK(fast.distort(1'000'000'000) == 1'000'020'000);
    CHECK(fast.distort(-1'000'000'000) == -1'000'020'000);
    SyntheticTimer const slow{"monotonic", {.skew_ns = -7'000'000'000, .ppm = -50}};
    CHECK(slow.distort(1'000'000'000) == -6'000'050'000);
}

TEST_CASE("a large drift does not step back at readings of the wall clock", "[timer][synthetic]") {
    SyntheticTimer const slow{"gettimeofday", {.ppm = -500'000}};
    constexpr std::int64_t today = 1'700'000'000'000'000'000;
    CHECK(slow.distort(today) == today / 2);
    CHECK(slow.distort(today + 2000) == today / 2 + 1000);
    for (std::int64_t k = 0; k < 2000; ++k)
        REQUIRE(slow.distort(today + k) <= slow.distort(today + k + 1));
}

TEST_CASE("quantised readings are rounded down, also below zero", "[timer][synthetic]") {
    SyntheticTimer const coarse{"monotonic", {.quantum_ns = 1000}};
    CHECK(coarse.distort(1999) == 1000);
    CHECK(coarse.distort(1000) == 1000);
    CHECK(coarse.distort(999) == 0);
    CHECK(coarse.distort(-1) == -1000);
    CHECK(coarse.distort(-1000) == -1000);
    CHECK_THAT(nanoseconds(coarse.resolution()), WithinRel(1000.0, 1e-9));
}

TEST_CASE("jitter stays below its width, is monotone and reproducible", "[timer][synthetic]") {
    SyntheticTimer const one{"monotonic", {.jitter_ns = 100}};
    SyntheticTimer const other{"gettimeofday", {.jitter_ns = 100}};
    std::int64_t deviating = 0;
    for (std::int64_t t = -5000; t < 5000; ++t) {
        auto const deviation = one.distort(t) - t;
        REQUIRE(deviation >= 0);
        REQUIRE(deviation < 100);
        REQUIRE(one.distort(t) <= one.distort(t + 1));
        REQUIRE(one.distort(t) == other.distort(t));
        deviating += deviation > 0 ? 1 : 0;
    }
    CHECK(deviating > 1000);
    CHECK(deviating < 9000);
}

TEST_CASE("jitter on top of quantised readings is monotone", "[timer][synthetic]") {
    for (std::int64_t const jitter : {1, 7, 1000, 2500}) {
        SyntheticTimer const timer{"monotonic", {.quantum_ns = 1000, .jitter_ns = jitter}};
        for (std::int64_t t = -5000; t < 5000; ++t) {
            auto const deviation = timer.distort(t) - t;
            REQUIRE(deviation > -1000);
            REQUIRE(deviation < jitter);
            REQUIRE(timer.distort(t) <= timer.distort(t + 1));
        }
    }
}

TEST_CASE("a synthetic clock runs on its base clock", "[timer][synthetic]") {
    measure::MonotonicRawTimer const base;
    SyntheticTimer const shifted{"monotonic_raw", {.skew_ns = 5'000'000}};
    auto const before = base.now();
    auto const between = shifted.now();
    auto const after = base.now();
    CHECK(between - 5'000'000 >= before);
    CHECK(between - 5'000'000 <= after);
    CHECK(shifted.name() == "synthetic:monotonic_raw");
}

TEST_CASE("a synthetic clock on gettimeofday reads its microseconds as nanoseconds", "[timer][synthetic]") {
    SyntheticTimer const timer{"gettimeofday", {}};
    CHECK(timer.now() % 1000 == 0);
    CHECK(timer.now() > 1'500'000'000'000'000'000);
    CHECK(timer.resolution() == seconds{1e-6});
}

TEST_CASE("a synthetic clock on the counter reads it as nanoseconds", "[timer][synthetic][tsc]") {
    if (!TscTimer::available()) {
        WARN("this processor has no counter with a constant rate; this case is skipped");
        return;
    }
    CHECK(measure::check_timer(SyntheticTimer{"tsc", {}}).failures == std::vector<std::string>{});
}

TEST_CASE("a specification names the faults of a synthetic clock", "[timer][synthetic]") {
    auto const all = timer_of("SYNTHETIC:monotonic,skew=-1.5us,ppm=-50,quant=0.1us,jitter=40ns");
    CHECK(all.distortion().skew_ns == -1500);
    CHECK(all.distortion().ppm == -50);
    CHECK(all.distortion().quantum_ns == 100);
    CHECK(all.distortion().jitter_ns == 40);
    CHECK(all.name() == "synthetic:monotonic,skew=-1.5us,ppm=-50,quant=0.1us,jitter=40ns");

    auto const none = timer_of("synthetic:monotonic");
    CHECK(none.distortion().skew_ns == 0);
    CHECK(none.distortion().ppm == 0);
    CHECK(none.distortion().quantum_ns == 1);
    CHECK(none.distortion().jitter_ns == 0);
}

TEST_CASE("a duration without a unit is in seconds", "[timer][synthetic]") {
    CHECK(timer_of("synthetic:monotonic,skew=1e6").distortion().skew_ns == 1'000'000'000'000'000);
    CHECK(timer_of("synthetic:monotonic,skew=7s").distortion().skew_ns == 7'000'000'000);
    CHECK(timer_of("synthetic:monotonic,quant=2ms").distortion().quantum_ns == 2'000'000);
}

TEST_CASE("a fault per rank has no effect on rank 0", "[timer][synthetic]") {
    auto const timer = timer_of("synthetic:monotonic,skew=rank*7s,ppm=rank*-50");
    CHECK(timer.distortion().skew_ns == 0);
    CHECK(timer.distortion().ppm == 0);
}

TEST_CASE("random faults stay in their range and depend on the seed", "[timer][synthetic]") {
    std::string const specification = "synthetic:monotonic,skew=random*1000ns,ppm=random*50";
    std::vector<std::int64_t> skews;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        auto const faults = timer_of(specification, seed).distortion();
        REQUIRE(std::abs(faults.skew_ns) <= 1000);
        REQUIRE(std::abs(faults.ppm) <= 50);
        REQUIRE(timer_of(specification, seed).distortion().skew_ns == faults.skew_ns);
        REQUIRE(timer_of(specification, seed).distortion().ppm == faults.ppm);
        skews.push_back(faults.skew_ns);
    }
    auto const [least, greatest] = std::minmax_element(skews.begin(), skews.end());
    CHECK(*least < -500);
    CHECK(*greatest > 500);
}

TEST_CASE("a wrong specification is refused with the reason", "[timer][synthetic]") {
    CHECK(error_of("synthetic:monotonic,wobble=1s") ==
          "synthetic timer: unknown fault 'wobble'; known: skew, ppm, quant, jitter");
    CHECK(error_of("synthetic:monotonic,skew=1h") ==
          "synthetic timer: skew: '1h' is not a duration such as 250ns, 20us, 1ms, 7s");
    CHECK(error_of("synthetic:monotonic,skew=") ==
          "synthetic timer: skew: '' is not a duration such as 250ns, 20us, 1ms, 7s");
    CHECK(error_of("synthetic:monotonic,ppm=5%") == "synthetic timer: ppm: '5%' is not a number");
    CHECK(error_of("synthetic:monotonic,ppm=nan") == "synthetic timer: ppm: 'nan' is not a number");
    CHECK(error_of("synthetic:monotonic,quant=rank*1ns") ==
          "synthetic timer: quant: 'rank*1ns' is not a duration such as 250ns, 20us, 1ms, 7s");
    CHECK(error_of("synthetic:monotonic,ppm=1,ppm=2") == "synthetic timer: ppm is given twice");
    CHECK(error_of("synthetic:monotonic,ppm=-1e6") ==
          "synthetic timer: a drift must be between -1e6 and 1e6 ppm on every rank");
    CHECK(error_of("synthetic:monotonic,skew=1.1e9s") == "synthetic timer: a skew must be within 1e9 s on every rank");
    CHECK(error_of("synthetic:monotonic,quant=0") == "synthetic timer: a quantum must be between 1 ns and 1e9 s");
    CHECK(error_of("synthetic:monotonic,jitter=-1ns") == "synthetic timer: a jitter must be between 0 and 1e9 s");
}

TEST_CASE("faults out of range are usage errors", "[timer][synthetic]") {
    CHECK_THROWS_AS((SyntheticTimer{"monotonic", {.skew_ns = 2'000'000'000'000'000'000}}), UsageError);
    CHECK_THROWS_AS((SyntheticTimer{"monotonic", {.ppm = NAN}}), UsageError);
    CHECK_THROWS_AS((SyntheticTimer{"monotonic", {.quantum_ns = 0}}), UsageError);
    CHECK_THROWS_AS((SyntheticTimer{"monotonic", {.jitter_ns = -1}}), UsageError);
    CHECK_THROWS_AS((SyntheticTimer{"nosuch", {}}), UsageError);
}

TEST_CASE("calibration finds a clock step of 40 ns per reading", "[timer][calibrate]") {
    auto const info = measure::calibrate(FakeTimer::counting(40));
    CHECK(info.name == "fake");
    CHECK(info.nominal == seconds{1e-9});
    CHECK(info.frequency == 0);
    CHECK_THAT(nanoseconds(info.resolution), WithinRel(40.0, 1e-9));
    CHECK_THAT(nanoseconds(info.granularity), WithinRel(40.0, 1e-9));
    CHECK_THAT(nanoseconds(info.overhead), WithinRel(40.0, 1e-9));
    CHECK_THAT(nanoseconds(info.overhead_p99), WithinRel(40.0, 1e-9));
    CHECK(info.backward == 0);
}

TEST_CASE("a coarse clock shows its step and a reading cost below the step", "[timer][calibrate]") {
    // Four readings in each microsecond.
    auto const info = measure::calibrate(with_distances({0, 0, 0, 1000}));
    CHECK_THAT(nanoseconds(info.resolution), WithinRel(1000.0, 1e-9));
    CHECK_THAT(nanoseconds(info.granularity), WithinRel(1000.0, 1e-9));
    CHECK_THAT(nanoseconds(info.overhead), WithinRel(250.0, 1e-9));
    CHECK_THAT(nanoseconds(info.overhead_p99), WithinRel(1000.0, 1e-9));
}

TEST_CASE("the stated step is used unless readings contradict it", "[timer][calibrate]") {
    // Repeated readings show the step, whatever the clock states.
    auto const repeated = [](std::int64_t step) {
        std::vector<std::int64_t> readings;
        for (std::int64_t i = 0; i < 2000; ++i)
            readings.push_back(i * 30 / step * step);
        return FakeTimer::scripted(readings, 30);
    };
    CHECK_THAT(nanoseconds(measure::seen_step(repeated(1000))), WithinRel(1000.0, 1e-9));
    CHECK_THAT(nanoseconds(measure::seen_step(repeated(100))), WithinRel(100.0, 1e-9));
    // If all readings differ, the step is finer than the time of a reading.
    CHECK_THAT(nanoseconds(measure::seen_step(FakeTimer::counting(40))), WithinRel(1.0, 1e-9));
    CHECK_THAT(nanoseconds(measure::seen_step(FakeTimer::counting(0))), WithinRel(1.0, 1e-9));
    CHECK_THAT(nanoseconds(measure::seen_step(FakeTimer::counting(-40))), WithinRel(1.0, 1e-9));
}

TEST_CASE("the step of a clock that is finer than a reading is found from differences", "[timer][calibrate]") {
    using measure::detail::grid_of;
    // A counter of 0.4 ns that advances by 10 ns: 20 readings each of 20, 30 and 40 ns, and some interrupted ones.
    std::vector<double> distances;
    for (int i = 0; i < 60; ++i)
        distances.push_back((20 + 10 * (i % 3)) * 1e-9);
    distances.push_back(1003e-9);
    distances.push_back(2000e-9);
    CHECK_THAT(grid_of(distances, 0.4e-9), WithinRel(10e-9, 1e-9));
    // The same counter in whole nanoseconds.
    for (std::size_t i = 0; i < distances.size(); i += 20)
        distances[i] += 1e-9;
    CHECK_THAT(grid_of(distances, 1e-9), WithinRel(10e-9, 0.02));
    // Differences of any length have no grid, and neither has a single difference.
    distances.clear();
    for (int i = 0; i < 120; ++i)
        distances.push_back((20 + 0.4 * i) * 1e-9);
    CHECK(grid_of(distances, 0.4e-9) == 0);
    // A gap between them does not make a grid.
    distances.erase(distances.begin() + 40, distances.begin() + 60);
    CHECK(grid_of(distances, 0.4e-9) == 0);
    CHECK(grid_of(std::vector<double>(100, 40e-9), 1e-9) == 0);
    CHECK(grid_of({}, 1e-9) == 0);
}

TEST_CASE("the floor of a timer is the longer of ten readings and ten steps", "[timer]") {
    measure::TimerInfo info{.nominal = seconds{1e-9}, .resolution = seconds{1e-6}, .overhead = seconds{2e-6}};
    CHECK(is_near_timer_floor(seconds{19e-6}, info));
    CHECK_FALSE(is_near_timer_floor(seconds{21e-6}, info));
    info.overhead = seconds{30e-9};
    CHECK(is_near_timer_floor(seconds{9e-6}, info));
    CHECK_FALSE(is_near_timer_floor(seconds{11e-6}, info));
    CHECK(is_near_timer_floor(seconds{0}, info));
    // A clock that was not seen to advance.
    info.resolution = seconds{0};
    CHECK(info.step() == seconds{1e-9});
}

TEST_CASE("resolution is the smallest step, granularity the most frequent one", "[timer][calibrate]") {
    auto const info = measure::calibrate(with_distances({10, 10, 5}));
    CHECK_THAT(nanoseconds(info.resolution), WithinRel(5.0, 1e-9));
    CHECK_THAT(nanoseconds(info.granularity), WithinRel(10.0, 1e-9));
}

TEST_CASE("every backward step in time is counted", "[timer][calibrate]") {
    std::vector<std::int64_t> readings(40'000);
    for (std::size_t i = 0; i < readings.size(); ++i)
        readings[i] = 10 * static_cast<std::int64_t>(i);
    readings[1] = -30;     // seen while steps are collected, from at most 2000 readings
    readings[2501] -= 15;  // seen in the batches
    auto const timer = FakeTimer::scripted(readings);

    auto const check = measure::check_timer(timer);
    CHECK(check.info.backward == 2);
    CHECK_THAT(nanoseconds(check.info.resolution), WithinRel(10.0, 1e-9));
    CHECK(any_contains(check.failures, "2 steps back in time"));
}

TEST_CASE("a stopped clock ends its calibration and fails its check", "[timer][calibrate]") {
    auto const check = measure::check_timer(FakeTimer::counting(0));
    CHECK(check.info.resolution == seconds{0});
    CHECK(check.info.granularity == seconds{0});
    CHECK(check.rate_error == -1);
    CHECK(check.failures == std::vector<std::string>{"rate deviates from CLOCK_MONOTONIC_RAW by -1000000 ppm"});
}

TEST_CASE("an expensive reading causes a warning", "[timer][check]") {
    CHECK(any_contains(measure::check_timer(FakeTimer::counting(2000)).warnings, "a reading costs 2 us"));
    CHECK_FALSE(any_contains(measure::check_timer(FakeTimer::counting(1000)).warnings, "a reading costs"));
}

TEST_CASE("spikes above ten medians cause a warning", "[timer][check]") {
    // 49 readings of 10 ns and one of 1000 ns: 1490 / 50 = 29.8 ns on average, and two percent are spikes.
    std::vector<std::int64_t> distances(50, 10);
    distances.back() = 1000;
    auto const spiky = measure::check_timer(with_distances(distances));
    CHECK(any_contains(spiky.warnings, "99th percentile of a reading is 1 us, the median 29.8 ns"));

    // 199 readings of 10 ns and one of 1000 ns: the 99th percentile is 10 ns.
    distances.assign(200, 10);
    distances.back() = 1000;
    CHECK_FALSE(any_contains(measure::check_timer(with_distances(distances)).warnings, "99th percentile"));
}

TEST_CASE("a true rate passes, 500 ppm cause a warning, 5000 ppm fail", "[timer][check]") {
    auto const with_drift = [](double ppm) {
        return measure::check_timer(SyntheticTimer{"monotonic_raw", {.ppm = ppm}});
    };
    auto const right = with_drift(0);
    CHECK(right.failures.empty());
    CHECK_FALSE(any_contains(right.warnings, "rate"));

    auto const fast = with_drift(500);
    CHECK_THAT(fast.rate_error, WithinAbs(500e-6, 100e-6));
    CHECK(fast.failures.empty());
    CHECK(any_contains(fast.warnings, "rate"));

    auto const slow = with_drift(-5000);
    CHECK_THAT(slow.rate_error, WithinAbs(-5000e-6, 100e-6));
    CHECK(any_contains(slow.failures, "rate"));
}

TEST_CASE("a scripted fake clock returns its list and then continues from its end", "[fake_timer]") {
    auto const timer = FakeTimer::scripted({5, 7, -3}, 10);
    auto const copy = timer;
    CHECK(timer.now() == 5);
    CHECK(copy.now() == 7);
    CHECK(timer.now() == -3);
    CHECK(copy.now() == 7);
    CHECK(timer.now() == 17);
    copy.advance(100);
    CHECK(timer.now() == 127);
    copy.set(0);
    CHECK(timer.now() == 0);
    CHECK(timer.readings() == 7);
}

TEST_CASE("a fake clock without a step stops until it is advanced", "[fake_timer]") {
    auto const timer = FakeTimer::counting(0, 42);
    CHECK(timer.now() == 42);
    CHECK(timer.now() == 42);
    timer.advance(8);
    CHECK(timer.now() == 50);
}
