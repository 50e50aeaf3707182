// SPDX-License-Identifier: BSD-3-Clause
#include "measure/clock_sync.hpp"
#include "measure/error.hpp"
#include "support/catch.hpp"
#include "support/gather_check.hpp"
#include "support/late_timer.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <thread>

using measure::AnyTimer;
using measure::Comm;
using measure::GlobalClock;

namespace {

struct Seen {
    double offset;
    double bound;
    double report_bound;
};

std::vector<Seen> synchronised(Comm const& comm, AnyTimer const& timer, measure::Sync const& sync) {
    auto const clock = measure::synchronise(comm, timer, sync);
    return test::gather_all(Seen{clock.offset().count(), clock.bound().value().count(), clock.report().bound.value()});
}

constexpr char const* every_algorithm[] = {"linear", "ring", "ring:plain", "tree", "jk", "hca3", "hier", "auto"};
constexpr measure::FitOptions quick{.points = 10, .span = measure::seconds{0.02}};

/// Synchronisers with few exchanges per pair, so that ranks that share a core finish soon.
measure::Sync sync_of(std::string_view name, measure::OffsetChannel channel = measure::OffsetChannel::shared) {
    measure::Sync sync = measure::sync_from(
        name, {.patience = 20, .warm_up = 2, .time_limit = measure::seconds{0.05}, .channel = channel});
    if (auto* jk = std::get_if<measure::JkSync>(&sync))
        jk->fit = quick;
    if (auto* hca3 = std::get_if<measure::Hca3Sync>(&sync))
        hca3->fit = quick;
    return sync;
}

/// The error of each rank's global clock at one reading of the clock that all ranks distort: the rank's root time minus
/// that of the root. [ranks], s. Collective.
std::vector<double> errors_at(measure::SyntheticTimer const& timer, GlobalClock const& clock, std::int64_t base_ns) {
    auto times = test::gather_all(clock.root_time(timer, timer.distort(base_ns)).count());
    double const root = times[0];
    for (auto& t : times)
        t -= root;
    return times;
}

/// Whether a reading that is late by 40 us multiplies the round trip by more than four. With other programs on the
/// machine the first round trip may be too long for that.
bool is_noticed_after(GlobalClock const& first) { return 4 * first.report().rtt_max < 40e-6; }

/// Gives each rank its own core during its lifetime, as far as there are enough cores.
class OwnCore {
public:
    explicit OwnCore(int rank) {
        sched_getaffinity(0, sizeof before_, &before_);
        int left = rank % std::max(1, CPU_COUNT(&before_));
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &before_) && left-- == 0) {
                cpu_set_t own;
                CPU_ZERO(&own);
                CPU_SET(cpu, &own);
                sched_setaffinity(0, sizeof own, &own);
            }
    }
    ~OwnCore() { sched_setaffinity(0, sizeof before_, &before_); }
    OwnCore(OwnCore const&) = delete;
    OwnCore& operator=(OwnCore const&) = delete;

private:
    cpu_set_t before_{};
};

/// Whether nobody else uses the machine, according to the environment. Only then are times compared with each other.
bool quiet_machine() { return std::getenv("QUIET_MACHINE") != nullptr; }

/// A reading of the undistorted clock, the same on all ranks. Collective.
std::int64_t base_now() { return test::gather_all(measure::MonotonicTimer{}.now())[0]; }

/// CLOCK_MONOTONIC minus MPI_Wtime on this rank, s. Both advance at the same rate; the zero of MPI_Wtime is up to MPI.
struct Zero {
    double low = -1e300;
    double high = 1e300;
};
Zero zero_of_wtime() {
    Zero zero;
    for (int i = 0; i < 100; ++i) {
        double const before = MPI_Wtime();
        double const monotonic = static_cast<double>(measure::MonotonicTimer{}.now()) * 1e-9;
        double const after = MPI_Wtime();
        double const rounding = 1e-9 + 2 * std::numeric_limits<double>::epsilon() * (after + monotonic);
        zero.low = std::max(zero.low, monotonic - after - rounding);
        zero.high = std::min(zero.high, monotonic - before + rounding);
    }
    return zero;
}

