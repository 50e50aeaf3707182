// SPDX-License-Identifier: BSD-3-Clause
#include "persistent_tests.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <map>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace mpiperf {

#ifdef BODIES_HAVE_PERSISTENT

namespace {

/// Buffers on every rank or on none, so that no rank is left alone in the setup. Collective.
/// \throws std::bad_alloc on all ranks alike
bodies::Buffers agreed_buffers(measure::Comm const& team, bodies::BufferPolicy const& policy,
                               bodies::Sizes const& sizes) {
    std::unique_ptr<bodies::Buffers> buffers;
    try {
        buffers = std::make_unique<bodies::Buffers>(policy, sizes);
    } catch (std::bad_alloc const&) {
    }
    if (team.max(buffers ? 0 : 1) > 0)
        throw std::bad_alloc{};
    return std::move(*buffers);
}

/// Once: true where it ends well within the limit of time.
bool executes(MPI_Request& request) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds patience{2};
    int code = MPI_Start(&request);
    int done = 0;
    for (auto const begin = Clock::now(); code == MPI_SUCCESS && done == 0 && Clock::now() - begin < patience;) {
        code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0)
            std::this_thread::yield();
    }
    return code == MPI_SUCCESS && done != 0;
}

/// Whether the MPI library executes the operation twice. Libraries have failed in the second: with an error on some
/// processes, while others wait for ever, so that a run would hang. Collective.
bool executes_twice(measure::Comm const& team, CallOf const& of, bodies::PersistentInit init) {
    measure::Comm trial{team.raw()};
    measure::check(MPI_Comm_set_errhandler(trial.raw(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    auto const sizes = bodies::sizes(of.shape, 1, trial.rank(), trial.size(), {});
    auto const buffers = std::make_shared<bodies::Buffers>(bodies::BufferPolicy{}, sizes);
    MPI_Request request = MPI_REQUEST_NULL;
    measure::check(init(bodies::arguments(of.shape, trial, 1), buffers->send({}), buffers->receive({}), 0, &request),
                   "MPI_..._init");
    bool ok = true;
    for (int i = 0; i < 2 && ok; ++i)
        ok = team.max(executes(request) ? 0 : 1) <= 0;
    if (ok) {
        MPI_Request_free(&request);
    } else {
        // What is still under way cannot be freed, nor what it uses.
        static_cast<void>(new auto{std::move(trial)});
        static_cast<void>(new auto{buffers});
    }
    return ok;
}

/// A persistent operation that others share.
struct Shared {
    std::shared_ptr<bodies::Persistent> operation;
    bool operator()() const noexcept { return (*operation)(); }
    void ready(measure::Iteration it) const { operation->prepare(it); }
    [[nodiscard]] bool execute(measure::Iteration) const noexcept { return (*operation)(); }
    [[nodiscard]] bodies::Buffers const& memory() const noexcept { return operation->memory(); }
};

}  // namespace

measure::SweepResult measure_persistent(Job const& given, CallOf const& of, bodies::PersistentInit init) {
    std::map<int, bool> works;  // by the number of processes
    double total = 0;           // of the setups of a point
    int setups = 0;
    Job job = given;
    job.options.before = [&](measure::Point const& at) {
        total = setups = 0;
        given.options.before(at);
    };
    job.options.finish = [&](measure::Record& record) {
        given.options.finish(record);
        if (setups > 0)
            record.derived["init"] = total / setups;
    };
    return detail::sweep(job, [&](measure::Comm const& team, measure::Point const& at) {
        auto const tried = works.find(team.size());
        bool const ok = tried != works.end() ? tried->second : executes_twice(team, of, init);
        works[team.size()] = ok;
        if (!ok)
            throw measure::Unmeasurable(
                fmt::format("this MPI library fails in the second {} on {} processes", of.name, team.size()));
        Load load{of.shape, of.name, layout_at(at), at.integer("count"), team.size(), {}};
        auto data = collective_data(of.shape, of.content, team, job.root, load);
        auto arguments = bodies::arguments(of.shape, team, load.count(), load.convention());
        auto buffers = agreed_buffers(team, place(job, team, data.sizes), data.sizes);

        std::shared_ptr<bodies::Persistent> body;
        team.barrier();
        auto const taken = job.plan.timer.visit([&](auto const& timer) {
            auto const begin = timer.now();
            body = std::make_shared<bodies::Persistent>(init, std::move(arguments), std::move(buffers), job.root);
            return timer.between(begin, timer.now());
        });
        total += team.max(taken.count());
        ++setups;
        return measure::op(Verified{Shared{body}, std::move(load.type), std::move(data)})
            .prepare([body](measure::Iteration it) { body->prepare(it); });
    });
}

#endif

}  // namespace mpiperf
