// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"
#include "support/clock_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

using Catch::Approx;
using measure::detail::ring_steps;
using measure::detail::SyncStep;
using measure::detail::tree_steps;
using test::ClockNetwork;
using test::NetworkOptions;
using test::NetworkOutcome;

namespace {

using Steps = std::vector<SyncStep>;

measure::FitOptions const quick{.points = 10};

NetworkOutcome run(std::string const& algorithm, NetworkOptions const& options, bool drift = false) {
    ClockNetwork network(options);
    if (algorithm == "linear")
        return network.run(measure::LinearSync{});
    if (algorithm == "ring")
        return network.run(measure::RingSync{});
    if (algorithm == "ring:plain")
        return network.run(measure::RingSync{.plain = true});
    if (algorithm == "tree")
        return network.run(measure::TreeSync{});
    if (algorithm == "jk")
        return network.run(measure::JkSync{.fit = quick});
    if (algorithm == "hca3")
        return network.run(measure::Hca3Sync{.fit = quick});
    return network.run(measure::HierSync{.drift = drift, .fit = quick}, false);
}

}  // namespace

TEST_CASE("a tree of six ranks has parents before children", "[sync_network]") {
    CHECK(tree_steps(0, 6) == Steps{{2, false}, {1, false}, {4, false}});
    CHECK(tree_steps(1, 6) == Steps{{0, true}, {5, false}});
    CHECK(tree_steps(2, 6) == Steps{{0, true}, {3, false}});
    CHECK(tree_steps(3, 6) == Steps{{2, true}});
    CHECK(tree_steps(4, 6) == Steps{{0, true}});
    CHECK(tree_steps(5, 6) == Steps{{1, true}});
}

TEST_CASE("in a tree every rank asks once before it serves, and its peer has the matching step", "[sync_network]") {
    for (int n = 1; n <= 9; ++n)
        for (int rank = 0; rank < n; ++rank) {
            auto const steps = tree_steps(rank, n);
            for (std::size_t i = 0; i < steps.size(); ++i) {
                CHECK(steps[i].asks == (rank != 0 && i == 0));
                auto const theirs = tree_steps(steps[i].peer, n);
                CHECK(std::count(theirs.begin(), theirs.end(), SyncStep{rank, !steps[i].asks}) == 1);
            }
            CHECK((rank == 0 || !steps.empty()));
        }
}

TEST_CASE("in a ring even ranks serve first", "[sync_network]") {
    CHECK(ring_steps(0, 1).empty());
    CHECK(ring_steps(0, 2) == Steps{{1, false}, {1, true}});
    CHECK(ring_steps(1, 2) == Steps{{0, true}, {0, false}});
    CHECK(ring_steps(2, 3) == Steps{{0, false}, {1, true}});
}

TEST_CASE("symmetric delays give exact offsets for any algorithm and number of ranks", "[sync_network]") {
    for (char const* algorithm : {"linear", "ring", "tree", "jk", "hca3", "hier"})
        for (int const n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 33}) {
            INFO(algorithm << " on " << n);
            auto const out = run(algorithm, {.ranks = n, .ranks_per_host = 3, .skew = 1});
            CHECK(NetworkOutcome::largest(out.errors) < 1e-13);
        }
}

TEST_CASE("delays that differ by direction shift an offset by half the difference", "[sync_network]") {
    // A reply to a higher rank takes 400 ns longer: the estimate is 200 ns too small. Swapping the roles does not help.
    for (bool const both : {false, true}) {
        ClockNetwork network({.ranks = 2, .uphill = 400e-9, .skew = 1});
        auto const out = network.run(measure::LinearSync{{.both_ways = both}});
        CHECK(out.errors[1] == Approx(-200e-9).epsilon(1e-5));
        CHECK(std::abs(out.errors[1]) <= out.found[1].bound);
    }
}

TEST_CASE("an additional delay of requests cancels if the roles are swapped", "[sync_network]") {
    auto const error = [](bool both) {
        ClockNetwork network({.ranks = 2, .question = 46e-9, .skew = 1});
        return network.run(measure::LinearSync{{.both_ways = both}}).errors[1];
    };
    CHECK(error(false) == Approx(23e-9).epsilon(1e-5));
    CHECK(std::abs(error(true)) < 1e-13);
}