double largest(std::vector<double> const& xs) {
    double most = 0;
    for (double const x : xs)
        most = std::max(most, std::abs(x));
    return most;
}

}  // namespace

TEST_CASE("clocks of one host are found equal within the guaranteed bound", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    for (auto const estimator : {measure::OffsetEstimator::min_rtt, measure::OffsetEstimator::envelope})
        for (char const* algorithm : {"linear", "ring", "tree", "hier", "auto"}) {
            auto const seen = synchronised(comm, measure::MonotonicTimer{},
                                           measure::sync_from(algorithm, {.patience = 30, .estimator = estimator}));
            CHECK(seen[0].offset == 0);
            for (auto const& s : seen) {
                CHECK(std::abs(s.offset) <= s.bound);
                CHECK(s.bound <= s.report_bound);
            }
        }
}

TEST_CASE("through shared memory clocks of one host are found equal within nanoseconds", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    // If other programs use the cores, only the guaranteed bound is checked.
    bool const exact = comm.size() == 2 && quiet_machine();
    std::size_t const synchronisations = exact ? 50 : 5;
    OwnCore const own{comm.rank()};
    std::vector<double> largest;
    for (std::size_t i = 0; i < synchronisations; ++i) {
        measure::PairOptions const pair{.time_limit = measure::seconds{0.05}};
        auto const seen = synchronised(comm, measure::MonotonicTimer{}, measure::LinearSync{pair});
        double worst = 0;
        for (auto const& s : seen) {
            CHECK(std::abs(s.offset) <= s.bound);
            worst = std::max(worst, std::abs(s.offset));
        }
        largest.push_back(worst);
    }
    std::sort(largest.begin(), largest.end());
    if (exact)
        CHECK(largest[synchronisations / 2] < 60e-9);
}

TEST_CASE("skews of seconds and of days are recovered with the right sign", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    for (double const skew : {1.0, -2.5, 86400.0 * 10}) {
        // Distinct per rank, so that a chain that is summed with a wrong sign is off by multiples of the skew.
        std::int64_t const mine = static_cast<std::int64_t>(skew * 1e9) * comm.rank() * comm.rank();
        measure::SyntheticTimer const timer("monotonic", {.skew_ns = mine});
        for (char const* algorithm : {"linear", "ring", "tree", "hier"}) {
            auto const seen = synchronised(comm, timer, measure::sync_from(algorithm));
            for (std::size_t i = 0; i < seen.size(); ++i) {
                double const truth = -skew * static_cast<double>(i * i);
                CHECK(std::abs(seen[i].offset - truth) <= seen[i].bound + 1e-9);
            }
        }
    }
}

