// SPDX-License-Identifier: BSD-3-Clause
#include "clock/clocks.hpp"
#include "core/names.hpp"
#include "measure/error.hpp"
#include "measure/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace measure {
namespace {

// About 30 years: the sum of a reading since 1970, its drift, a skew and a jitter stays within 64 bits.
constexpr double longest_ns = 1e18;
constexpr double drift_limit_ppm = 1e6;

void demand(bool holds, std::string_view text) {
    if (!holds)
        throw UsageError(fmt::format("synthetic timer: {}", text));
}

void require_skew(double ns) { demand(std::abs(ns) <= longest_ns, "a skew must be within 1e9 s on every rank"); }

void require_drift(double ppm) {
    demand(std::abs(ppm) < drift_limit_ppm, "a drift must be between -1e6 and 1e6 ppm on every rank");
}

void require_steps(double quantum_ns, double jitter_ns) {
    demand(quantum_ns >= 1 && quantum_ns <= longest_ns, "a quantum must be between 1 ns and 1e9 s");
    demand(jitter_ns >= 0 && jitter_ns <= longest_ns, "a jitter must be between 0 and 1e9 s");
}

SyntheticTimer::Distortion checked(SyntheticTimer::Distortion const& distortion) {
    require_skew(static_cast<double>(distortion.skew_ns));
    require_drift(distortion.ppm);
    require_steps(static_cast<double>(distortion.quantum_ns), static_cast<double>(distortion.jitter_ns));
    return distortion;
}

/// Output function of SplitMix64 (Steele, Lea, Flood 2014): similar arguments give unrelated values.
std::uint64_t scramble(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// Uniformly distributed in [-1, 1).
double uniform(std::uint64_t seed, int rank, std::uint64_t stream) noexcept {
    auto const bits = scramble(scramble(scramble(seed) + static_cast<std::uint64_t>(rank)) + stream);
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

std::int64_t divide_down(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }

/// A distortion that may differ between ranks.
struct Spread {
    enum class Over { none, ranks, random };
    Over over = Over::none;
    double value = 0;

    [[nodiscard]] double largest(int size) const { return over == Over::ranks ? value * (size - 1) : value; }
    [[nodiscard]] double on(int rank, std::uint64_t seed, std::uint64_t stream) const {
        switch (over) {
        case Over::ranks:
            return value * rank;
        case Over::random:
            return value * uniform(seed, rank, stream);
        case Over::none:
            break;
        }
        return value;
    }
};

/// Removes the number at the start of the text and returns it; empty if there is none.
std::optional<double> take_number(std::string_view& text) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value))
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// Removes the part before the separator, together with the separator, and returns the part.
std::string_view take_until(std::string_view& text, char separator) {
    auto const head = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(head.size() + 1, text.size()));
    return head;
}

std::optional<double> plain_number(std::string_view text) {
    auto const value = take_number(text);
    return text.empty() ? value : std::nullopt;
}

std::optional<double> nanoseconds_from(std::string_view text) {
    struct Unit {
        std::string_view name;
        double ns;
    };
    constexpr std::array<Unit, 5> units{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}}};
    auto const value = take_number(text);
    auto const unit = std::find_if(units.begin(), units.end(), [text](Unit const& u) { return u.name == text; });
    if (!value || unit == units.end())
        return std::nullopt;
    return *value * unit->ns;
}

template <class Convert>
double converted(std::string_view key, std::string_view text, Convert convert, std::string_view expected) {
    auto const value = convert(text);
    demand(value.has_value(), fmt::format("{}: '{}' is not {}", key, text, expected));
    return *value;
}

constexpr std::string_view a_duration = "a duration such as 250ns, 20us, 1ms, 7s";

struct Specification {
    std::string_view base;
    Spread skew;
    Spread ppm;
    double quantum_ns = 1;
    double jitter_ns = 0;

    explicit Specification(std::string_view text) {
        demand(take_prefix(text, "synthetic:"), "a specification begins with synthetic:");
        base = take_until(text, ',');
        for (std::vector<std::string_view> seen; !text.empty();) {
            auto value = take_until(text, ',');
            auto const key = take_until(value, '=');
            demand(std::find(seen.begin(), seen.end(), key) == seen.end(), fmt::format("{} is given twice", key));
            seen.push_back(key);
            set(key, value);
        }
    }

private:
    void set(std::string_view key, std::string_view value) {
        if (key == "skew")
            skew = spread(key, value, nanoseconds_from, a_duration);
        else if (key == "ppm")
            ppm = spread(key, value, plain_number, "a number");
        else if (key == "quant")
            quantum_ns = converted(key, value, nanoseconds_from, a_duration);
        else if (key == "jitter")
            jitter_ns = converted(key, value, nanoseconds_from, a_duration);
        else
            demand(false, fmt::format("unknown fault '{}'; known: skew, ppm, quant, jitter", key));
    }

