// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: the tests, element types, flavours and instruction sets that there are.
#pragma once

#include "cachebench/kernels/kernels.hpp"

#include <measure/units.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cachebench {

enum class Work { read, write, modify, stream, copy, triad, memory_set, memory_copy, latency };

struct Test {
    std::string_view name;  ///< in options, files and records
    Work work;
    bool tuned;
    std::string_view title;  ///< of the table on a terminal; "{}" stands for the element type
    std::string_view text;   ///< one line
};
[[nodiscard]] std::span<Test const> tests() noexcept;
[[nodiscard]] Test const& test(std::string_view name);  ///< \throws std::out_of_range

/// Vectors that a test has, all of one size: x, y and z of a triad.
[[nodiscard]] int vectors(Test const& test) noexcept;
/// Whether a test's work is bytes of the C library's, not elements.
[[nodiscard]] bool is_call(Test const& test) noexcept;

struct Type {
    std::string_view name;
    Element element;
    measure::Bytes width;
};
[[nodiscard]] std::span<Type const> types() noexcept;
[[nodiscard]] Type const& type(std::string_view name);  ///< \throws std::out_of_range

/// What the untuned loops are made of.
struct Flavour {
    std::string_view name;
    LoopTable const* loops;  ///< null: those of an instruction set
    std::string_view text;
};
[[nodiscard]] std::span<Flavour const> flavours() noexcept;
[[nodiscard]] Flavour const& flavour(std::string_view name);  ///< \throws std::out_of_range

/// An instruction set for explicit vectors.
struct Isa {
    std::string_view name;
    LoopTable const* loops;  ///< null where this CPU cannot run them
};
/// All that the program knows on any machine, wider ones later.
[[nodiscard]] std::span<Isa const> isas() noexcept;
/// Those that this CPU has.
[[nodiscard]] std::vector<Isa> usable_isas();
/// \param name  "auto": the widest that this CPU has
/// \throws measure::UsageError where the CPU lacks it, with the names of those that it has
[[nodiscard]] Isa const& isa(std::string_view name);

/// The names of a list of the catalogue.
template <class Entry>
[[nodiscard]] std::vector<std::string> names(std::span<Entry const> entries) {
    std::vector<std::string> result;
    for (Entry const& entry : entries)
        result.emplace_back(entry.name);
    return result;
}

/// A kernel and what the head of its results says of it.
struct Chosen {
    Kernel kernel;
    std::string_view flags;  ///< of the compiler
    bool reassociates;
    bool increments;  ///< what is written, from store to store
};
/// \param loops  of the flavour or of the instruction set; a tuned test has its own
[[nodiscard]] Chosen choose(Test const& test, Type const& type, LoopTable const& loops);

}  // namespace cachebench