TEST_CASE("root time and stamps are converted both ways", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    measure::SyntheticTimer const timer("monotonic", {.skew_ns = -5'000'000'000 * comm.rank()});
    auto const clock = measure::synchronise(comm, timer);
    auto const stamp = timer.now();
    auto const there = clock.root_time(timer, stamp);
    auto const back = clock.local_stamp(timer, there);

    CHECK(std::abs(back - stamp) <= 1);
    CHECK(clock.age() >= measure::seconds{0});
}

TEST_CASE("without synchronisation a clock has no guarantee", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{}, measure::NoSync{});
    CHECK(clock.offset() == measure::seconds{0});
    CHECK(clock.synchronised() == (comm.size() == 1));
}

TEST_CASE("clocks that were not synchronised are compared nevertheless", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const test = [&](std::int64_t skew_ns) {
        measure::SyntheticTimer const timer("monotonic", {.skew_ns = skew_ns * comm.rank(), .ppm = 0});
        return measure::residual(comm, measure::synchronise(comm, timer, measure::NoSync{}));
    };
    auto const equal = test(0);
    auto const apart = test(1'000'000'000);
    REQUIRE(equal.has_value() == (comm.size() > 1));
    REQUIRE(apart.has_value() == (comm.size() > 1));
    if (comm.size() == 1)
        return;
    CHECK(equal->proven == measure::seconds{0});
    CHECK(equal->largest <= equal->bound);
    CHECK(apart->proven == apart->largest);
    // Other programs make round trips long, which the bound reflects.
    double const doubt = 1e-3 + apart->bound.count();
    CHECK(std::abs(apart->largest.count() - (comm.size() - 1)) <= doubt);
    bool const same = test::same_on_all_ranks(apart->proven.count());
    CHECK(same);
    REQUIRE(apart->of_ranks.size() == (comm.is_root() ? static_cast<std::size_t>(comm.size()) : 0));
    for (std::size_t i = 0; i < apart->of_ranks.size(); ++i)
        CHECK(std::abs(apart->of_ranks[i] + static_cast<double>(i)) <= doubt);
}

TEST_CASE("an unnecessary synchronisation with a worse result leaves the clock unchanged", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    if (comm.size() == 1 || comm.oversubscribed())
        return;
    bool late = false;
    test::LateTimer const timer{late};
    measure::LinearSync const sync{{.patience = 20, .poor = measure::seconds{1}}};
    auto const first = measure::synchronise(comm, timer, sync);
    late = comm.rank() == 1;
    auto const fresh = measure::synchronise(comm, timer, sync);
    auto const bad = measure::synchronise(comm, timer, sync, first);
    late = false;
    auto const good = measure::synchronise(comm, timer, sync, bad);
    auto const errors = test::gather_all(fresh.offset().count());
    auto const offsets = test::gather_all(bad.offset().count() - first.offset().count());

    // Without an earlier clock the result is used although its offset is wrong by half of the delay.
    CHECK(std::abs(errors[1]) > 10e-6);
    CHECK_FALSE(fresh.is_poor());
    // A clock that is not one of the machine's may drift by 50 ppm: in a second more than the delay.
    bool const kept = bad.report().kept == 1;
    CHECK((kept != bad.is_poor() || !is_noticed_after(first)));
    if (kept)
        CHECK(largest(offsets) == 0);
    // Other programs make round trips long, too.
    bool const long_again = good.report().rtt_max > 4 * first.report().rtt_min;
    CHECK((!good.is_poor() || long_again));
    CHECK((good.bound().value() < measure::seconds{10e-6} || long_again));
}

TEST_CASE("a clock that was found wrong is not kept and not used again", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    if (comm.size() == 1 || comm.oversubscribed())
        return;
    bool late = false;
    test::LateTimer const timer{late};
    measure::LinearSync const sync{{.patience = 20, .poor = measure::seconds{1}}};
    auto first = measure::synchronise(comm, timer, sync);
    if (comm.is_root())
        first.expire();
    CHECK(first.is_young() != comm.is_root());
    late = comm.rank() == 1;
    auto const bad = measure::synchronise(comm, timer, sync, first);
    late = false;
    CHECK((bad.is_poor() || !is_noticed_after(first)));
    CHECK(bad.report().kept == 0);
    auto const same = test::same_on_all_ranks(static_cast<int>(bad.is_poor()));
    CHECK(same);
}

TEST_CASE("auto verifies every clock of the machine before it treats ranks as equal, including MPI's", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{}, measure::AutoSync{});
    auto const offsets = test::gather_all(clock.offset().count());
    CHECK(clock.report().algorithm == "hier");
    CHECK(clock.report().edges == comm.size() - 1);
    CHECK(largest(offsets) == 0);
    // Open MPI's clock begins with the first call of each process, so the ranks of one host differ.
    auto const of_mpi = measure::synchronise(comm, AnyTimer{}, measure::AutoSync{});
    auto const zeros = test::gather_all(zero_of_wtime());
    auto const seen = test::gather_all(Seen{of_mpi.offset().count(), of_mpi.bound().value().count(), 0});
    CHECK(of_mpi.report().algorithm == "hier");
    CHECK(of_mpi.report().edges == comm.size() - 1);
    CHECK(seen[0].offset == 0);
    for (std::size_t i = 1; i < seen.size(); ++i) {
        CHECK(seen[i].offset - seen[i].bound <= zeros[i].high - zeros[0].low);
        CHECK(seen[i].offset + seen[i].bound >= zeros[i].low - zeros[0].high);
    }
    // A user's clock is measured: that it might be equal on all ranks does not make it a clock of the machine.
    measure::SyntheticTimer const skewed("monotonic", {.skew_ns = 50'000'000 * comm.rank(), .ppm = 0});
    auto const found = test::gather_all(measure::synchronise(comm, skewed, measure::AutoSync{}).offset().count());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == Catch::Approx(-0.05 * static_cast<double>(i)).margin(20e-3));
}

