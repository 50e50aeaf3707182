// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: all tests, element types, flavours and instruction sets.
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
    std::string_view name;  ///< name in options, files and records
    Work work;
    bool tuned;
    std::string_view title;  ///< title of the table on a terminal; "{}" is replaced by the element type
    std::string_view text;   ///< one-line description
};
[[nodiscard]] std::span<Test const> tests() noexcept;
[[nodiscard]] Test const& test(std::string_view name);  ///< \throws std::out_of_range

/// Number of vectors of a test, all of the same size: 3 for a triad (x, y and z).
[[nodiscard]] int vectors(Test const& test) noexcept;
/// Whether a test calls the C library and so works on bytes instead of elements.
[[nodiscard]] bool is_call(Test const& test) noexcept;

struct Type {
    std::string_view name;
    Element element;
    measure::Bytes width;
};
[[nodiscard]] std::span<Type const> types() noexcept;
[[nodiscard]] Type const& type(std::string_view name);  ///< \throws std::out_of_range

/// A way to compile the untuned loops.
struct Flavour {
    std::string_view name;
    LoopTable const* loops;  ///< null: taken from an instruction set
    std::string_view text;
};
[[nodiscard]] std::span<Flavour const> flavours() noexcept;
[[nodiscard]] Flavour const& flavour(std::string_view name);  ///< \throws std::out_of_range

/// An instruction set for explicit vectors.
struct Isa {
    std::string_view name;
    LoopTable const* loops;  ///< null if this CPU cannot run them
};
/// All instruction sets that the program knows on any machine, in order of increasing width.
[[nodiscard]] std::span<Isa const> isas() noexcept;
/// The instruction sets that this CPU supports.
[[nodiscard]] std::vector<Isa> usable_isas();
/// \param name  "auto": the widest instruction set of this CPU
/// \throws measure::UsageError if the CPU does not support it; the text lists the supported ones
[[nodiscard]] Isa const& isa(std::string_view name);

/// The names of all entries of a list.
template <class Entry>
[[nodiscard]] std::vector<std::string> names(std::span<Entry const> entries) {
    std::vector<std::string> result;
    for (Entry const& entry : entries)
        result.emplace_back(entry.name);
    return result;
}

/// A kernel and its properties for the head of the results.
struct Chosen {
    Kernel kernel;
    std::string_view flags;  ///< compiler flags
    bool reassociates;
    bool increments;  ///< the written value increases from store to store
};
/// Selects the kernel of a test.
/// \param loops  loops of the flavour or instruction set; ignored by tuned tests, which have their own
[[nodiscard]] Chosen choose(Test const& test, Type const& type, LoopTable const& loops);

}  // namespace cachebench
