// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/output_header.hpp"

#include "skampi/output/number.hpp"

#include <measure/timer.hpp>

#include <fmt/format.h>
#include <mpi.h>
#include <sys/utsname.h>

#include <algorithm>

namespace skampi {
namespace {

std::string or_else(std::string const& given, std::string found) { return given.empty() ? std::move(found) : given; }

std::string operating_system(Globals const& globals) {
    utsname system{};
    ::uname(&system);
    return or_else(globals.os_name, system.sysname) + ' ' + or_else(globals.os_version, system.release);
}

std::string mpi_library(Globals const& globals, measure::Environment const& environment) {
    if (globals.mpi_library.empty() && globals.mpi_version.empty())
        return environment.mpi_library.value_or("");
    return or_else(globals.mpi_library, environment.mpi_library.value_or("")) + ' ' + globals.mpi_version;
}

std::string partner_text(Partner const& partner) {
    return fmt::format("{} {:.4f} {}", partner.rank, partner.latency.count() * microseconds_per_second, partner.host);
}

char const* wtime_is_global() {
    int* value = nullptr;
    int known = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &known);
    return known != 0 && *value != 0 ? "yes" : "no";
}

}  // namespace

std::vector<Field> output_header(Globals const& globals, HeaderFacts const& facts) {
    auto const& environment = facts.environment;
    std::vector<Field> fields{
        {"VERSION", fmt::format("skampi {}", environment.version)},
        {"DATE", facts.run.date},
        {"MACHINE", or_else(globals.machine, facts.hosts.empty() ? "" : facts.hosts.front())},
        {"NODE", globals.node},
        {"NETWORK", globals.network},
        {"USER", globals.user},
        {"MPILIB", mpi_library(globals, environment)},
        {"MPI_STANDARD", environment.mpi_standard},
        {"OS", operating_system(globals)},
        {"COMPILER", environment.compiler},
        {"PROCS", fmt::format("{}", environment.ranks)},
    };
    for (std::size_t rank = 0; rank < facts.hosts.size(); ++rank)
        fields.push_back({"HOSTS", fmt::format("{} {}", rank, facts.hosts[rank])});
    auto const& timer = environment.timer;
    fields.insert(fields.end(),
                  {{"TIMER", timer.name},
                   {"WTICK_US", fmt::format("{:.4f} (measured {:.4f})", timer.nominal.count() * microseconds_per_second,
                                            timer.resolution.count() * microseconds_per_second)},
                   {"WTIME_IS_GLOBAL", wtime_is_global()},
                   {"SYNC", std::string{name(globals.sync)}},
                   {"EPS", fmt::format("{}", globals.standard_error)},
                   {"REPETITIONS", fmt::format("{} {}", globals.min_repetition, globals.max_repetition)},
                   {"CUT", fmt::format("{}", globals.cut)},
                   {"MEMORY", fmt::format("{}", globals.memory)}});
    if (facts.partners.farthest.rank > 0) {
        fields.push_back({"PARTNER", partner_text(globals.partner == PartnerChoice::max ? facts.partners.farthest
                                                                                        : facts.partners.nearest)});
        fields.push_back({"FARTHEST", partner_text(facts.partners.farthest)});
        fields.push_back({"NEAREST", partner_text(facts.partners.nearest)});
    }
    fields.push_back({"RUN_ID", facts.run.id});
    fields.push_back({"CONFIG_HASH", facts.run.configuration});
    if (environment.oversubscribed)
        fields.push_back({"OVERSUBSCRIBED", "more processes than processing units: times include waiting for a core"});
    if (!facts.cost_model.empty())
        fields.push_back({"COST_MODEL", facts.cost_model});
    for (auto const& [name, value] : facts.hooks)
        fields.push_back({"TEST_HOOK", fmt::format("{}={}", name, value)});
    for (auto const& comment : globals.comments)
        fields.push_back({"COMMENT", comment});
    return fields;
}

std::vector<Field> block_keys(Task const& task, std::int64_t first, std::int64_t last) {
    Routine const& routine = *task.routine;
    bool const varies = task.variation != Variation::none;
    bool const pair = is_pair(routine);
    std::vector<Field> keys;
    auto const add = [&](bool applies, char const* key, std::string value) {
        if (applies)
            keys.push_back({key, std::move(value)});
    };
    auto const limit = [](std::optional<measure::seconds> const& time, double unit, char const* text) {
        return time ? fmt::format("{} {}", time->count() / unit, text) : std::string{"disabled"};
    };
    constexpr double minute = 60;
    add(true, "pattern", std::string{name(routine.pattern)});
    add(true, "type", std::string{routine.id});
    add(true, "variation", std::string{name(task.variation)});
    add(varies, "scale", std::string{name(task.scale)});
    add(varies, "range", fmt::format("{} - {}", first, last));
    add(varies, "stepwidth", fmt::format("{} (multiple of {})", task.step, task.multiple_of));
    add(task.variation != Variation::nodes, "nodes",
        fmt::format("{}", pair                                 ? 2
                          : routine.pattern == Pattern::simple ? 1
                                                               : task.nodes));
    add(task.variation != Variation::length && routine.has_length(), "message_length", fmt::format("{}", task.length));
    add(task.variation != Variation::chunks && routine.pattern == Pattern::master_worker, "chunks",
        fmt::format("{}", task.chunks));
    add(routine.has_length(), "datatype", std::string{task.datatype->name});
    add(task.op != nullptr, "op", task.op != nullptr ? std::string{task.op->name} : "");
    add(routine.rooted, "root", fmt::format("{}", task.root));
    add(is_group(routine), "sync", std::string{name(task.sync)});
    add(pair, "partner", std::string{name(task.partner)});
    add(true, "standard_error", fmt::format("{}", task.standard_error));
    add(true, "repetitions", fmt::format("{} {}", task.min_repetition, task.max_repetition));
    add(true, "cut", fmt::format("{}", task.cut));
    add(varies, "max_steps", fmt::format("{}", task.max_steps));
    add(varies && is_dynamic(task.scale), "min_distance", fmt::format("{}", task.min_distance));
    add(varies && is_dynamic(task.scale), "noise_guard", task.noise_guard ? "yes" : "no");
    add(true, "time_measurement", limit(task.time_measurement, 1, "s"));
    add(true, "time_suite", limit(task.time_suite, minute, "min"));
    return keys;
}

}  // namespace skampi
