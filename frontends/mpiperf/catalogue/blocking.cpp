// SPDX-License-Identifier: BSD-3-Clause
/// The tests that follow from the table of collectives, and the bodies of the blocking ones.
#include "bodies/collectives.hpp"
#include "bodies/semantics.hpp"
#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/neighbour_load.hpp"
#include "mpiperf/operations/nonblocking.hpp"
#include "mpiperf/operations/operations.hpp"
#include "mpiperf/operations/persistent_tests.hpp"
#include "mpiperf/operations/transfer.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <variant>

namespace mpiperf {

namespace {

using bodies::Collective;
using bodies::Functions;
using bodies::Relative;

void build_collective(Test const& test, Setting const& setting, measure::Benchmark& row) {
    std::visit(
        [&](auto const& functions) {
            row.make = maker(setting, [&](measure::Comm const& team, measure::Point const& at) {
                Collective const& of = *test.collective;
                Load load{
                    of.shape, test.name, layout_at(at), at.integer("count"), team.size(), setting.messages.limits};
                auto const sizes =
                    bodies::sizes(of.shape, load.count(), team.rank(), team.size(), setting.root, load.convention());
                auto const policy = place(setting, team, at, sizes);
                return Transfer{of, functions, team, std::move(load), policy, setting.root};
            });
        },
        test.collective->functions);
}

/// Whether any function with these arguments has a neighbourhood variant.
template <class S>
constexpr bool
    serves_neighbours = std::any_of(bodies::collectives.begin(), bodies::collectives.end(), [](Collective const& of) {
        return std::holds_alternative<Functions<S>>(of.functions) && !of.neighbours_text.empty();
    });

/// Sets up a neighbourhood collective, on communicators with a topology.
void build_neighbours(Test const& test, Setting const& setting, measure::Benchmark& row) {
    std::visit(
        [&]<class S>(Functions<S> const& functions) {
            using Body = bodies::Blocking<S, bodies::Buffers, bodies::NeighbourArguments>;
            if constexpr (serves_neighbours<S>)
                row.make = maker(setting, [&](measure::Comm const& team, measure::Point const& at) {
                    NeighbourLoad load{test.collective->shape, test.name, team, layout_at(at), at.integer("count")};
                    bodies::Buffers buffers{place(setting, team, at, load.data.sizes), load.data.sizes};
                    return Verified{Body{functions.neighbours, std::move(load.arguments), std::move(buffers)},
                                    std::move(load.type), std::move(load.data)};
                });
        },
        test.collective->functions);
}

void refuse_count(Test const& test, std::int64_t count, int processes) {
    bodies::check_counts(*test.shape, test.name, count, processes);
}

/// Checks the count for one neighbour only. The number of neighbours is known with the communicator.
void refuse_count_of_one(Test const& test, std::int64_t count, int) {
    bodies::check_counts(*test.shape, test.name, count, 1);
}

/// Sets the members in which the relatives differ.
void set_relative(Test& test, Relative relative) {
    // Blocking calls can pass large counts in other ways. `bodies::carrier` refuses counts that fit none of them.
    test.int_counts = relative != Relative::blocking;
    if (test.int_counts)
        test.refuse = refuse_count;
    switch (relative) {
    case Relative::blocking:
        test.build = build_collective;
        break;
    case Relative::nonblocking:
        test.kind = Kind::nonblocking;
        test.build = build_nonblocking;
        break;
    case Relative::persistent:
        test.needs = Needs::one_buffer;
        test.build = build_persistent;
        break;
    case Relative::neighbours:
        test.needs = Needs::neighbours;
        test.refuse = refuse_count_of_one;
        test.build = build_neighbours;
        break;
    case Relative::nonblocking_neighbours:
        test.kind = Kind::nonblocking;
        test.needs = Needs::neighbours;
        test.refuse = refuse_count_of_one;
        test.build = build_nonblocking_neighbours;
        break;
    }
}

/// Times of non-blocking tests include computing, so they have no semantics for comparison.
void set_semantics(Test& test) {
    if (test.kind == Kind::nonblocking)
        return;
    auto const of = bodies::semantics(*test.collective);
    test.operation = of.kind;
    test.size = of.size;
}

bool is_with_neighbours(Relative relative) {
    return relative == Relative::neighbours || relative == Relative::nonblocking_neighbours;
}

}  // namespace

std::vector<Test> collective_tests(Relative relative) {
    static std::deque<std::string> names;  // the tests refer to these strings
    std::vector<Test> tests;
    for (Collective const& of : bodies::collectives) {
        if (!bodies::has(of, relative))
            continue;
        Test test{.name = names.emplace_back(bodies::relative_name(of.name, relative)),
                  .text = is_with_neighbours(relative) ? of.neighbours_text : of.text,
                  .element = bodies::element_size(of.shape),
                  .rooted = bodies::is_rooted(of.content),
                  .shape = &of.shape,
                  .collective = &of};
        set_relative(test, relative);
        set_semantics(test);
        tests.push_back(test);
    }
    return tests;
}

}  // namespace mpiperf
