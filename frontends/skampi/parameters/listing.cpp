// SPDX-License-Identifier: BSD-3-Clause
/// Texts about setups and routines, for readers and as input of a hash.
#include "skampi/parameters/default_suite.hpp"
#include "skampi/parameters/parameters.hpp"

#include <measure/journal.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace skampi {
namespace {

std::string listed(std::optional<measure::seconds> limit) { return limit ? fmt::format("{}", limit->count()) : "-"; }

std::string listed(Globals const& g) {
    return fmt::format("node {}\nnetwork {}\nuser {}\nmachine {}\nmpi {}\nmpi_version {}\nos {}\nos_version {}\n"
                       "memory {}\nstandard_error {}\nrepetitions {} {}\ncut {}\nmax_node_times {}\nsync {}\n"
                       "timer {}\npartner {}\ncost_model {}\n",
                       g.node, g.network, g.user, g.machine, g.mpi_library, g.mpi_version, g.os_name, g.os_version,
                       g.memory, g.standard_error, g.min_repetition, g.max_repetition, g.cut, g.max_node_times,
                       name(g.sync), g.timer, name(g.partner), g.cost_model);
}

std::string listed(Task const& t) {
    return fmt::format("measurement {} {} {} {} start {} end {} step {} multiple_of {} max_steps {} min_distance {} "
                       "standard_error {} noise_guard {} repetitions {} {} cut {} time_measurement {} time_suite {} "
                       "node_times {} length {} nodes {} chunks {} datatype {} op {} root {} sync {} partner {} "
                       "skip {}\n",
                       t.name, t.routine->id, name(t.variation), name(t.scale), t.start, t.end, t.step, t.multiple_of,
                       t.max_steps, t.min_distance, t.standard_error, t.noise_guard, t.min_repetition, t.max_repetition,
                       t.cut, listed(t.time_measurement), listed(t.time_suite), t.node_times, t.length, t.nodes,
                       t.chunks, t.datatype->name, t.op != nullptr ? t.op->name : "-", t.root, name(t.sync),
                       name(t.partner), t.skip);
}

/// The varied parameter and its range.
std::string range_text(Task const& t) {
    if (t.variation == Variation::none)
        return "one point";
    return fmt::format("{} {}..{} {} step {} multiple {}", name(t.variation), t.start, t.end, name(t.scale), t.step,
                       t.multiple_of);
}

/// The synchronisation of a group or the partner of a pair, otherwise an empty text.
std::string together_text(Task const& t) {
    if (is_group(*t.routine))
        return fmt::format(", sync {}", name(t.sync));
    return is_pair(*t.routine) ? fmt::format(", partner {}", name(t.partner)) : "";
}

std::size_t widest(std::vector<std::string> const& names) {
    std::size_t width = 0;
    for (auto const& name : names)
        width = std::max(width, name.size());
    return width;
}

}  // namespace

std::string resolved_text(Setup const& setup) {
    std::string text = listed(setup.globals);
    for (Task const& task : setup.tasks)
        text += listed(task);
    return text;
}

std::string config_hash(Setup const& setup) { return measure::fingerprint(resolved_text(setup)); }

std::string check_text(Setup const& setup) {
    std::vector<std::string> names;
    for (Task const& task : setup.tasks)
        names.push_back(task.name);
    std::size_t const width = widest(names);
    std::string text;
    for (Task const& t : setup.tasks) {
        text += fmt::format("{:<{}}  {} {}: ", t.name, width, name(t.routine->pattern), t.routine->id);
        if (t.skip.empty())
            text += fmt::format("{}, repetitions {}..{}, epsilon {}{}\n", range_text(t), t.min_repetition,
                                t.max_repetition, t.standard_error, together_text(t));
        else
            text += fmt::format("skipped: {}\n", t.skip);
    }
    return text;
}

std::string routines_text() {
    std::vector<std::string> ids;
    for (Routine const& routine : routines())
        ids.emplace_back(routine.id);
    std::size_t const width = widest(ids);
    std::string text;
    for (Routine const& r : routines()) {
        text += fmt::format("{:<{}}  {:<14}  {:<3}  {:<5} ", r.id, width, name(r.pattern), r.variations, r.origin);
        for (auto const& measurement : default_names(r))
            text += ' ' + measurement;
        text += r.defaults.empty() ? " -\n" : "\n";
    }
    return text;
}

}  // namespace skampi
