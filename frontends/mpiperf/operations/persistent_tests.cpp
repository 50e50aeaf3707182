// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/persistent_tests.hpp"

#include "bodies/persistent.hpp"
#include "bodies/persistent_trial.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace mpiperf {

namespace {

/// The reason why a point cannot be measured; "" if it can. Collective over the team.
std::string const& obstacle(bodies::PersistentTrials& trials, Test const& test, Setting const& setting,
                            measure::Comm const& team, measure::Point const& at) {
    return trials.obstacle(team, test.name, at.text(), [&](measure::Comm const& comm) -> bodies::PersistentCall {
        auto const load = std::make_shared<Load const>(test.collective->shape, test.name, layout_at(at),
                                                       at.integer("count"), comm.size(), bodies::CountLimits{});
        auto data = collective_data(*test.collective, comm, {setting.root.rank}, *load);
        auto policy = setting.memory.policy;
        policy.blocks = 1;
        auto buffers = agreed_buffers(comm, policy, data.sizes);
        return {.of = *test.collective,
                .arguments = bodies::arguments(test.collective->shape, comm, load->count(), load->convention()),
                .data = std::move(data),
                .buffers = std::move(buffers),
                .keeps = load};
    });
}

/// State of a test during its measurement.
struct PersistentPoints {
    bodies::PersistentTrials trials{};
    ByPoint<std::pair<double, int>> setups{};  ///< total time in seconds and number of setups
};

/// A persistent operation with shared ownership.
struct Shared {
    std::shared_ptr<bodies::Persistent> operation;
    bool operator()() const noexcept { return (*operation)(); }
    void ready(measure::Iteration it) const { operation->prepare(it); }
    [[nodiscard]] bool execute(measure::Iteration) const noexcept { return (*operation)(); }
    [[nodiscard]] bodies::Buffers const& memory() const noexcept { return operation->memory(); }
};

}  // namespace

void build_persistent(Test const& test, Setting const& setting, measure::Benchmark& row) {
    auto const known = std::make_shared<PersistentPoints>();
    then(row, [known](measure::Record& record) {
        if (auto const* const setups = known->setups.find(record.at); setups != nullptr)
            record.derived["init"] = setups->first / setups->second;
    });
    row.make = maker(setting, [&test, &setting, known](measure::Comm const& team, measure::Point const& at) {
        if (auto const& text = obstacle(known->trials, test, setting, team, at); !text.empty()) {
            setting.warn(text);
            throw measure::SkipPoint(text);
        }
        bodies::Collective const& of = *test.collective;
        Load load{of.shape, test.name, layout_at(at), at.integer("count"), team.size(), {}};
        auto data = collective_data(of, team, setting.root, load);
        auto arguments = bodies::arguments(of.shape, team, load.count(), load.convention());
        auto buffers = agreed_buffers(team, place(setting, team, at, data.sizes), data.sizes);

        std::shared_ptr<bodies::Persistent> body;
        team.barrier();
        auto const taken = setting.timer.visit([&](auto const& timer) {
            auto const begin = timer.now();
            body = std::make_shared<bodies::Persistent>(of, std::move(arguments), std::move(buffers), setting.root);
            return std::max(measure::seconds{0}, timer.between(begin, timer.now()));
        });
        auto& [total, setups] = known->setups[at];
        total += team.max(taken.count());
        ++setups;
        return measure::op(Verified{Shared{body}, std::move(load.type), std::move(data)})
            .prepare([body](measure::Iteration it) { body->prepare(it); });
    });
}

}  // namespace mpiperf
