// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/catalogue.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

namespace cachebench {

namespace {

constexpr std::array all_tests {
    Test{"read", Work::read, false, "{} Read", "sum += x[i]"},
        Test{"write", Work::write, false, "{} Write", "x[i] = register++"},
        Test{"rmw", Work::modify, false, "{} RMW", "x[i] = x[i] + 1"},
        Test{"handread", Work::read, true, "Tuned {} Read", "read, unrolled by eight"},
        Test{"handwrite", Work::write, true, "Tuned {} Write", "write, unrolled by eight"},
        Test{"handrmw", Work::modify, true, "Tuned {} RMW", "rmw, unrolled by eight"},
        Test{"memset", Work::memory_set, false, "Memory Set Library", "memset of the C library"},
        Test{"memcpy", Work::memory_copy, false, "Memory Copy Library", "memcpy of the C library"},
        Test{"latency", Work::latency, false, "Random Read Latency", "dependent loads in random order"},
        Test{"copy", Work::copy, false, "{} Copy", "y[i] = x[i]"},
        Test{"triad", Work::triad, false, "{} Triad", "z[i] = x[i] + s * y[i]"},
#if defined(__x86_64__) || defined(__aarch64__)
        Test{"ntwrite", Work::stream, false, "{} Non-temporal Write",
             "x[i] = value, with stores that bypass the caches"},
#endif
};

constexpr std::array all_types{
    Type{"double", Element::float64, 8}, Type{"float", Element::float32, 4}, Type{"int", Element::int32, 4},
    Type{"char", Element::int8, 1},      Type{"int64", Element::int64, 8},
};

std::array const all_flavours{
    Flavour{"user", &user::table, "-O2 and the flags that the project was configured with"},
    Flavour{"O3native", &native::table, "-O3 for this machine, without fast-math"},
    Flavour{"noopt", &noopt::table, "without optimisation"},
    Flavour{"free", &free_hand::table, "like user, but loops may become calls of memset and memcpy"},
    Flavour{"vector", nullptr, "explicit vectors of an instruction set"},
};

// The CPU is queried at run time. AVX-512 must include the operations on bytes (BW), which the char type needs.
std::array const all_isas {
    Isa{"scalar", &scalar::table},
#if defined(__x86_64__)
        Isa{"sse2", &sse2::table}, Isa{"avx2", __builtin_cpu_supports("avx2") != 0 ? &avx2::table : nullptr},
        Isa{"avx512", __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 ? &avx512::table
                                                                                                        : nullptr},
        Isa{"neon", nullptr},
#else
        Isa{"sse2", nullptr}, Isa{"avx2", nullptr}, Isa{"avx512", nullptr},
#if defined(__aarch64__)
        Isa{"neon", &neon::table},
#else
        Isa{"neon", nullptr},
#endif
#endif
};

template <class Entries>
auto const& find(Entries const& entries, std::string_view name) {
    auto const found = std::find_if(entries.begin(), entries.end(), [&](auto const& e) { return e.name == name; });
    if (found == entries.end())
        throw std::out_of_range(fmt::format("'{}' is not in the catalogue", name));
    return *found;
}

Kernel of_work(Loops const& loops, Work work) {
    switch (work) {
    case Work::read:
        return loops.read;
    case Work::write:
        return loops.write;
    case Work::stream:
        return loops.stream;
    case Work::copy:
        return loops.copy;
    case Work::triad:
        return loops.triad;
    case Work::memory_set:
        return set_memory;
    case Work::memory_copy:
        return copy_memory;
    case Work::latency:
        return chase;
    case Work::modify:
        break;
    }
    return loops.modify;
}

}  // namespace

std::span<Test const> tests() noexcept { return all_tests; }
std::span<Type const> types() noexcept { return all_types; }
std::span<Flavour const> flavours() noexcept { return all_flavours; }
Test const& test(std::string_view name) { return find(all_tests, name); }
Type const& type(std::string_view name) { return find(all_types, name); }
Flavour const& flavour(std::string_view name) { return find(all_flavours, name); }

std::span<Isa const> isas() noexcept { return all_isas; }

std::vector<Isa> usable_isas() {
    std::vector<Isa> usable;
    std::copy_if(all_isas.begin(), all_isas.end(), std::back_inserter(usable),
                 [](Isa const& i) { return i.loops != nullptr; });
    return usable;
}

Isa const& isa(std::string_view name) {
    auto const usable = usable_isas();
    auto const& wanted = find(all_isas, name == "auto" ? usable.back().name : name);
    if (wanted.loops == nullptr)
        throw measure::UsageError(fmt::format("--isa: this CPU does not support {}; it supports {}", name,
                                              fmt::join(names(std::span<Isa const>{usable}), ", ")));
    return wanted;
}

int vectors(Test const& test) noexcept {
    if (test.work == Work::triad)
        return 3;
    return test.work == Work::copy || test.work == Work::memory_copy ? 2 : 1;
}

bool is_call(Test const& test) noexcept { return test.work == Work::memory_set || test.work == Work::memory_copy; }

Chosen choose(Test const& test, Type const& type, LoopTable const& loops) {
    LoopTable const& table = test.tuned ? tuned::table : loops;
    auto const kernel = of_work(table.loops[static_cast<std::size_t>(type.element)], test.work);
    if (is_call(test))
        return {kernel, "not applicable: code of the C library", false, false};
    if (test.work == Work::latency)
        return {kernel, "-O2", false, false};
    return {kernel, table.flags, table.reassociates, table.increments && test.work == Work::write};
}

}  // namespace cachebench
