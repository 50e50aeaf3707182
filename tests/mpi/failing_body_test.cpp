// SPDX-License-Identifier: BSD-3-Clause
// An exception on one rank ends the measurement on all ranks, with one text.
#include "measure/error.hpp"
#include "measure/run.hpp"
#include "measure/sweep.hpp"
#include "support/catch.hpp"
#include "support/gather_check.hpp"

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using measure::Comm;
using measure::Iteration;
using measure::op;
using measure::Plan;
using measure::seconds;

namespace {

// Passed to `run` in addition to the plan: instantiating the loop for every clock of the machine would compile slowly.
constexpr measure::MonotonicTimer clock_of_all;

/// Returns the text of the BodyError that a call throws, or "nothing" if it throws none.
std::string body_error(std::function<void()> const& call) {
    try {
        call();
    } catch (measure::BodyError const& e) {
        return e.what();
    }
    return "nothing";
}

/// Throws on the last rank in its n-th call.
class Fuse {
public:
    Fuse(Comm const& comm, int n) : left_{comm.rank() == comm.size() - 1 ? n : 0} {}
    void burn() {
        if (left_ > 0 && --left_ == 0)
            throw std::runtime_error("no more paper");
    }

private:
    int left_;
};

std::string last_rank_says(Comm const& comm) {
    return comm.size() > 1 ? "rank " + std::to_string(comm.size() - 1) + ": no more paper" : "no more paper";
}

Plan plan_of(measure::Start start, measure::Batch batch) {
    return {.timer = clock_of_all,
            .start = std::move(start),
            .batch = batch,
            .stop = measure::stop::Count{.valid = 1000, .at_most = 1000},
            .stage = 4};
}

}  // namespace

TEST_CASE("with every start and every batch, all ranks stop if the body of one throws", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    measure::Batch const batches[] = {measure::FixedCount{1}, measure::FixedCount{3},
                                      measure::TargetDuration{.low = seconds{1e-5}, .high = seconds{1e-3}},
                                      measure::TimeBudget{seconds{1e-4}}};
    auto const clock = measure::synchronise(comm, clock_of_all);
    measure::Start const starts[] = {measure::FreeStart{}, measure::BarrierStart{}, measure::DisseminationStart{},
                                     measure::SlotStart{.clock = clock, .resync_after = seconds{1e9}},
                                     measure::RoundTimeStart{.clock = clock, .resync_after = seconds{1e9}}};
    std::vector<std::string> texts;
    bool warm = false;  // whether it throws in the warm-up or after it, alternately
    for (auto const& start : starts) {
        warm = !warm;
        for (auto const& batch : batches) {
            Fuse fuse(comm, warm ? 13 : 2);
            warm = !warm;
            texts.push_back(body_error(
                [&] { (void)measure::run(comm, plan_of(start, batch), clock_of_all, [&] { fuse.burn(); }); }));
        }
    }
    for (auto const& text : texts)
        CHECK(text == last_rank_says(comm));
}

TEST_CASE("any part of an operation may throw, with and without phases, over several epochs", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    std::vector<std::string> texts;
    auto const attempt = [&](auto&& make) {
        Plan plan = plan_of(measure::BarrierStart{}, measure::FixedCount{1});
        plan.epochs = 2;
        Fuse fuse(comm, 9);
        texts.push_back(body_error([&] { (void)measure::run(comm, plan, clock_of_all, make(fuse)); }));
    };
    attempt([](Fuse& fuse) {
        return op([&](auto& lap) {
                   lap.mark();
                   fuse.burn();
               })
            .phases({"first", "second"});
    });
    attempt([](Fuse& fuse) { return op([] {}).prepare([&] { fuse.burn(); }); });
    attempt([](Fuse& fuse) { return op([] {}).finish([&] { fuse.burn(); }); });
    for (auto const& text : texts)
        CHECK(text == last_rank_says(comm));
}

TEST_CASE("an exception that is not a std::exception is described by a fixed text", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const text = body_error([&] {
        (void)measure::run(comm, plan_of(measure::BarrierStart{}, measure::FixedCount{1}), clock_of_all,
                           [&](Iteration it) {
                               if (comm.is_root() && it.sample == 1)
                                   throw 42;
                           });
    });
    bool const same = test::same_on_all_ranks(text);
    CHECK(same);
    CHECK(text.find("not a std::exception") != std::string::npos);

    auto plan = plan_of(measure::BarrierStart{}, measure::FixedCount{1});
    plan.stop = measure::stop::Count{.valid = 4};
    auto const m = measure::run(comm, plan, clock_of_all, op([] {}).check([&](auto&) -> std::string {
        if (comm.is_root())
            throw 42;
        return {};
    }));
    CHECK(m.data_error.find("not a std::exception") != std::string::npos);
}

TEST_CASE("if several ranks throw, the lowest is reported, and the library remains usable", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto plan = plan_of(measure::BarrierStart{}, measure::FixedCount{1});
    plan.stage = comm.size();
    auto const text = body_error([&] {
        (void)measure::run(comm, plan, clock_of_all, [&](Iteration it) {
            if (it.sample == comm.size() - 1 - comm.rank())  // the last rank first, all of them in one stage
                throw std::runtime_error("from " + std::to_string(comm.rank()));
        });
    });
    CHECK(text == (comm.size() > 1 ? "rank 0: from 0" : "from 0"));

    auto good = plan;
    good.stage = 4;
    good.stop = measure::stop::Count{.valid = 8};
    auto const m = measure::run(comm, good, clock_of_all, [] {});
    CHECK(m.valid == 8);
}

TEST_CASE("a body that throws ends a sweep on all ranks, including those outside the team", "[run]") {
    Comm const comm{MPI_COMM_WORLD};
    auto plan = plan_of(measure::BarrierStart{}, measure::FixedCount{1});
    plan.stop = measure::stop::Count{.valid = 4};
    int const team = comm.size() > 1 ? comm.size() - 1 : 1;
    int points = 0;
    struct Count {
        int* points;
        void write(measure::Record const&) { ++*points; }
    };
    auto const text = body_error([&] {
        (void)measure::sweep(
            comm, plan, {measure::values("ranks", {team}), measure::values("bytes", {1, 2, 3})},
            [](Comm const& part, measure::Point const& at) {
                return op([&part, bytes = at.bytes("bytes")] {
                    if (bytes == 2 && part.rank() == part.size() - 1)
                        throw std::runtime_error("no more paper");
                });
            },
            {}, Count{&points});
    });
    bool const same = test::same_on_all_ranks(text);
    CHECK(same);
    CHECK(text.find("no more paper") != std::string::npos);
    if (comm.is_root())
        CHECK(points == 1);
}