TEST_CASE("a user's synchroniser determines the global clock, under its own name", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    measure::SyntheticTimer const timer("monotonic", {.skew_ns = -3'000'000'000 * comm.rank(), .ppm = 0});
    measure::OwnSync const own{"mine", [](measure::SyncNet& net) -> measure::SyncResult {
                                   if (net.rank() == 0) {
                                       for (int i = 1; i < net.size(); ++i)
                                           net.serve(i);
                                       return {};
                                   }
                                   auto const pair = net.ask(0);
                                   return {{.offset = pair.offset}, measure::seconds{pair.bound()}};
                               }};
    auto const clock = measure::synchronise(comm, timer, own);
    auto const found = errors_at(timer, clock, base_now());
    auto const bounds = test::gather_all(clock.bound().value().count());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(std::abs(found[i]) <= bounds[i] + 2e-9);
    CHECK(clock.report().algorithm == "mine");
    CHECK(measure::name(measure::Sync{own}) == "mine");
    CHECK((comm.size() == 1 || clock.report().messages > 0));
}

TEST_CASE("a user's synchroniser that fails on one rank is one error on all ranks, and leaves no pending messages",
          "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    int const last = comm.size() - 1;
    auto const text_of = [&](auto const& program) {
        std::string text;
        try {
            (void)measure::synchronise(comm, measure::MonotonicTimer{}, measure::OwnSync{"mine", program});
        } catch (measure::BodyError const& e) {
            text = e.what();
        }
        auto const all = test::gather_all(text);
        CHECK(std::count(all.begin(), all.end(), all.front()) == std::ssize(all));
        return all.front();
    };
    auto const rank = "synchroniser 'mine': rank " + std::to_string(last) + ": ";
    if (comm.size() == 1)
        return;
    // The other ranks wait for the failing rank, have sent it a message, or wait for ranks that do.
    CHECK(text_of([&](measure::SyncNet& net) -> measure::SyncResult {
              for (int i = 0; i < net.size(); ++i)
                  if (i != net.rank())
                      net.send(1.0, i);
              if (net.rank() == last)
                  throw std::runtime_error("the sun is behind a cloud");
              for (int k = 0; k < 2; ++k)
                  static_cast<void>(net.receive<double>((net.rank() + 1) % net.size()));
              return {};
          }) == rank + "the sun is behind a cloud");
    CHECK(text_of([&](measure::SyncNet& net) -> measure::SyncResult {
              if (net.rank() == last)
                  static_cast<void>(net.ask(net.size()));
              static_cast<void>(net.gather(1.0));
              return {};
          }) == rank + "rank " + std::to_string(comm.size()) + " is not a peer among " + std::to_string(comm.size()) +
                    " ranks");
    CHECK(text_of([&](measure::SyncNet& net) -> measure::SyncResult {
              return {.bound = measure::seconds{net.rank() == last ? -1.0 : 0.0}};
          }) == rank + "a bound must be >= 0 and finite");
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{}, measure::LinearSync{});
    CHECK(std::abs(clock.offset().count()) <= clock.bound().value().count());
}

TEST_CASE("the ring reports its closure error, which is within the sum of the bounds", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{}, measure::RingSync{});
    auto const& report = clock.report();
    bool const same = test::same_on_all_ranks(report.closure.value_or(0));

    CHECK(same);
    CHECK(report.closure.has_value() == (comm.size() > 1));
    CHECK(std::abs(report.closure.value_or(0)) <= report.closure_bound);
}