TEST_CASE("a tree adds up errors and bounds over its rounds", "[sync_network]") {
    // Rank 7 is three pairs away, each 200 ns too small; the bound of a pair is half a round trip of 3.4 us plus 200
    // ns.
    ClockNetwork network({.ranks = 8, .uphill = 400e-9});
    auto const out = network.run(measure::TreeSync{});
    CHECK(out.errors[4] == Approx(-200e-9).epsilon(1e-5));
    CHECK(out.errors[7] == Approx(-600e-9).epsilon(1e-5));
    CHECK(out.found[7].bound == Approx(3 * 1.7e-6).epsilon(1e-5));
}

TEST_CASE("drift is modelled, while an offset alone becomes wrong", "[sync_network]") {
    for (char const* algorithm : {"jk", "hca3", "hier"}) {
        INFO(algorithm);
        auto const out =
            run(algorithm, {.ranks = 13, .ranks_per_host = 4, .jitter = 50e-9, .skew = 1, .ppm = 50}, true);
        CHECK(NetworkOutcome::largest(out.errors) < 200e-9);
        CHECK(NetworkOutcome::largest(out.later) < 3e-6);
    }
    ClockNetwork network({.ranks = 2});
    network.set_clock(1, {.skew = 5, .rate = 20e-6});
    auto const plain = network.run(measure::LinearSync{});
    CHECK(plain.later[1] == Approx(200e-6).epsilon(1e-3));
}

TEST_CASE("a drift model states its error", "[sync_network]") {
    auto const out = run("hca3", {.ranks = 16, .jitter = 50e-9, .skew = 1, .ppm = 50});
    double const later = out.duration + 10;
    for (std::size_t i = 1; i < out.found.size(); ++i) {
        CHECK(out.found[i].model.offset_error > 0);
        CHECK(std::abs(out.later[i]) < 6 * out.found[i].model.error_at(later));
    }
}

TEST_CASE("errors along a tree are as large as stated, at the end and later", "[sync_network][not_quick]") {
    // Ranks 1, 3 and 7 are one, two and three lines away from the root, each measured after the previous one. The mean
    // square of the errors relative to the stated errors is one.
    constexpr int runs = 40;
    for (double const later : {0.0, 5.0}) {
        std::map<std::size_t, double> squares;
        for (std::uint64_t seed = 1; seed <= runs; ++seed) {
            ClockNetwork network({.ranks = 8, .jitter = 50e-9, .skew = 1, .ppm = 50, .seed = seed});
            auto const out = network.run(measure::Hca3Sync{.fit = quick});
            auto const& root = network.clock(0);
            for (std::size_t const i : {1U, 3U, 7U}) {
                auto const& model = out.found[i].model;
                double const local = network.clock(static_cast<int>(i)).reading(out.duration + later);
                double const error = model.to_root(local) - root.reading(out.duration + later);
                squares[i] += std::pow(error / model.error_at(local), 2) / runs;
            }
        }
        for (auto const& [rank, square] : squares) {
            INFO("rank " << rank << ", " << later << " s after the end");
            CHECK(square > 0.4);
            CHECK(square < 2.5);
        }
    }
}

TEST_CASE("a line relative to another line has the errors of both at any time", "[sync_network]") {
    // Squared errors 25 + 9 (t - 10)^2 and 144 + 16 (t - 35)^2; together 169 + 3600 + 25 (t - 26)^2.
    measure::ClockModel const line{.offset = 2, .rate = 0.5, .anchor = 10, .offset_error = 5, .rate_error = 3};
    measure::ClockModel const above{.offset_error = 12, .rate_error = 4};
    auto const joined = measure::detail::with_errors_of(line, above, 35);
    CHECK(joined.anchor == Approx(26));
    CHECK(joined.offset_at(-7) == Approx(line.offset_at(-7)));
    CHECK(joined.rate == 0.5);
    CHECK(joined.offset_error == Approx(std::sqrt(3769.0)));
    CHECK(joined.rate_error == 5);
    for (double const t : {-7.0, 10.0, 35.0, 90.0})
        CHECK(joined.error_at(t) == Approx(std::hypot(line.error_at(t), 12, 4 * (t - 35))));
    // An offset alone has no error and gets that of the line.
    auto const plain = measure::detail::with_errors_of({.offset = 2}, above, 35);
    CHECK(plain.offset_at(100) == 2);
    CHECK(plain.error_at(40) == Approx(std::hypot(12, 4 * 5)));
}

