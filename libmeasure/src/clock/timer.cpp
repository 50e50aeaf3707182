// SPDX-License-Identifier: BSD-3-Clause
#include "measure/timer.hpp"

#include "clock/clock_grid.hpp"
#include "clock/clocks.hpp"
#include "clock/paired_reading.hpp"
#include "core/names.hpp"
#include "measure/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

namespace measure {
namespace detail {

AnyTimer clock_from(std::string_view name, Comm const& comm) {
    auto const key = lower(name);
    if (key == "mpi_wtime") {
        if (comm.is_solo())
            throw UsageError("timer 'mpi_wtime' needs MPI; use monotonic_raw without MPI");
        return WtimeTimer{};
    }
    if (key == "gettimeofday")
        return GettimeofdayTimer{};
    if (key == "tsc")
        return TscTimer{comm};
    if (key == "monotonic")
        return MonotonicTimer{};
    if (key == "monotonic_raw")
        return MonotonicRawTimer{};
    throw UsageError(fmt::format("unknown timer '{}'; known: {}, or synthetic:NAME,... based on any of them", name,
                                 fmt::join(timer_names(), ", ")));
}

}  // namespace detail

namespace {

using detail::clock_nanoseconds;

/// Time limit of a loop, by the system clock, because the timer under test may stand still.
class Budget {
public:
    explicit Budget(std::int64_t ns) noexcept : end_{clock_nanoseconds(CLOCK_MONOTONIC_RAW) + ns} {}
    [[nodiscard]] bool left() const noexcept { return clock_nanoseconds(CLOCK_MONOTONIC_RAW) < end_; }

private:
    std::int64_t end_;
};

constexpr std::size_t steps_wanted = 1000;
constexpr std::size_t batches_wanted = 31;
constexpr std::size_t readings_per_batch = 1000;
constexpr std::int64_t budget_ns = 25'000'000;  // for each of the two loops
constexpr auto rate_time = std::chrono::milliseconds{200};

/// Non-zero differences of successive readings, in seconds.
template <Timer T>
std::vector<double> visible_steps(T const& timer) {
    std::vector<double> steps;
    steps.reserve(steps_wanted);
    for (Budget const budget{budget_ns}; steps.size() < steps_wanted && budget.left();) {
        auto const a = timer.now();
        auto b = timer.now();
        for (int readings = 1000; b == a && readings > 0; --readings)
            b = timer.now();
        if (b != a)
            steps.push_back(timer.between(a, b).count());
    }
    return steps;
}

/// Distances of readings with a small, increasing amount of work in between; increments are below one nanosecond.
template <Timer T>
std::vector<double> swept_distances(T const& timer) {
    constexpr int sweeps = 8;
    constexpr int longest = 128;
    std::vector<double> distances;
    distances.reserve(std::size_t{sweeps} * longest);
    std::uint64_t work = 0;
    for (int i = 0; i < sweeps * longest; ++i) {
        auto const begin = timer.now();
        for (int k = i % longest; k > 0; --k)
            asm volatile("" : "+r"(work));
        distances.push_back(timer.between(begin, timer.now()).count());
    }
    return distances;
}

/// The resolution that `seen_step` returns.
template <Timer T>
seconds step_in_readings(T const& timer) {
    constexpr int looks = 256;
    constexpr int steps_enough = 16;
    seconds const nominal = timer.resolution();
    if (!(nominal > seconds{0}))
        return seconds{0};
    seconds smallest{0};
    int steps = 0;
    int repeated = 0;
    auto last = timer.now();
    auto const look = [&] {
        auto const now = timer.now();
        seconds const step = timer.between(last, now);
        last = now;
        repeated += step == seconds{0} ? 1 : 0;
        if (step > seconds{0}) {
            smallest = ++steps == 1 ? step : std::min(smallest, step);
        }
    };
    for (int i = 0; i < looks; ++i)
        look();
    if (repeated == 0 && steps == 0)
        return nominal;
    if (repeated == 0) {
        double const grid = detail::grid_of(swept_distances(timer), nominal.count());
        return grid > 0 ? seconds{grid} : std::min(nominal, smallest);
    }
    for (Budget const budget{budget_ns}; steps < steps_enough && budget.left();)
        for (int i = 0; i < looks; ++i)
            look();
    return steps > 0 ? smallest : nominal;
}

struct Readings {
    std::vector<double> costs;      // [batches], seconds per reading
    std::vector<double> distances;  // [batches * readings_per_batch], seconds between two successive readings
};

template <Timer T>
Readings read_in_batches(T const& timer) {
    std::vector<typename T::stamp> stamps(readings_per_batch + 1);
    Readings result;
    Budget const budget{budget_ns};
    do {
        for (auto& stamp : stamps)
            stamp = timer.now();
        result.costs.push_back(timer.between(stamps.front(), stamps.back()).count() / readings_per_batch);
        for (std::size_t i = 1; i < stamps.size(); ++i)
            result.distances.push_back(timer.between(stamps[i - 1], stamps[i]).count());
    } while (result.costs.size() < batches_wanted && budget.left());
    return result;
}

/// Nearest-rank percentile. \param values  not empty; reordered
double percentile(std::vector<double>& values, std::size_t percent) {
    auto const rank = std::max<std::size_t>(1, (values.size() * percent + 99) / 100);
    auto const nth = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

/// Smallest of the most frequent values. Values are rounded first, because equal steps of a clock that counts in
/// doubles differ in their last bits. \param values  not empty
double most_frequent(std::vector<double> const& values) {
    constexpr double grid = 1e-10;
    std::vector<long long> keys;
    for (double const value : values)
        keys.push_back(std::llround(value / grid));
    std::sort(keys.begin(), keys.end());
    auto best = std::pair{keys.begin(), keys.begin()};
    for (auto run = best; run.first != keys.end(); run.first = run.second) {
        run.second = std::upper_bound(run.first, keys.end(), *run.first);
        if (run.second - run.first > best.second - best.first)
            best = run;
    }
    return static_cast<double>(*best.first) * grid;
}

template <Timer T>
TimerInfo worth(T const& timer) {
    TimerInfo info{.name = timer.name(), .nominal = timer.resolution()};
    if constexpr (requires { timer.frequency(); })
        info.frequency = timer.frequency();

    auto const is_backward = [](double step) { return step < 0; };
    auto steps = visible_steps(timer);
    auto [costs, distances] = read_in_batches(timer);
    info.backward = std::count_if(distances.begin(), distances.end(), is_backward) +
                    static_cast<std::int64_t>(std::erase_if(steps, is_backward));
    if (!steps.empty()) {
        info.resolution = seconds{*std::min_element(steps.begin(), steps.end())};
        info.granularity = seconds{most_frequent(steps)};
    }
    // The mean may be negative for a clock that often goes backwards.
    info.overhead = seconds{std::max(0.0, percentile(costs, 50))};
    info.overhead_p99 = seconds{std::max(0.0, percentile(distances, 99))};
    return info;
}

/// Relative deviation of the timer's rate from CLOCK_MONOTONIC_RAW.
template <Timer T>
double rate_error(T const& timer) {
    auto const first = detail::bracketed_instant(timer);
    std::this_thread::sleep_for(rate_time);
    auto const last = detail::bracketed_instant(timer);
    auto const raw = static_cast<double>(last.raw_ns - first.raw_ns) * 1e-9;
    return timer.between(first.stamp, last.stamp).count() / raw - 1;
}

void judge_rate(TimerCheck& check) {
    constexpr double failing = 1000e-6;
    constexpr double suspicious = 100e-6;
    if (std::abs(check.rate_error) <= suspicious)
        return;
    auto& list = std::abs(check.rate_error) > failing ? check.failures : check.warnings;
    list.push_back(fmt::format("rate deviates from CLOCK_MONOTONIC_RAW by {:+.0f} ppm", check.rate_error * 1e6));
}

void judge_cost(TimerCheck& check) {
    constexpr double spiky = 10;
    constexpr seconds expensive{1e-6};
    auto const& info = check.info;
    if (info.overhead_p99 > spiky * info.overhead)
        check.warnings.push_back(fmt::format("99th percentile of a reading is {}, the median {}",
                                             text(info.overhead_p99), text(info.overhead)));
    if (info.overhead > expensive)
        check.warnings.push_back(fmt::format("a reading costs {}", text(info.overhead)));
}

}  // namespace

detail::OwnTimer::OwnTimer(OwnTimer const& other) noexcept : model_{other.model_} {
    if (model_ != nullptr)
        std::atomic_ref{model_->owners}.fetch_add(1, std::memory_order_relaxed);
}

detail::OwnTimer::~OwnTimer() {
    if (model_ != nullptr && std::atomic_ref{model_->owners}.fetch_sub(1) == 1)
        delete model_;
}

AnyTimer::AnyTimer() noexcept : tsc_{std::pair{1.0, std::string_view{}}} {}
AnyTimer::AnyTimer(WtimeTimer) noexcept : AnyTimer{} {}
AnyTimer::AnyTimer(GettimeofdayTimer) noexcept : AnyTimer{} { kind_ = Kind::gettimeofday; }
AnyTimer::AnyTimer(TscTimer timer) noexcept : kind_{Kind::tsc}, tsc_{timer} {}
AnyTimer::AnyTimer(MonotonicTimer) noexcept : AnyTimer{} { kind_ = Kind::monotonic; }
AnyTimer::AnyTimer(MonotonicRawTimer) noexcept : AnyTimer{} { kind_ = Kind::monotonic_raw; }
AnyTimer::AnyTimer(detail::OwnTimer timer) noexcept : AnyTimer{} {
    kind_ = Kind::own;
    own_ = std::move(timer);
}
AnyTimer::AnyTimer(AnyTimer const&) noexcept = default;
AnyTimer::AnyTimer(AnyTimer&&) noexcept = default;
AnyTimer& AnyTimer::operator=(AnyTimer const&) noexcept = default;
AnyTimer& AnyTimer::operator=(AnyTimer&&) noexcept = default;
AnyTimer::~AnyTimer() = default;

std::string AnyTimer::name() const {
    return visit([](auto const& timer) { return timer.name(); });
}

seconds AnyTimer::resolution() const {
    return visit([](auto const& timer) { return timer.resolution(); });
}

std::span<std::string_view const> timer_names() noexcept {
    static constexpr std::array<std::string_view, 5> names{"mpi_wtime", "gettimeofday", "tsc", "monotonic",
                                                           "monotonic_raw"};
    return names;
}

AnyTimer timer_from(std::string_view name, Comm const& comm, std::uint64_t seed) {
    if (detail::lower(name).starts_with("synthetic:"))
        return SyntheticTimer::parse(name, comm, seed);
    return detail::clock_from(name, comm);
}

TimerInfo calibrate(AnyTimer const& timer) {
    return timer.visit([](auto const& clock) { return worth(clock); });
}

seconds seen_step(AnyTimer const& timer) {
    return timer.visit([](auto const& clock) { return step_in_readings(clock); });
}

TimerCheck check_timer(AnyTimer const& timer) {
    TimerCheck check;
    check.info = calibrate(timer);
    check.rate_error = timer.visit([](auto const& clock) { return rate_error(clock); });
    if (check.info.backward > 0)
        check.failures.push_back(fmt::format("{} steps back in time", check.info.backward));
    judge_rate(check);
    judge_cost(check);
    return check;
}

}  // namespace measure