TEST_CASE("the residual reveals a clock that drifts away", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    // 20 % of a tenth of a second are 20 ms, far more than any round trip of two ranks.
    measure::SyntheticTimer const timer("monotonic", {.ppm = comm.is_root() ? 0.0 : 200000.0});
    auto const clock = measure::synchronise(comm, timer);
    auto const until = MPI_Wtime() + 0.1;
    while (MPI_Wtime() < until) {
    }
    auto const residual = measure::residual(comm, clock);

    if (comm.size() == 2) {
        REQUIRE(residual.has_value());
        CHECK(residual->largest.count() > 10e-3);
        CHECK(residual->rms == residual->largest);  // only one rank is compared
    } else {
        CHECK(residual.has_value() == (comm.size() > 1));
    }
}

TEST_CASE("every algorithm handles clocks that differ by up to a million seconds and drift", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    double const rates[] = {0, 20, -50};
    for (double const skew : {3.0, -1e6}) {
        int const r = comm.rank();
        measure::SyntheticTimer const timer(
            "monotonic", {.skew_ns = static_cast<std::int64_t>(skew * 1e9) * (r % 3), .ppm = rates[r % 3]});
        for (char const* algorithm : every_algorithm) {
            auto const channel = skew > 0 ? measure::OffsetChannel::shared : measure::OffsetChannel::messages;
            auto const clock = measure::synchronise(comm, timer, sync_of(algorithm, channel));
            auto const found = errors_at(timer, clock, base_now());
            auto const bounds = test::gather_all(clock.bound().value().count());
            auto const ages = test::gather_all(clock.report().duration + clock.age().count());
            // A line fitted to points of ranks that share a core may be steep, which its uncertainty reflects.
            auto const lines = test::gather_all(clock.uncertainty().value_or(measure::seconds{0}).count());
            INFO(algorithm << " with a skew of " << skew);
            for (std::size_t i = 0; i < found.size(); ++i)
                CHECK(std::abs(found[i]) <= bounds[i] + 10 * lines[i] + 70e-6 * ages[i] + 2e-9);
        }
    }
}

