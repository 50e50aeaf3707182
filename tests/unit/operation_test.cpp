// SPDX-License-Identifier: BSD-3-Clause
// Types that can be a body or a finish hook, and the meaning of their results.
#include "measure/error.hpp"
#include "measure/keep.hpp"
#include "measure/operation.hpp"
#include "measure/run.hpp"
#include "measure/time_iterations.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

using measure::Body;
using measure::FinishHook;
using measure::Iteration;
using measure::op;
using test::FakeTimer;

namespace {

enum UnscopedCode { zero };

template <class R>
using Plain = R (*)();
template <class R>
using Counting = R (*)(Iteration);
/// Accepts any lap, like a generic lambda.
template <class R>
struct Lapping {
    template <measure::Timer T>
    R operator()(measure::Lap<T>& lap) const {
        lap.mark();
        return R();
    }
};

template <class R>
constexpr bool is_answer = Body<Plain<R>>&& Body<Counting<R>>&& Body<Lapping<R>>&& FinishHook<Plain<R>>;
template <class R>
constexpr bool is_none = !Body<Plain<R>> && !Body<Counting<R>> && !Body<Lapping<R>> && !FinishHook<Plain<R>>;

static_assert(is_answer<void>);
static_assert(is_answer<bool>);
static_assert(is_answer<int>);
static_assert(is_none<double>);
static_assert(is_none<float>);
static_assert(is_none<unsigned>);
static_assert(is_none<long>);
static_assert(is_none<std::size_t>);
static_assert(is_none<char>);
static_assert(is_none<int*>);
static_assert(is_none<UnscopedCode>);
static_assert(is_none<std::string>);
static_assert(is_none<std::vector<double>>);

// Callable wrappers, references to results, and types that are not bodies.
static_assert(Body<std::function<int()>> && !Body<std::function<double()>>);
static_assert(Body<std::reference_wrapper<std::function<bool(Iteration)>>>);
static_assert(Body<int& (*)()> && Body<bool const& (*)()>);
static_assert(!Body<int> && !Body<void (*)(std::string)>);
static_assert(!FinishHook<void (*)(Iteration)> && !FinishHook<Lapping<void>>);

measure::Plan fixed_plan() {
    return {.start = measure::FreeStart{},
            .batch = measure::FixedCount{1},
            .stop = measure::stop::Count{.valid = 1, .at_most = 8},
            .settling = {}};
}

/// Invalid samples of a run of eight samples with one body.
measure::InvalidCounts counts_of(auto&& operation) {
    return measure::run(measure::Comm::solo(), fixed_plan(), FakeTimer::counting(10), operation).invalid;
}

}  // namespace

TEST_CASE("an int is an MPI error code, a bool means success, and void always succeeds", "[operation]") {
    CHECK(counts_of([] { return MPI_SUCCESS; }).failed == 0);
    CHECK(counts_of([] { return MPI_ERR_OTHER; }).failed == 8);
    CHECK(counts_of([](Iteration) { return -1; }).failed == 8);
    CHECK(counts_of([](auto& lap) { return lap.iteration().index < 0 ? MPI_SUCCESS : MPI_ERR_RANK; }).failed == 8);
    CHECK(counts_of([] { return true; }).failed == 0);
    CHECK(counts_of([](Iteration) { return false; }).failed == 8);
    CHECK(counts_of([] {}).failed == 0);
}

TEST_CASE("a finish hook returns the same types as a body", "[operation]") {
    CHECK(counts_of(op([] {}).finish([] { return MPI_SUCCESS; })).failed == 0);
    CHECK(counts_of(op([] {}).finish([] { return MPI_ERR_OTHER; })).failed == 8);
    CHECK(counts_of(op([] { return MPI_ERR_OTHER; }).finish([] { return MPI_SUCCESS; })).failed == 8);
    CHECK(counts_of(op([] {}).finish([] { return false; })).failed == 8);
}

TEST_CASE("a lap knows the iteration within its sample", "[operation]") {
    auto plan = fixed_plan();
    plan.batch = measure::FixedCount{3};
    std::vector<std::int64_t> plain;
    std::vector<std::int64_t> lapped;
    static_cast<void>(measure::run(measure::Comm::solo(), plan, FakeTimer::counting(10),
                                   [&](Iteration it) { plain.push_back(it.index); }));
    static_cast<void>(measure::run(measure::Comm::solo(), plan, FakeTimer::counting(10),
                                   [&](auto& lap) { lapped.push_back(lap.iteration().index); }));
    CHECK(lapped == plain);
}

TEST_CASE("one failed iteration invalidates its sample, and the others still run", "[operation]") {
    auto plan = fixed_plan();
    plan.batch = measure::FixedCount{4};
    plan.warm_up = 0;
    int runs = 0;
    auto const m = measure::run(measure::Comm::solo(), plan, FakeTimer::counting(10), [&](Iteration it) {
        ++runs;
        return it.index == 5 ? MPI_ERR_OTHER : MPI_SUCCESS;
    });
    CHECK(m.invalid.failed == 1);
    CHECK(runs == 4 * m.attempts);
}

TEST_CASE("a loop also fails if an iteration returns an error code", "[operation]") {
    auto const timer = FakeTimer::counting(10);
    auto operation = op([](Iteration it) { return it.index == 1 ? MPI_ERR_OTHER : MPI_SUCCESS; });
    CHECK(measure::time_iterations(timer, operation, 1).succeeded);
    CHECK_FALSE(measure::time_iterations(timer, operation, 3).succeeded);
    auto finished = op([] {}).finish([] { return MPI_ERR_OTHER; });
    CHECK_FALSE(measure::time_iterations(timer, finished, 1).succeeded);
}

TEST_CASE("without MPI an error code is a number", "[operation]") {
    auto const m =
        measure::run(measure::Comm::solo(), fixed_plan(), FakeTimer::counting(10), [] { return MPI_ERR_OTHER; });
    CHECK(m.message == "no sample of 8 was valid: 8 failed; returned " + std::to_string(MPI_ERR_OTHER));
    CHECK(measure::run(measure::Comm::solo(), fixed_plan(), FakeTimer::counting(10), [] { return false; }).message ==
          "no sample of 8 was valid: 8 failed");
}

TEST_CASE("keep does not change a value", "[keep]") {
    struct Large {
        std::array<double, 9> values{};
    };
    int n = 3;
    double x = 0.5;
    Large large{.values = {1, 2, 3}};
    std::string text = "text";
    int const* const pointer = &n;
    measure::keep(n);
    measure::keep(x);
    measure::keep(large);
    measure::keep(text);
    measure::keep(pointer);
    measure::keep(n + 1);
    measure::keep(x * 2);
    measure::keep(Large{});
    measure::keep(std::string{"another"});
    CHECK((n == 3 && x == 0.5 && large.values[2] == 3 && text == "text" && *pointer == 3));
}

TEST_CASE("a spin ends when the clock goes back", "[operation]") {
    constexpr std::int64_t hour = 3'600'000'000'000;
    auto const timer = test::FakeTimer::scripted({0, 10, -hour}, 10);
    measure::Lap(timer, {}).spin(measure::seconds{1e-3});
    CHECK(timer.readings() == 3);
    auto const polled = test::FakeTimer::scripted({0, 10, -hour}, 10);
    measure::Lap(polled, {}).spin(measure::seconds{1e-3}, measure::seconds{1e-4}, [] {});
    CHECK(polled.readings() == 3);
}
