// SPDX-License-Identifier: BSD-3-Clause
#include "persistent_tests.hpp"

#include <measure/comm.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <memory>
#include <new>
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

}  // namespace

measure::SweepResult measure_persistent(Job const& given, bodies::Shape const& shape, bodies::PersistentInit init) {
    double total = 0;  // of the setups of a point
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
        auto const count = at.integer("count");
        auto const sizes = bodies::sizes(shape, count, team.rank(), team.size(), job.root);
        auto arguments = bodies::arguments(shape, team, count);
        auto buffers = agreed_buffers(team, place(job, team, sizes), sizes);

        std::shared_ptr<bodies::Persistent> body;
        team.barrier();
        auto const taken = job.plan.timer.visit([&](auto const& timer) {
            auto const begin = timer.now();
            body = std::make_shared<bodies::Persistent>(init, std::move(arguments), std::move(buffers), job.root);
            return timer.between(begin, timer.now());
        });
        total += team.max(taken.count());
        ++setups;
        return measure::op([body] { return (*body)(); }).prepare([body](measure::Iteration it) { body->prepare(it); });
    });
}

#endif

}  // namespace mpiperf