TEST_CASE("a drift model predicts the next ten seconds, an offset alone does not", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    if (!quiet_machine() || comm.oversubscribed()) {
        WARN("skipped: ranks that share a core answer each other with microseconds of delay");
        return;
    }
    measure::SyntheticTimer const timer("monotonic",
                                        {.skew_ns = 7'000'000'000 * comm.rank(), .ppm = 20.0 * comm.rank()});
    for (char const* algorithm : {"jk", "hca3"}) {
        auto const clock = measure::synchronise(comm, timer, measure::sync_from(algorithm));
        auto const error = largest(errors_at(timer, clock, base_now() + 10'000'000'000));
        double const uncertainty = largest(test::gather_all(clock.uncertainty().value_or(measure::seconds{0}).count()));
        INFO(algorithm << ": off by " << error << " s, standard error now " << uncertainty << " s");
        CHECK(error < 1e-6);
    }
    auto const plain = measure::synchronise(comm, timer, measure::LinearSync{});
    auto const error = largest(errors_at(timer, plain, base_now() + 10'000'000'000));
    CHECK((comm.size() == 1 || error > 150e-6));
}

TEST_CASE("ten seconds later a drift model is still right", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    if (!quiet_machine() || comm.size() != 2)
        return;
    OwnCore const own{comm.rank()};
    measure::SyntheticTimer const timer("monotonic",
                                        {.skew_ns = 7'000'000'000 * comm.rank(), .ppm = 20.0 * comm.rank()});
    auto const plain = measure::synchronise(comm, timer, measure::LinearSync{});
    auto const modelled = measure::synchronise(comm, timer, measure::Hca3Sync{});
    std::this_thread::sleep_for(std::chrono::seconds{10});
    auto const now = base_now();
    CHECK(largest(errors_at(timer, plain, now)) > 190e-6);
    CHECK(largest(errors_at(timer, modelled, now)) < 1e-6);
    auto const residual = measure::residual(comm, modelled);
    CHECK(residual.value().largest.count() < 1.5e-6);
}

TEST_CASE("ranks of one host that read one clock have offsets of exactly zero", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicRawTimer{}, measure::AutoSync{});
    auto const offsets = test::gather_all(clock.offset().count());
    CHECK(clock.report().algorithm == "hier");
    CHECK(clock.report().hosts == 1);
    CHECK(largest(offsets) == 0);
    CHECK((comm.size() == 1 || clock.report().bound.value() > 0));
}

TEST_CASE("the report of a synchronisation contains its cost", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    int const n = comm.size();
    for (auto const channel : {measure::OffsetChannel::shared, measure::OffsetChannel::messages})
        for (char const* algorithm : every_algorithm) {
            measure::SyntheticTimer const timer("monotonic", {});
            auto const clock = measure::synchronise(comm, timer, sync_of(algorithm, channel));
            auto const& report = clock.report();
            bool const same = test::same_on_all_ranks(report.rtt_median);
            bool const through_memory = channel == measure::OffsetChannel::shared;
            INFO(algorithm << (through_memory ? " through memory" : " by messages"));
            CHECK(same);
            CHECK(report.edges == (report.algorithm.starts_with("ring") && n > 1 ? n : n - 1));
            CHECK(report.shared == (through_memory ? report.edges : 0));
            if (n > 1 && !through_memory) {
                // Other programs make exchanges so long that the time limit of a pair ends them before its patience.
                bool const cut = report.duration >= 0.02;
                CHECK(report.messages >= (cut ? 4 : 81) * report.edges);
            }
            CHECK(report.rtt_min <= report.rtt_median);
            CHECK(report.rtt_median <= report.rtt_max);
            bool const fits = report.algorithm == "jk" || report.algorithm == "hca3";
            if (!fits || n == 1)
                CHECK_FALSE(report.drift.has_value());
        }
}

TEST_CASE("a clock stays valid for ten seconds; between hosts for one second unless its drift is known",
          "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{});
    CHECK(clock.is_young());
    CHECK_FALSE(clock.is_young(measure::seconds{0}));
}

TEST_CASE("a pair has exactly two ranks, and others are refused", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{});
    int const last = comm.size() - 1;
    CHECK_THROWS_AS(measure::pair_offset(comm, clock, last, last), measure::UsageError);
    CHECK_THROWS_AS(measure::pair_offset(comm, clock, comm.rank(), comm.size()), measure::UsageError);
    CHECK_THROWS_AS(measure::pair_offset(comm, clock, -1, comm.rank()), measure::UsageError);
    if (last > 1 && comm.rank() == 1) {
        CHECK_THROWS_AS(measure::pair_offset(comm, clock, 0, last), measure::UsageError);
    }
}

#ifdef MPICH_VERSION
TEST_CASE("if ranks cannot share memory, they use messages", "[clock_sync]") {
    Comm const comm{MPI_COMM_WORLD};
    // Simulates a full /dev/shm: no file can grow, including those in memory.
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit const none{0, before.rlim_max};
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    auto const clock = measure::synchronise(comm, measure::MonotonicTimer{}, sync_of("tree"));
    auto const residual = measure::residual(comm, clock);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);

    CHECK(clock.report().edges == comm.size() - 1);
    CHECK(clock.report().shared == 0);
    CHECK(std::abs(clock.offset().count()) <= clock.bound().value().count());
    CHECK(residual.has_value() == (comm.size() > 1));
}
#endif
