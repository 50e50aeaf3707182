// SPDX-License-Identifier: BSD-3-Clause
#include "measure/record.hpp"
#include "measure/run.hpp"
#include "measure/run_each.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"
#include "support/gather_check.hpp"
#include "support/late_timer.hpp"

#include <atomic>
#include <cmath>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

using Catch::Approx;
using measure::Combine;
using measure::Comm;
using measure::Iteration;
using measure::op;
using measure::Plan;
using measure::StopVerdict;
using test::FakeTimer;

namespace {

/// Every rank has its own exact clock; the body of rank i takes (i + 1) us.
struct Stairs {
    Comm const& comm;
    FakeTimer timer = FakeTimer::counting(10);

    [[nodiscard]] measure::Measurement operator()(Plan plan) const {
        plan.start = measure::BarrierStart{};
        plan.stop = measure::stop::Count{.valid = 8};
        plan.estimate.trim = 0;
        return measure::run(comm, plan, timer, [this] { timer.advance(1000 * (comm.rank() + 1) - 10); });
    }
};

}  // namespace

TEST_CASE("a sample is combined over ranks as the plan says", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    double const n = comm.size();
    Stairs const stairs{comm};
    double const expected[] = {1e-6, n * 1e-6, 1e-6, (n + 1) / 2 * 1e-6};
    Combine const how[] = {Combine::root, Combine::max, Combine::min, Combine::mean};
    for (int i = 0; i < 4; ++i) {
        auto const m = stairs({.combine = how[i]});
        if (comm.is_root())
            CHECK(m.estimate->value == Approx(expected[i]));
    }
}

TEST_CASE("every rank knows the verdict and its own values, the root the values of all ranks", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const m = Stairs{comm}({.keep = measure::Keep::ranks});
    bool const same = test::same_on_all_ranks(static_cast<int>(m.verdict)) && test::same_on_all_ranks(m.attempts) &&
                      test::same_on_all_ranks(m.stop_reason);

    CHECK(same);
    CHECK(m.verdict == StopVerdict::converged);
    CHECK(m.mine.rank == comm.rank());
    CHECK(m.mine.valid == 8);
    CHECK(m.mine.mean == Approx((comm.rank() + 1) * 1e-6));
    REQUIRE(m.ranks.size() == (comm.is_root() ? static_cast<std::size_t>(comm.size()) : 0));
    for (std::size_t i = 0; i < m.ranks.size(); ++i) {
        CHECK(m.ranks[i].rank == static_cast<int>(i));
        CHECK(m.ranks[i].mean == Approx(static_cast<double>(i + 1) * 1e-6));
    }
    if (comm.is_root()) {
        CHECK(m.over_ranks->min == Approx(1e-6));
        CHECK(m.over_ranks->max == Approx(comm.size() * 1e-6));
        CHECK(m.over_ranks->mean == Approx((comm.size() + 1) / 2.0 * 1e-6));
    }
}

TEST_CASE("the correction of each rank is subtracted before ranks are combined", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const m = Stairs{comm}({.overhead = measure::seconds{comm.rank() * 1e-6}});
    // Rank i measures (i + 1) - i = 1 us.
    if (comm.is_root()) {
        CHECK(m.corrected.value() == Approx(1e-6));
        CHECK(m.correction.value() == Approx((comm.size() - 1) * 1e-6));
    }
}

TEST_CASE("a body that fails on one rank invalidates the sample on all ranks", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const timer = FakeTimer::counting(10);
    Plan const plan{.start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 6}};
    auto const m = measure::run(comm, plan, timer,
                                [&](Iteration it) { return comm.rank() != comm.size() - 1 || it.sample % 4 != 1; });
    CHECK(m.attempts == 8);
    CHECK(m.valid == 6);
    CHECK(m.invalid.failed == 2);
}

