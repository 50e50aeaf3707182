// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/catalogue/catalogue.hpp"

#include "bodies/collectives.hpp"
#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/memory_test.hpp"
#include "mpiperf/operations/wait.hpp"
#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mpiperf {

namespace {

template <class W>
constexpr Test wait() {
    return {.name = W::name,
            .text = W::text,
            .expected = expected_wait<W>,
            .build = [](Test const&, Setting const& setting, measure::Benchmark& row) {
                row.make =
                    maker(setting, [](measure::Comm const& team, measure::Point const&) { return Wait<W>{team}; });
            }};
}

constexpr Test other_table[] = {
    {.name = memory_test,
     .text = "memory of the processes with each communicator and after each other test; -x -X are ignored"},
    wait<WaitUp>(),
    wait<WaitDown>(),
    wait<WaitNull>(),
};

std::vector<Test> all_tests() {
    std::vector<Test> all;
    auto const add = [&all](std::span<Test const> part) { all.insert(all.end(), part.begin(), part.end()); };
    using bodies::Relative;
    add(collective_tests(Relative::blocking));
    add(collective_tests(Relative::nonblocking));
    add(message_tests());
    add(stream_tests());
    add(one_sided_tests());
    add(collective_tests(Relative::persistent));
    add(collective_tests(Relative::neighbours));
    add(collective_tests(Relative::nonblocking_neighbours));
    add(topology_tests());
    add(other_table);
    add(storage_tests());
    add(control_tests());
    return all;
}

}  // namespace

std::span<Test const> tests() {
    static std::vector<Test> const all = all_tests();
    return all;
}

Test const& find_test(std::string_view name, std::span<Test const> own) {
    auto const wanted = program::lower(name);
    for (auto const& list : {tests(), own}) {
        auto const found =
            std::find_if(list.begin(), list.end(), [&](Test const& t) { return program::lower(t.name) == wanted; });
        if (found != list.end())
            return *found;
    }
    if (!bodies::have_persistent && wanted.ends_with("_init"))
        throw measure::UsageError(
            fmt::format("there is no test '{}': this MPI library has no persistent collectives (MPI 4)", name));
    std::vector<std::string> names;
    for (auto const& list : {tests(), own})
        for (auto const& test : list)
            names.emplace_back(test.name);
    auto const near = program::closest(name, names);
    throw measure::UsageError(fmt::format("there is no test '{}'{} (-q lists all tests)", name,
                                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace mpiperf
