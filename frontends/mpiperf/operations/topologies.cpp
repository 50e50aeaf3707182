// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/topologies.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <variant>

namespace mpiperf {

namespace {

using measure::UsageError;

Topology topology_for_neighbours() { return {.text = "cart:periodic", .form = Grid{.periodic = true}}; }

void check_needs(Test const& test, Options const& o, Topology const& topology) {
    if (test.needs == Needs::grid && !std::holds_alternative<Grid>(topology.form))
        throw UsageError(fmt::format("--topology: {} needs a grid (cart:..), not {}", test.name, topology.text));
    if (test.needs == Needs::one_buffer && o.is_nosync() && (o.cold || (o.rotate_root && test.rooted)))
        throw UsageError(
            fmt::format("{}: cannot be combined with -z nosync for {}, which keeps its buffers and its root "
                        "in that loop",
                        o.cold ? "-d" : "--rotate-root", test.name));
}

}  // namespace

Topology chosen_topology(Options const& options, std::span<Test const* const> tests,
                         std::span<measure::Axis const> axes, TextOf const& text_of) {
    auto topology = options.topology ? with_file(*options.topology, text_of) : topology_for_neighbours();
    for (Test const* const test : tests)
        check_needs(*test, options, topology);
    if (!options.topology)
        return topology;
    for (auto const& n : axes.front().values)
        check_places(topology, static_cast<int>(std::get<std::int64_t>(n)));
    if (std::any_of(tests.begin(), tests.end(), [](Test const* t) { return t->kind == Kind::message; }))
        check_places(topology, 2);
    return topology;
}

Topologies::Topologies(Options const& options, Chosen const& chosen)
    : chosen_{chosen.topology}, for_all_{options.topology.has_value()}, reorder_{options.reorder} {
    auto const& tests = chosen.tests;
    if (std::any_of(tests.begin(), tests.end(), [&](Test const* t) { return topology_of(*t) != nullptr; }))
        text_ = fmt::format("{}{}, reorder {}", chosen_.text, for_all_ ? "" : " for tests that need one",
                            reorder_ ? "on" : "off");
}

Topology const* Topologies::topology_of(Test const& test) const noexcept {
    bool const needed = test.needs == Needs::neighbours || test.needs == Needs::grid;
    return for_all_ || needed ? &chosen_ : nullptr;
}

void Topologies::apply(Test const& test, measure::Benchmark& row) {
    Topology const* const topology = topology_of(test);
    if (topology == nullptr)
        return;
    // The time of a message is that of the team's first process, which must remain the sender.
    bool const reorder = reorder_ && test.kind != Kind::message;
    row.communicator = [this, topology, reorder](measure::Comm const& team, measure::Point const& at) {
        auto made = make_communicator(*topology, team, reorder);
        descriptions_[at] = describe(made, team, reorder);
        return made;
    };
    then(row, [this](measure::Record& record) {
        if (record.status != measure::PointStatus::skipped)
            record.derived["topology"] = descriptions_[record.at];
    });
}

}  // namespace mpiperf