    template <class Convert>
    static Spread spread(std::string_view key, std::string_view value, Convert convert, std::string_view expected) {
        Spread result;
        if (take_prefix(value, "rank*"))
            result.over = Spread::Over::ranks;
        else if (take_prefix(value, "random*"))
            result.over = Spread::Over::random;
        result.value = converted(key, value, convert, expected);
        return result;
    }
};

std::int64_t nanoseconds_of(WtimeTimer const&, double stamp) noexcept { return std::llround(stamp * 1e9); }

std::int64_t nanoseconds_of(GettimeofdayTimer const&, std::int64_t stamp) noexcept { return stamp * 1000; }

std::int64_t nanoseconds_of(detail::NanosecondStamps const&, std::int64_t stamp) noexcept { return stamp; }

/// Never used as a base.
std::int64_t nanoseconds_of(detail::OwnTimer const&, std::int64_t stamp) noexcept { return stamp; }

/// Computes whole seconds and the remainder separately, so that the product stays within 64 bits.
std::int64_t nanoseconds_of(TscTimer const& tsc, std::int64_t stamp) noexcept {
    constexpr std::int64_t giga = 1'000'000'000;
    auto const hertz = std::max<std::int64_t>(1, std::llround(tsc.frequency()));
    return stamp / hertz * giga + stamp % hertz * giga / hertz;
}

}  // namespace

SyntheticTimer::SyntheticTimer(std::string_view base, Distortion distortion, Comm const& comm)
    : SyntheticTimer(detail::clock_from(base, comm), checked(distortion), "synthetic:" + detail::lower(base)) {}

SyntheticTimer::SyntheticTimer(AnyTimer base, Distortion distortion, std::string name)
    : base_{std::move(base)}, distortion_{distortion}, name_{std::move(name)} {}

SyntheticTimer SyntheticTimer::parse(std::string_view specification, Comm const& comm, std::uint64_t seed) {
    auto const text = detail::lower(specification);
    Specification const wanted{text};
    // Checked for the largest rank, so that all ranks throw the same error.
    require_skew(wanted.skew.largest(comm.size()));
    require_drift(wanted.ppm.largest(comm.size()));
    require_steps(wanted.quantum_ns, wanted.jitter_ns);
    Distortion const distortion{.skew_ns = std::llround(wanted.skew.on(comm.rank(), seed, 0)),
                                .ppm = wanted.ppm.on(comm.rank(), seed, 1),
                                .quantum_ns = std::llround(wanted.quantum_ns),
                                .jitter_ns = std::llround(wanted.jitter_ns)};
    return {detail::clock_from(wanted.base, comm), distortion, text};
}

SyntheticTimer::stamp SyntheticTimer::distort(stamp base_ns) const noexcept {
    // A double has a resolution of 256 ns at the size of wall clock readings, which would make a large drift go
    // backwards.
    auto const drift = std::llrint(static_cast<long double>(base_ns) * (distortion_.ppm * 1e-6L));
    auto const exact = base_ns + drift + distortion_.skew_ns;
    auto const reading = divide_down(exact, distortion_.quantum_ns) * distortion_.quantum_ns;
    if (distortion_.jitter_ns == 0)
        return reading;
    auto const interval = divide_down(reading, distortion_.jitter_ns);
    auto const ahead =
        scramble(static_cast<std::uint64_t>(interval)) % static_cast<std::uint64_t>(distortion_.jitter_ns);
    return std::max(reading, interval * distortion_.jitter_ns + static_cast<stamp>(ahead));
}

SyntheticTimer::stamp SyntheticTimer::base_now() const noexcept {
    return base_.visit([](auto const& clock) noexcept { return nanoseconds_of(clock, clock.now()); });
}

seconds SyntheticTimer::resolution() const noexcept {
    return std::max(base_.resolution(), seconds{static_cast<double>(distortion_.quantum_ns) * 1e-9});
}

}  // namespace measure