TEST_CASE("guaranteed bounds hold under jitter for any number of ranks", "[sync_network]") {
    for (char const* algorithm : {"linear", "ring", "tree", "hier"})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            INFO(algorithm << ", seed " << seed);
            auto const out =
                run(algorithm, {.ranks = 11, .ranks_per_host = 4, .jitter = 1e-6, .skew = 1, .seed = seed});
            for (std::size_t i = 0; i < out.found.size(); ++i)
                CHECK(std::abs(out.errors[i]) <= out.found[i].bound + 1e-15);
        }
}

TEST_CASE("a slow pair is measured again, and ranks that depend on it are corrected", "[sync_network]") {
    // During the first 20 ms, messages to rank 4 take 50 us longer. Its offset would be 25 us too small, and so would
    // those of ranks 5, 6 and 7, which are measured relative to it. The median of all pairs stays at 3 us.
    for (char const* algorithm : {"linear", "tree", "ring"}) {
        INFO(algorithm);
        auto const out = run(algorithm, {.ranks = 8, .skew = 1, .slow = 4, .slow_by = 50e-6, .slow_until = 20e-3});
        CHECK(out.duration > 20e-3);
        CHECK(NetworkOutcome::largest(out.errors) < 1e-13);
        for (auto const& found : out.found)
            CHECK(found.bound < 10e-6);
    }
}

TEST_CASE("a pair that stays slow is reported by any algorithm", "[sync_network]") {
    NetworkOptions const options{.ranks = 8, .slow = 4, .slow_by = 50e-6, .slow_until = 1e9};
    for (char const* algorithm : {"linear", "jk"}) {
        INFO(algorithm);
        auto const out = run(algorithm, options);
        for (std::size_t i = 0; i < out.found.size(); ++i)
            CHECK(out.found[i].poor == (i == 4));
    }
    // Two ranks: the only comparison is the absolute limit for any pair.
    auto const alone = [](double by) {
        return run("tree", {.slow = 1, .slow_by = by, .slow_until = 1e9}).found[1].poor;
    };
    CHECK(alone(110e-6));
    CHECK_FALSE(alone(90e-6));
}

TEST_CASE("a clock that is set during its comparison is compared again", "[sync_network]") {
    for (bool const both : {false, true}) {
        ClockNetwork network({.ranks = 2});
        network.set_clock(1, {.skew = 5, .set_at = 40e-6, .set_by = 1e-3});
        auto const out = network.run(measure::LinearSync{{.both_ways = both}});
        CHECK_FALSE(out.found[1].pair.inconsistent);
        CHECK(std::abs(out.errors[1]) < 1e-13);
        CHECK(out.found[1].bound < 2e-6);
    }
}

TEST_CASE("a ring that does not close within its bounds is measured again", "[sync_network]") {
    // Rank 3 has asked rank 2 long before rank 1, which is slow at first, has time for it. In between, the clock of
    // rank 2 is set, which no single pair detects.
    ClockNetwork network({.ranks = 4, .slow = 1, .slow_by = 1e-3, .slow_until = 5e-3});
    network.set_clock(2, {.skew = 5, .set_at = 2e-3, .set_by = 1e-3});
    auto const out = network.run(measure::RingSync{});
    CHECK(NetworkOutcome::largest(out.errors) < 1e-13);
    CHECK(std::abs(out.found[0].closure.value()) < 1e-13);
    CHECK_FALSE(out.found[0].pair.inconsistent);
}

TEST_CASE("a line is rejected if the clock was set during its measurement", "[sync_network]") {
    // With 1 ms the line is too steep; with 50 us its residuals have too few runs of equal signs.
    for (double const by : {1e-3, 50e-6}) {
        INFO("set by " << by);
        ClockNetwork network({.ranks = 3, .jitter = 20e-9});
        network.set_clock(1, {.skew = 5, .set_at = 0.25, .set_by = by});
        auto const out = network.run(measure::JkSync{});
        CHECK(out.found[1].model.rate == 0);
        CHECK(std::abs(out.errors[1]) < 1e-6);
        CHECK(out.found[2].model.rate_error > 0);
    }
}

