// SPDX-License-Identifier: BSD-3-Clause
/// cachebench's read and memcpy against plain loops of this file in the manner of STREAM, in turns. Nothing is
/// asserted.
#include "operation.hpp"
#include "rules.hpp"

#include <measure/keep.hpp>
#include <measure/loop.hpp>
#include <measure/statistics.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using measure::Bytes;

constexpr int rounds = 15;
constexpr measure::seconds of_a_round{20e-3};

[[gnu::noinline]] double sum_of(double const* x, std::int64_t n) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
        sum += x[i];
    measure::keep(x);
    return sum;
}

[[gnu::noinline]] double tuned_sum_of(double const* x, std::int64_t n) {
    double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (std::int64_t i = 0; i < n; i += 8) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
        e += x[i + 4];
        f += x[i + 5];
        g += x[i + 6];
        h += x[i + 7];
    }
    measure::keep(x);
    return ((a + b) + (c + d)) + ((e + f) + (g + h));
}

[[gnu::noinline]] void copy_of(double* to, double const* from, std::int64_t n) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(double));
    measure::keep(to);
}

/// MB/s of a loop by hand.
template <class Loop>
double by_hand(measure::AnyTimer const& timer, std::int64_t passes, double bytes, Loop loop) {
    auto body = measure::op(loop);
    return bytes * static_cast<double>(passes) / measure::time_loop(timer, body, passes).total.count() /
           static_cast<double>(measure::mebi);
}

template <class Loop>
void compare(std::string_view name, Bytes bytes, double counted, Loop loop) {
    cachebench::Arena const arena{{}, bytes, true};
    auto* const x = static_cast<double*>(arena.first(bytes));
    auto const* const y = static_cast<double const*>(arena.second(bytes));
    cachebench::Task const task{&cachebench::test(name), &cachebench::type("double"), &cachebench::flavour("user"),
                                bytes, 1};
    cachebench::Stopwatch const watch{.timer = measure::MonotonicRawTimer{}, .resolution = measure::seconds{20e-9}};
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> ratio;
    for (int i = 0; i < rounds; ++i) {
        cachebench::Operation operation{task, arena};
        auto const timed = time_point(operation, {.duration = of_a_round}, watch, false);
        ours.push_back(*figures(operation.counts(), timed.times(), timed.passes).rate);
        auto const passes = timed.passes * static_cast<std::int64_t>(timed.times().size());
        theirs.push_back(by_hand(watch.timer, passes, counted, [&] { loop(x, y, bytes / 8); }));
        ratio.push_back(ours.back() / theirs.back());
    }
    std::printf("%-9s %9lld bytes: cachebench %9.0f MB/s   by hand %9.0f MB/s   ratio %.3f   (medians of %d)\n",
                name.data(), static_cast<long long>(bytes), measure::median(ours), measure::median(theirs),
                measure::median(ratio), rounds);
}

}  // namespace

int main() {
    double volatile sink = 0;
    for (Bytes const bytes : {16 * measure::kibi, measure::mebi, 64 * measure::mebi}) {
        compare("read", bytes, static_cast<double>(bytes),
                [&](double const* x, double const*, std::int64_t n) { sink = sum_of(x, n); });
        compare("handread", bytes, static_cast<double>(bytes),
                [&](double const* x, double const*, std::int64_t n) { sink = tuned_sum_of(x, n); });
        compare("memcpy", bytes, 2 * static_cast<double>(bytes), copy_of);
    }
}
