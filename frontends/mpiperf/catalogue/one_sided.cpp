// SPDX-License-Identifier: BSD-3-Clause
/// The tests of remote memory access: each operation with each method of completion.
#include "bodies/rma.hpp"
#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/messages.hpp"
#include "mpiperf/operations/operations.hpp"
#include "mpiperf/operations/verification.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

namespace mpiperf {

namespace {

/// Shared ownership, because windows cannot be moved.
struct SharedAccess {
    std::shared_ptr<bodies::RemoteAccess> access;

    bool operator()(auto& lap) const { return (*access)(lap); }
    [[nodiscard]] std::string check(Checking const& how) const {
        auto const run = [&](auto&& execution) { return in_sample(how, execution); };
        auto const spoil = [&](std::byte* arrived, std::size_t size) {
            if (how.spoils && size > 0)
                *arrived ^= std::byte{1};
        };
        return access->check(run, spoil);
    }
};

}  // namespace

/// A test: an operation and a synchronisation. Its names live until the program ends.
struct OneSidedTest {
    std::string name;
    std::string text;
    bodies::RmaOperation const& operation;
    bodies::RmaSynchronisation const& synchronisation;
};

namespace {

std::deque<OneSidedTest> const& rows() {
    static std::deque<OneSidedTest> const all = [] {
        std::deque<OneSidedTest> rows;
        for (auto const& operation : bodies::rma_operations)
            for (auto const& way : bodies::rma_synchronisations)
                rows.push_back({fmt::format("{}_{}", operation.name, way.name),
                                fmt::format("{} {}, time of rank 0", operation.text, way.text), operation, way});
        return rows;
    }();
    return all;
}

void build(Test const& test, Setting const& setting, measure::Benchmark& benchmark) {
    OneSidedTest const& row = *test.one_sided;
    if (row.operation.one_element)
        benchmark.axes.push_back(measure::values("count", {1}));
    then(benchmark, message_finish(1));
    benchmark.make = maker(setting, [&row, &setting](measure::Comm const& team, measure::Point const& at) {
        auto const count = at.integer("count");
        auto const bytes = bodies::RemoteAccess::bytes(row.operation, count);
        auto const policy = place(setting, team, at, {bytes, bytes});
        return SharedAccess{
            std::make_shared<bodies::RemoteAccess>(team, row.operation, row.synchronisation, policy, count)};
    });
}

}  // namespace

std::vector<Test> one_sided_tests() {
    std::vector<Test> tests;
    for (OneSidedTest const& row : rows())
        tests.push_back({.name = row.name,
                         .text = row.text,
                         .element = row.operation.element,
                         .refuse = refuse_large,
                         .build = build,
                         .kind = Kind::message,
                         .operation = measure::OperationKind::message,
                         .one_sided = &row,
                         .checks_data = true});
    return tests;
}

}  // namespace mpiperf