TEST_CASE("after ten seconds a model of a drift of 20 ppm is accurate to 1 us", "[sync_network]") {
    auto const later = [](auto const& sync) {
        ClockNetwork network({.ranks = 3, .jitter = 50e-9});
        network.set_clock(1, {.skew = 5, .rate = 20e-6});
        network.set_clock(2, {.skew = -5, .rate = 40e-6});
        return NetworkOutcome::largest(network.run(sync).later);
    };
    CHECK(later(measure::JkSync{}) < 1e-6);
    CHECK(later(measure::Hca3Sync{}) < 1e-6);
    CHECK(later(measure::LinearSync{}) > 190e-6);
}

TEST_CASE("clocks a million seconds apart lose no more accuracy than a double", "[sync_network]") {
    for (char const* algorithm : {"linear", "ring", "tree", "jk", "hca3", "hier"}) {
        INFO(algorithm);
        auto const out = run(algorithm, {.ranks = 5, .ranks_per_host = 2, .skew = 1e6}, true);
        CHECK(NetworkOutcome::largest(out.errors) < 1e-9);
    }
}

TEST_CASE("a common clock of all ranks is accepted if zero is a possible offset for each", "[sync_network]") {
    for (int const n : {1, 2, 3, 8}) {
        INFO(n);
        ClockNetwork network({.ranks = n, .ranks_per_host = 2, .jitter = 50e-9});
        auto const out = network.run(measure::GlobalSync{});
        for (auto const& found : out.found) {
            CHECK(found.model.offset == 0);
            CHECK(found.model.rate == 0);
        }
        for (std::size_t i = 1; i < out.found.size(); ++i)
            CHECK(out.found[i].bound > 0);
        CHECK(NetworkOutcome::largest(out.errors) == 0);
    }
    ClockNetwork network({.ranks = 4, .ranks_per_host = 2, .jitter = 50e-9});
    network.set_clock(2, {.skew = 1e-3});
    CHECK_THROWS_WITH(network.run(measure::GlobalSync{}),
                      Catch::Matchers::StartsWith("the timer is not one clock on all ranks: rank 2 is at least 9"));
}

TEST_CASE("the errors of a leader's line are included in those of its host", "[sync_network]") {
    NetworkOptions const options{.ranks = 12, .ranks_per_host = 4, .jitter = 50e-9, .skew = 1, .ppm = 50};
    auto const out = run("hier", options, true);
    for (std::size_t i = 5; i < 8; ++i) {
        CHECK(out.found[i].model.rate_error > out.found[4].model.rate_error);
        CHECK(out.found[i].model.offset_error >= out.found[4].model.offset_error);
        CHECK(out.found[i].bound > out.found[4].bound);
    }
}

TEST_CASE("ranks of one host use the clock of their leader", "[sync_network]") {
    NetworkOptions const options{.ranks = 10, .ranks_per_host = 4, .jitter = 1e-6, .skew = 1, .by_host = true};
    ClockNetwork network(options);
    auto const out = network.run(measure::HierSync{}, true);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(out.errors[i] == out.errors[i / 4 * 4]);
        CHECK(std::abs(out.errors[i]) <= out.found[i].bound);
    }
    CHECK(out.found[2].bound > out.found[0].bound);
}

TEST_CASE("clocks that only seem to be shared within a host are detected", "[sync_network]") {
    ClockNetwork network({.ranks = 6, .ranks_per_host = 3, .skew = 1});
    CHECK(NetworkOutcome::largest(network.run(measure::HierSync{}, true).errors) < 1e-13);
}

TEST_CASE("a tree of 256 ranks needs eight rounds", "[sync_network][not_quick]") {
    NetworkOptions const options{.ranks = 256, .jitter = 100e-9, .skew = 1};
    auto const tree = run("tree", options);
    auto const linear = run("linear", options);
    CHECK(tree.duration < linear.duration / 25);
    CHECK(tree.messages < linear.messages + linear.messages / 10);
}

TEST_CASE("the same seed gives the same simulation", "[sync_network]") {
    NetworkOptions const options{.ranks = 9, .jitter = 100e-9, .skew = 1, .ppm = 20};
    CHECK(run("tree", options).errors == run("tree", options).errors);
    CHECK(run("tree", options).messages == run("tree", options).messages);
}