TEST_CASE("a body that throws on one rank becomes one error on all", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const timer = FakeTimer::counting(10);
    std::string text;
    try {
        (void)measure::run(comm, {.start = measure::BarrierStart{}}, timer, [&](Iteration it) {
            if (comm.rank() == comm.size() - 1 && it.sample == 1)
                throw std::runtime_error("no more paper");
        });
    } catch (measure::BodyError const& e) {
        text = e.what();
    }
    auto const all = test::gather_all(text);
    for (auto const& t : all) {
        CHECK(t == all.front());
        CHECK(t.find("no more paper") != std::string::npos);
    }
}

TEST_CASE("an operation whose creation runs out of memory on one rank does so on all ranks", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    bool caught = false;
    try {
        (void)measure::run(comm, {}, [&](Comm const& epoch) {
            if (epoch.rank() == epoch.size() - 1)
                throw std::bad_alloc();
            return op([] {});
        });
    } catch (std::bad_alloc const&) {
        caught = true;
    }
    CHECK(caught);
}

TEST_CASE("a stop flag on one rank stops all ranks", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const timer = FakeTimer::counting(10);
    std::atomic<int> flag{0};
    Plan plan{.start = measure::BarrierStart{}, .stop = measure::stop::AnyOf{}};
    plan.control.stop = &flag;
    int value = 0;
    try {
        (void)measure::run(comm, plan, timer, [&](Iteration it) {
            if (comm.rank() == comm.size() - 1 && it.sample == 20)
                flag = 15;
        });
    } catch (measure::Interrupted const& e) {
        value = e.value();
    }
    CHECK(value == 15);
}

TEST_CASE("slots start all ranks together, and the default is round-time if there are more ranks than cores", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Plan plan{.timer = measure::MonotonicTimer{}};
    plan.start_falls_back = false;  // on a busy machine, slots that lose every sample would become barriers
    plan.keep = measure::Keep::samples;
    auto const m = measure::run(comm, plan, [](auto& lap) { lap.spin(measure::seconds{1e-6}); });

    CHECK(m.start == (comm.oversubscribed() ? "roundtime" : "slot"));
    CHECK(m.attempts == m.valid + m.invalid.total());
    if (comm.is_root() && m.estimate) {
        CHECK(m.estimate->min >= 1e-6);
        CHECK(m.span.value() >= m.estimate->kept_min);
        CHECK(m.sync.bound.value() >= 0);
        CHECK(m.broadcast_bound.value() >= 20e-6);
    }
    if (comm.is_root())
        for (auto const& s : m.samples)
            CHECK(s.ranks.size() == static_cast<std::size_t>(comm.size()));
}

TEST_CASE("clocks a thousand seconds apart without synchronisation give no sample and do not hang", "[apart]") {
    Comm const comm{MPI_COMM_WORLD};
    for (int const sign : {1, -1}) {
        measure::SyntheticTimer const timer("monotonic", {.skew_ns = sign * 1'000'000'000'000 * comm.rank()});
        Plan const plan{.timer = timer,
                        .start = measure::SlotStart{.sync = measure::NoSync{}},
                        .stop = measure::stop::Count{.valid = 30, .at_most = 100}};
        auto const m = measure::run(comm, plan, [] {});
        if (comm.size() > 1) {
            CHECK(m.verdict == StopVerdict::no_valid_samples);
            CHECK(m.valid == 0);
            CHECK(m.invalid.late > 0);
        }
        if (comm.size() > 1 && comm.is_root())
            CHECK(std::find(m.flags.begin(), m.flags.end(), "clocks_disagree") != m.flags.end());
    }
}

