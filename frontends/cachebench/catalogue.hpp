// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: the tests, element types and flavours that there are.
#pragma once

#include "kernels/kernels.hpp"

#include <measure/units.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cachebench {

enum class Work { read, write, modify, set, copy, latency };

struct Test {
    std::string_view name;  ///< in options, files and records
    Work work;
    bool tuned;
    std::string_view title;  ///< of the table on a terminal; "{}" stands for the element type
    std::string_view text;   ///< one line
};
[[nodiscard]] std::span<Test const> tests() noexcept;
[[nodiscard]] Test const& test(std::string_view name);  ///< \throws std::out_of_range

struct Type {
    std::string_view name;
    Element element;
    measure::Bytes width;
};
[[nodiscard]] std::span<Type const> types() noexcept;
[[nodiscard]] Type const& type(std::string_view name);  ///< \throws std::out_of_range

/// What the compiler may do to the untuned loops.
struct Flavour {
    std::string_view name;
    LoopTable const* loops;
    std::string_view text;
};
[[nodiscard]] std::span<Flavour const> flavours() noexcept;
[[nodiscard]] Flavour const& flavour(std::string_view name);  ///< \throws std::out_of_range

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
};
[[nodiscard]] Chosen choose(Test const& test, Type const& type, Flavour const& flavour);

}  // namespace cachebench
