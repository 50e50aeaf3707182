// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/default_suite.hpp"

#include "program/cli/values.hpp"

#include <fmt/format.h>

#include <utility>

namespace skampi {
namespace {

/// A name that varies the processes also gives the message length.
grammar::Block block_of(std::string name) {
    grammar::Block block{.name = std::move(name)};
    for (auto const& [suffix, bytes] : {std::pair{"-nodes-short", "256"}, {"-nodes-long", "65536"}})
        if (block.name.ends_with(suffix))
            block.entries.push_back(
                {.key = "Default_Message_Length", .values = {{.kind = grammar::Value::Kind::number, .text = bytes}}});
    return block;
}

}  // namespace

std::vector<std::string> default_names(Routine const& routine) {
    std::vector<std::string> names;
    if (!routine.defaults.empty())
        for (auto const& suffix : program::split(routine.defaults, ' '))
            names.push_back(fmt::format("{}{}", routine.id, suffix == "-" ? "" : suffix));
    return names;
}

std::vector<grammar::Block> default_blocks() {
    std::vector<grammar::Block> blocks;
    for (Routine const& routine : routines())
        for (auto& name : default_names(routine))
            blocks.push_back(block_of(std::move(name)));
    return blocks;
}

}  // namespace skampi