TEST_CASE("clocks that differ and are not synchronised are flagged, however small the difference", "[run][not_quick]") {
    Comm const comm{MPI_COMM_WORLD};
    double value = 0;  // of the last point; 0 = no value
    auto const flags_of = [&](measure::Start const& start, std::int64_t skew_ns) {
        measure::SyntheticTimer const timer("monotonic", {.skew_ns = skew_ns * comm.rank(), .ppm = 0});
        Plan const plan{.timer = timer, .start = start, .stop = measure::stop::Count{.valid = 8, .at_most = 24}};
        auto const m = measure::run(comm, plan, [&] { comm.barrier(); });
        value = m.estimate ? m.estimate->value : 0;
        return m.flags;
    };
    auto const says = [](std::vector<std::string> const& flags, char const* flag) {
        return std::find(flags.begin(), flags.end(), flag) != flags.end();
    };
    bool const many = comm.size() > 1 && comm.is_root();
    for (std::int64_t const skew_ns : {500, 5'000, 50'000, 1'000'000'000}) {
        INFO(skew_ns << " ns");
        for (measure::Start const& start : {measure::Start{measure::SlotStart{.sync = measure::NoSync{}}},
                                            measure::Start{measure::RoundTimeStart{.sync = measure::NoSync{}}}}) {
            auto const flags = flags_of(start, skew_ns);
            // A comparison that a busy machine prevents must be flagged, too, unless the difference is small compared
            // with the value.
            bool const little = static_cast<double>(skew_ns) * 1e-9 <= 0.5 * value;
            CHECK((says(flags, "unsynchronised") || says(flags, "unverified") || value == 0 || little || !many));
            CHECK((skew_ns < 1'000'000'000 || says(flags, "unsynchronised") == many));
        }
    }
    // If clocks do not control the start, their differences do not matter.
    CHECK_FALSE(says(flags_of(measure::BarrierStart{}, 1'000'000'000), "unsynchronised"));
    CHECK_FALSE(says(flags_of(measure::FreeStart{}, 1'000'000'000), "unsynchronised"));
    // Equal clocks that were not synchronised are correct.
    CHECK_FALSE(says(flags_of(measure::SlotStart{.sync = measure::NoSync{}}, 0), "unsynchronised"));
}

TEST_CASE("a disturbed synchronisation leaves no wrong value without a flag", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    if (comm.size() == 1 || comm.oversubscribed())
        return;
    bool late = false;
    test::LateTimer const timer{late};
    measure::LinearSync const sync{{.patience = 20}};
    auto const good = measure::synchronise(comm, timer, sync);
    for (bool const remembered : {false, true}) {
        // The disturbance ends before the first sample, so the measurement itself cannot reveal it.
        Plan plan{.timer = timer, .stop = measure::stop::Count{.valid = 30, .at_most = 100}};
        measure::SlotStart start{.sync = sync, .resync_after = measure::seconds{0}};
        if (remembered)
            start.clock = good;
        plan.start = start;
        plan.control.epoch = [&](auto const&, auto) { late = false; };
        plan.start_falls_back = false;
        late = comm.rank() == 1;
        auto const m = measure::run(comm, plan, [&] { comm.barrier(); });
        late = false;
        if (!comm.is_root())
            continue;
        bool const told = !m.flags.empty() && std::any_of(m.flags.begin(), m.flags.end(), [](auto const& flag) {
            return flag == "sync_degraded" || flag == "unverified" || flag == "sync_poor";
        });
        // Either the clock was right during the measurement (the previous one, if it was kept), or the point is
        // flagged. Differences within the bound of the comparison prove nothing.
        double const error = m.sync.residual.value() - m.sync.residual_bound.value();
        bool const right = !m.estimate || error < 0.05 * m.estimate->value;
        INFO("residual " << m.sync.residual.value() << " s, bound " << m.sync.bound.value() << " s, estimate "
                         << (m.estimate ? m.estimate->value : 0) << " s, remembered " << remembered);
        CHECK((told || right));
        if (!remembered && m.estimate && m.estimate->value < 20e-6)
            CHECK(told);
    }
}

TEST_CASE("every start mode measures a barrier", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    for (char const* name : {"free", "barrier", "dissemination", "slot", "roundtime"}) {
        Plan plan{.timer = measure::MonotonicTimer{},
                  .start = measure::start_from(name),
                  .stop = measure::stop::Count{.valid = 4, .at_most = 24}};
        plan.start_falls_back = false;
        auto const m = measure::run(comm, plan, [&] { comm.barrier(); });
        CHECK(m.start == name);
        CHECK(m.attempts >= 8);
        if (comm.is_root() && m.estimate)
            CHECK(m.estimate->min > 0);
    }
}

TEST_CASE("the number of iterations of a time-driven batch is agreed by all ranks", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Plan const plan{.timer = measure::MonotonicTimer{},
                    .start = measure::BarrierStart{},
                    .batch = measure::TimeBudget{measure::seconds{2e-3}},
                    .stop = measure::stop::Count{.valid = 2},
                    .warm_up = 1,
                    .stage = 2};
    std::int64_t executed = 0;
    auto const m = measure::run(comm, plan, [&] {
        ++executed;
        comm.barrier();
    });
    bool const same = test::same_on_all_ranks(executed);
    CHECK(same);
    CHECK(m.attempts == 2);
    CHECK(executed >= 3);
}

TEST_CASE("a body that throws in a time-driven batch leaves no rank waiting", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Plan const plan{.timer = measure::MonotonicTimer{},
                    .start = measure::BarrierStart{},
                    .batch = measure::TimeBudget{measure::seconds{1e-3}},
                    .stop = measure::stop::Count{.valid = 2},
                    .stage = 2};
    std::string text;
    try {
        (void)measure::run(comm, plan, [&](Iteration it) {
            if (comm.rank() == comm.size() - 1 && it.index == 6)
                throw std::runtime_error("no more paper");
        });
    } catch (measure::BodyError const& e) {
        text = e.what();
    }
    bool const same = test::same_on_all_ranks(text);
    CHECK(same);
    CHECK(text.find("no more paper") != std::string::npos);
}

TEST_CASE("a check follows the samples of each epoch, and an error found on one rank is reported on all", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const timer = FakeTimer::counting(10);
    std::int64_t calls = 0;
    std::vector<std::int64_t> checked;
    Plan const plan{
        .start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 8}, .settling = {}, .epochs = 2};
    int const last = comm.size() - 1;
    auto const m = measure::run(comm, plan, timer, [&](Comm const& epoch) {
        auto body = [&] {
            timer.advance(100);
            ++calls;
        };
        return op(body).check([&, rank = epoch.rank()](auto&) -> std::string {
            checked.push_back(calls);
            return rank == last ? "a wrong byte" : "";
        });
    });
    bool const same = test::same_on_all_ranks(m.data_error);

    CHECK(same);
    CHECK(checked == std::vector<std::int64_t>{12, 24});  // 4 warm-up iterations and 8 samples in each epoch
    CHECK(m.data_error == (comm.size() > 1 ? "rank " + std::to_string(last) + ": a wrong byte" : "a wrong byte"));
    CHECK(m.valid == 16);
    if (comm.is_root()) {
        auto const record = measure::make_record("own", {}, m);
        CHECK(record.status == measure::PointStatus::crashed);
        CHECK(record.message == m.data_error);
        CHECK_FALSE(record.value);
    }
}

TEST_CASE("an exception in a check on one rank is reported as its result", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Plan const plan{.start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 8}};
    auto const m = measure::run(comm, plan, op([] {}).check([&](auto&) -> std::string {
        if (comm.is_root())
            throw std::runtime_error("no more paper");
        return {};
    }));
    CHECK(m.data_error.find("no more paper") != std::string::npos);
}

TEST_CASE("the span over ranks is refused if clocks are not synchronised", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Plan const plan{.start = measure::BarrierStart{}, .combine = Combine::span};
    if (comm.size() > 1)
        CHECK_THROWS_AS(measure::run(comm, plan, [] {}), measure::UsageError);
    Plan const slots{.start = measure::SlotStart{},
                     .combine = Combine::span,
                     .stop = measure::stop::Count{.valid = 8, .at_most = 16}};
    auto const m = measure::run(comm, slots, [] {});
    CHECK(m.attempts > 0);
}

TEST_CASE("each epoch passes a fresh communicator to the maker", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const timer = FakeTimer::counting(10);
    std::vector<MPI_Comm> seen;
    Plan const plan{.start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 8}, .epochs = 3};
    auto const m = measure::run(comm, plan, timer, [&](Comm const& epoch) {
        seen.push_back(epoch.native());
        return op([&] { timer.advance(100); });
    });
    CHECK(seen.size() == 3);
    CHECK(std::find(seen.begin(), seen.end(), comm.native()) == seen.end());
    CHECK(m.attempts == 24);
}

TEST_CASE("a call that MPI rejects invalidates the sample, and the note contains MPI's text", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Comm const team = comm.duplicate();  // returns errors
    Plan const plan{.start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 8, .at_most = 16}};
    int const last = comm.size() - 1;
    int code = MPI_SUCCESS;
    auto const m = measure::run(comm, plan, [&] {
        int const nobody = team.size();
        return comm.rank() == last ? code = MPI_Send(nullptr, 0, MPI_INT, nobody, 0, team.native()) : MPI_SUCCESS;
    });
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    std::string const words{text};
    bool const same = test::same_on_all_ranks(m.message);

    CHECK(same);
    CHECK(m.invalid.failed == 16);
    CHECK(m.valid == 0);
    CHECK_FALSE(m.estimate.has_value());
    std::string const who = comm.size() > 1 ? "rank " + std::to_string(last) + ": " : "";
    CHECK(m.message.find("no sample of 16 was valid: 16 failed; " + who + "returned ") == 0);
    if (comm.rank() == last) {
        CHECK(words.size() > 4);
        CHECK(m.message.find(words.substr(0, words.find('\n'))) != std::string::npos);
    }
}

TEST_CASE("an error that the body ignores invalidates the sample", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Plan const plan{
        .start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 4}, .settling = {}, .stage = 4};
    auto const m = measure::run(comm, plan, [&](Comm const& team) {
        return [&comm, native = team.native(), nobody = team.size()](Iteration it) {
            if (it.sample == 1 && comm.is_root())
                MPI_Send(nullptr, 0, MPI_INT, nobody, 0, native);
        };
    });
    CHECK(m.valid >= 4);
    CHECK(m.invalid.failed == 1);
    CHECK(m.message.find(comm.size() > 1 ? "1 failed: rank 0: returned " : "1 failed: returned ") == 0);
    CHECK(m.message.find("for MPI: ") != std::string::npos);
}

TEST_CASE("an error before a sample does not invalidate the sample", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Comm const team = comm.duplicate();
    Plan const plan{
        .start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 4}, .settling = {}, .stage = 4};
    CHECK(MPI_Send(nullptr, 0, MPI_INT, team.size(), 0, team.native()) != MPI_SUCCESS);
    CHECK(measure::run(comm, plan, [] {}).invalid.failed == 0);
}

TEST_CASE("pending receives of a body do not take messages of the library", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    if (comm.size() < 2)
        return;
    int const left = (comm.rank() + comm.size() - 1) % comm.size();
    int const right = (comm.rank() + 1) % comm.size();
    Plan plan{.stop = measure::stop::Count{.valid = 4, .at_most = 40}, .settling = {}, .stage = 4};
    for (measure::Start const& start :
         {measure::Start{measure::BarrierStart{}}, measure::Start{measure::DisseminationStart{}},
          measure::Start{measure::RoundTimeStart{}}}) {
        plan.start = start;
        auto const m = measure::run(comm, plan, [&](Comm const& team) {
            auto const request = std::make_shared<MPI_Request>(MPI_REQUEST_NULL);
            return op([=, native = team.native()] {
                       MPI_Send(nullptr, 0, MPI_BYTE, right, 7, native);
                       MPI_Wait(request.get(), MPI_STATUS_IGNORE);
                   })
                .prepare([=, native = team.native()] {
                    MPI_Irecv(nullptr, 0, MPI_BYTE, left, MPI_ANY_TAG, native, request.get());
                });
        });
        CHECK(m.invalid.failed == 0);
    }
}

TEST_CASE("a plan that differs between ranks, or is invalid on one, is refused on all", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    if (comm.size() < 2)
        return;
    Plan plan{.start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 4}};
    for (int const epochs : {2, 0}) {
        plan.epochs = comm.is_root() ? epochs : 1;
        CHECK_THROWS_WITH(measure::run(comm, plan, [] {}), "the plan differs between ranks");
    }
    plan.epochs = 1;
    plan.batch = measure::FixedCount{comm.is_root() ? 0 : 1};
    CHECK_THROWS_WITH(measure::run(comm, plan, [] {}), "the plan differs between ranks");
}

TEST_CASE("samples lost in slots are flagged, and a barrier loses none", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Plan plan{.stop = measure::stop::Count{.valid = 16, .at_most = 400}, .settling = {}};
    // Every tenth call is longer than any slot chosen for an operation of a microsecond.
    auto const body = [](auto& lap) { lap.spin(measure::seconds{lap.iteration().index % 10 == 0 ? 2e-3 : 1e-6}); };
    plan.start = measure::SlotStart{};
    auto const slots = measure::run(comm, plan, body);
    // Other programs can make all samples invalid for other reasons.
    if (comm.is_root() && slots.estimate && slots.valid < 15 * slots.invalid.overrun)
        CHECK(slots.has_flag("censored"));
    plan.start = measure::BarrierStart{};
    CHECK_FALSE(measure::run(comm, plan, body).has_flag("censored"));
}

TEST_CASE("an error code unknown to MPI is reported as a number", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    Plan const plan{
        .start = measure::BarrierStart{}, .stop = measure::stop::Count{.valid = 4}, .settling = {}, .stage = 4};
    auto const m = measure::run(comm, plan, [](Iteration it) { return it.sample == 1 ? -77 : MPI_SUCCESS; });
    CHECK(m.valid >= 4);
    CHECK(m.invalid.failed == 1);
    CHECK(m.message == (comm.size() > 1 ? "1 failed: rank 0: returned -77" : "1 failed: returned -77"));
}

TEST_CASE("a loop of single iterations is combined over ranks as its plan says", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    double const n = comm.size();
    double const expected[] = {1e-6, n * 1e-6, (n + 1) / 2 * 1e-6};
    Combine const how[] = {Combine::root, Combine::max, Combine::mean};
    for (int i = 0; i < 3; ++i)
        for (bool const meets : {false, true}) {
            auto const timer = FakeTimer::counting(10);
            auto const loop = measure::run_each(
                comm, {.timer = timer, .meets = meets, .warm_up = 1, .iterations = 5, .combine = how[i]},
                [&] { timer.advance(1000 * (comm.rank() + 1) - 10); });
            CHECK(loop.mine.size() == 5);
            CHECK(loop.mine.front() == Approx((comm.rank() + 1) * 1e-6));
            CHECK(loop.measurement.valid == 5);
            CHECK(loop.measurement.stop_reason == "count");
            CHECK(loop.measurement.start == (meets ? "barrier" : "free"));
            if (!comm.is_root())
                continue;
            CHECK(loop.measurement.estimate->value == Approx(expected[i]));
            CHECK(loop.joined.size() == 5);
            CHECK(loop.measurement.over_ranks->max == Approx(n * 1e-6));
            CHECK(loop.measurement.ranks.size() == static_cast<std::size_t>(comm.size()));
        }
}

TEST_CASE("a body of single iterations that throws on one rank is an error on all", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    for (bool const meets : {false, true}) {
        int done = 0;
        CHECK_THROWS_AS(
            measure::run_each(comm, {.timer = FakeTimer::counting(10), .meets = meets, .warm_up = 2, .iterations = 9},
                              [&] {
                                  if (++done == 5 && comm.rank() == comm.size() - 1)
                                      throw std::runtime_error("no more paper");
                              }),
            measure::BodyError);
        CHECK(done == 11);
    }
}

TEST_CASE("an iteration that fails on one rank does not count on any rank", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    int done = 0;
    auto const loop =
        measure::run_each(comm, {.timer = FakeTimer::counting(10), .iterations = 3, .combine = Combine::mean},
                          [&] { return ++done != 2 || comm.rank() != comm.size() - 1; });
    CHECK(std::isnan(loop.mine[1]) == (comm.rank() == comm.size() - 1));
    CHECK(loop.measurement.valid == 2);
    CHECK(loop.measurement.invalid.failed == 1);
    if (comm.is_root())
        CHECK(std::isnan(loop.joined[1]));
}
