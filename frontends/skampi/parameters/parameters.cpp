// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/parameters.hpp"

#include "skampi/parameters/default_suite.hpp"
#include "skampi/parameters/keys.hpp"

#include <algorithm>
#include <fnmatch.h>

namespace skampi {
namespace {

bool matches(std::vector<std::string> const& patterns, std::string const& name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](std::string const& pattern) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

void apply(Filter const& filter, std::vector<Task>& tasks) {
    std::erase_if(tasks, [&](Task const& task) {
        return (!filter.only.empty() && !matches(filter.only, task.name)) || matches(filter.skip, task.name);
    });
    if (tasks.empty())
        throw measure::UsageError("--only, --skip: no measurement matches the selection");
}

}  // namespace

Setup parameters(std::string_view text, std::string const& path, int processes, Filter const& filter) {
    grammar::Document document = grammar::parse(text, path, {.block_sections = {"MEASUREMENTS"}});
    keys::Faults faults{path, std::move(document.faults)};
    keys::Sheet sheet = keys::read_globals(document.headers, faults);
    auto const* const section = document.section("MEASUREMENTS");
    bool const has_blocks = section != nullptr && !section->blocks.empty();
    std::vector<Task> tasks;
    for (auto const& block : has_blocks ? section->blocks : default_blocks())
        if (auto task = keys::read_task(block, sheet, processes, faults))
            tasks.push_back(*std::move(task));
    faults.raise();
    apply(filter, tasks);
    return {std::move(sheet.globals), std::move(tasks)};
}

}  // namespace skampi
