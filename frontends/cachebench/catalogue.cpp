// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace cachebench {

namespace {

constexpr std::array all_tests{
    Test{"read", Work::read, false, "{} Read", "sum += x[i]"},
    Test{"write", Work::write, false, "{} Write", "x[i] = value"},
    Test{"rmw", Work::modify, false, "{} RMW", "x[i] = x[i] + 1"},
    Test{"handread", Work::read, true, "Tuned {} Read", "read, unrolled by eight"},
    Test{"handwrite", Work::write, true, "Tuned {} Write", "write, unrolled by eight"},
    Test{"handrmw", Work::modify, true, "Tuned {} RMW", "rmw, unrolled by eight"},
    Test{"memset", Work::set, false, "Memory Set Library", "memset of the C library"},
    Test{"memcpy", Work::copy, false, "Memory Copy Library", "memcpy of the C library"},
    Test{"latency", Work::latency, false, "Random Read Latency", "loads that wait for each other, in random order"},
};

constexpr std::array all_types{
    Type{"double", Element::float64, 8}, Type{"float", Element::float32, 4}, Type{"int", Element::int32, 4},
    Type{"char", Element::int8, 1},      Type{"int64", Element::int64, 8},
};

std::array const all_flavours{
    Flavour{"user", &user::table, "-O2 and the flags that the project was configured with"},
    Flavour{"O3native", &native::table, "-O3 for this machine, without fast-math"},
    Flavour{"noopt", &noopt::table, "without optimisation"},
    Flavour{"free", &free_hand::table, "as user, and loops may become calls of memset and memcpy"},
};

template <class Entries>
auto const& find(Entries const& entries, std::string_view name) {
    auto const found = std::find_if(entries.begin(), entries.end(), [&](auto const& e) { return e.name == name; });
    if (found == entries.end())
        throw std::out_of_range(fmt::format("'{}' is not in the catalogue", name));
    return *found;
}

Kernel of_work(Loops const& loops, Work work) {
    return work == Work::read ? loops.read : work == Work::write ? loops.write : loops.modify;
}

}  // namespace

std::span<Test const> tests() noexcept { return all_tests; }
std::span<Type const> types() noexcept { return all_types; }
std::span<Flavour const> flavours() noexcept { return all_flavours; }
Test const& test(std::string_view name) { return find(all_tests, name); }
Type const& type(std::string_view name) { return find(all_types, name); }
Flavour const& flavour(std::string_view name) { return find(all_flavours, name); }

Chosen choose(Test const& test, Type const& type, Flavour const& flavour) {
    switch (test.work) {
    case Work::set:
        return {set_memory, "none of the loop: the C library's code", false};
    case Work::copy:
        return {copy_memory, "none of the loop: the C library's code", false};
    case Work::latency:
        return {chase, "-O2", false};
    case Work::read:
    case Work::write:
    case Work::modify:
        break;
    }
    LoopTable const& table = test.tuned ? tuned::table : *flavour.loops;
    return {of_work(table.loops[static_cast<std::size_t>(type.element)], test.work), table.flags, table.reassociates};
}

}  // namespace cachebench