namespace {

/// Synchronises twice, where the second time knows the result of the first. Holds what each rank knows after both, and
/// its verdict.
struct Again {
    measure::detail::Found first;
    measure::detail::Found second;
    bool worse = false;  ///< on any rank
    bool kept = false;
};

/// \param pause  time between the two synchronisations, in seconds
template <class Sync>
std::vector<Again> twice(ClockNetwork& network, int ranks, Sync const& sync, double pause = 1) {
    std::vector<Again> seen(static_cast<std::size_t>(ranks));
    static_cast<void>(network.run([&](test::SimulatedNet& net) {
        Again& mine = seen[static_cast<std::size_t>(net.rank())];
        mine.first = measure::detail::synchronise_on(net, sync, 0);
        double const begun = net.now();
        net.wait_until(begun + pause);
        mine.second = measure::detail::synchronise_on(net, sync, mine.first.pair.rtt);
        mine.worse = !measure::detail::all_of(net, !mine.second.worse);
        mine.kept = measure::detail::keeps_older(mine.worse, false, mine.first.bound, mine.second.bound);
        return mine.kept ? mine.first : mine.second;
    }));
    return seen;
}

}  // namespace

TEST_CASE("a pair that was faster before is measured again, even if it is the only pair", "[sync_network]") {
    // For some milliseconds of the second synchronisation, messages to rank 1 take 50 us longer. This is below the
    // absolute limit, so only its own first round trip can reveal it.
    for (double const lasts : {3e-3, 8e-3}) {
        ClockNetwork network({.skew = 1, .slow = 1, .slow_by = 50e-6, .slow_from = 1, .slow_until = 1 + lasts});
        auto const seen = twice(network, 2, measure::LinearSync{});
        CHECK_FALSE(seen[1].second.worse);
        CHECK(seen[1].second.bound == Approx(seen[1].first.bound).epsilon(1e-3));
    }
}

TEST_CASE("a synchronisation that stays worse than necessary does not replace the previous one", "[sync_network]") {
    for (int const n : {2, 5}) {
        NetworkOptions const options{
            .ranks = n, .skew = 1, .slow = 1, .slow_by = 50e-6, .slow_from = 1, .slow_until = 1e9};
        auto const check = [&](auto const& sync) {
            ClockNetwork network(options);
            auto const seen = twice(network, n, sync);
            auto const truth = [&](std::size_t i) {
                return network.clock(0).skew - network.clock(static_cast<int>(i)).skew;
            };
            for (std::size_t i = 0; i < seen.size(); ++i) {
                CHECK(seen[i].worse);
                CHECK((i != 1 || seen[i].second.worse));
                CHECK_FALSE(seen[i].first.worse);
                CHECK(std::abs(seen[i].first.model.offset - truth(i)) < 1e-12);
            }
            CHECK(seen[1].kept);
            CHECK(std::abs(seen[1].second.model.offset - truth(1)) == Approx(25e-6).epsilon(1e-3));
        };
        check(measure::LinearSync{});
        check(measure::TreeSync{});
        check(measure::RingSync{.plain = true});
    }
}

TEST_CASE("a line through slow points does not replace the previous one", "[sync_network]") {
    ClockNetwork network({.ranks = 3, .skew = 1, .slow = 1, .slow_by = 50e-6, .slow_from = 1, .slow_until = 1e9});
    auto const seen = twice(network, 3, measure::JkSync{.fit = quick});
    CHECK(seen[1].second.worse);
    CHECK(seen[1].kept);
    CHECK_FALSE(seen[2].second.worse);
}

TEST_CASE("a line ignores points that are poor compared to the best ever seen, even if these are the majority",
          "[sync_network]") {
    // Seven of ten points are 25 us too small.
    std::vector<measure::PairOffset> points;
    for (int i = 0; i < 10; ++i) {
        double const slow = i >= 3 ? 50e-6 : 0;
        points.push_back({.offset = -slow / 2, .low = -slow - 1e-6, .high = 1e-6, .rtt = 1e-6 + slow, .when = i * 0.1});
    }
    auto const best = measure::detail::model_from(points, 1e-6);
    CHECK(std::abs(best.offset_at(1)) < 1e-12);
    CHECK(std::abs(measure::detail::model_from(points).offset_at(1)) > 20e-6);
}

TEST_CASE("an older clock is kept only if it is more accurate and no clock was set", "[sync_network]") {
    using measure::detail::keeps_older;
    CHECK(keeps_older(true, false, 1e-6, 18e-6));
    CHECK_FALSE(keeps_older(false, false, 1e-6, 18e-6));  // the newer clock is fine
    CHECK_FALSE(keeps_older(true, true, 1e-6, 18e-6));
    CHECK_FALSE(keeps_older(true, false, 500e-6, 18e-6));  // too old
}

TEST_CASE("through the shared memory of a host, a round trip of 10 us is slow", "[sync_network]") {
    CHECK(measure::detail::longest_sane({}, true) == 10e-6);
    CHECK(measure::detail::longest_sane({}, false) == 100e-6);
    CHECK(measure::detail::longest_sane({.poor = measure::seconds{5e-6}}, true) == 5e-6);
}

namespace {

measure::SyncResult own_linear(measure::SyncNet& net) {
    if (net.rank() == 0) {
        for (int i = 1; i < net.size(); ++i)
            net.serve(i);
        return {};
    }
    auto const pair = net.ask(0);
    return {.model = {.offset = pair.offset}, .bound = measure::seconds{pair.bound()}};
}

}  // namespace

TEST_CASE("a user synchroniser finds the same offsets as the library", "[sync_network]") {
    for (double const jitter : {0.0, 0.5e-6}) {
        NetworkOptions const options{.ranks = 5, .ranks_per_host = 2, .jitter = jitter, .skew = 1};
        measure::OwnSync const own{"mine", own_linear};
        ClockNetwork network(options);
        auto const out = network.run([&](test::SimulatedNet& net) {
            test::SimulatedSyncNet mine(net);
            auto const result = own(mine);
            return measure::detail::Found{.model = result.model, .bound = result.bound.count()};
        });
        auto const builtin = run("linear", options);
        for (std::size_t i = 0; i < out.found.size(); ++i) {
            CHECK(std::abs(out.errors[i]) <= out.found[i].bound + 1e-15);
            CHECK(out.found[i].bound == Approx(builtin.found[i].bound).epsilon(jitter == 0 ? 1e-6 : 0.5));
        }
        CHECK((jitter > 0 || NetworkOutcome::largest(out.errors) < 1e-13));
    }
}

TEST_CASE("a user synchroniser gathers and scatters values in rank order", "[sync_network]") {
    ClockNetwork network({.ranks = 4, .skew = 1});
    std::vector<double> got(4);
    static_cast<void>(network.run([&](test::SimulatedNet& net) {
        test::SimulatedSyncNet mine(net);
        auto all = mine.gather(10.0 * net.rank());
        for (auto& x : all)
            x += 1;
        got[static_cast<std::size_t>(net.rank())] = mine.scatter(all);
        return measure::detail::Found{};
    }));
    CHECK(got == std::vector<double>{1, 11, 21, 31});
}

TEST_CASE("auto selects the algorithm that suits ranks and hosts", "[sync_network]") {
    auto const chosen = [](int ranks, int hosts, double expected = 10) {
        measure::AutoSync const automatic{.expected = measure::seconds{expected}};
        return std::string{measure::name(measure::detail::choose_sync(automatic, ranks, hosts))};
    };
    CHECK(chosen(4, 1) == "hier");
    CHECK(chosen(33, 1) == "hier");
    CHECK(chosen(32, 2) == "jk");
    CHECK(chosen(32, 2, 0.5) == "linear");
    CHECK(chosen(33, 2) == "hier");
    auto const large = measure::detail::choose_sync(measure::AutoSync{}, 64, 4);
    CHECK(std::get<measure::HierSync>(large).drift == true);
    auto const told = [](std::optional<bool> drift, int hosts) {
        auto const sync = measure::sync_from("hier", {}, drift);
        return std::get<measure::HierSync>(measure::detail::choose_sync(sync, 8, hosts)).drift;
    };
    CHECK(told({}, 1) == false);
    CHECK(told({}, 2) == true);
    CHECK(told(false, 2) == false);
    CHECK(told(true, 1) == true);
    auto const plain = measure::detail::choose_sync(measure::sync_from("auto", {}, false), 32, 2);
    CHECK(measure::name(plain) == "linear");
}
