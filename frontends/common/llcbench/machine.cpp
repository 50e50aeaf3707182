// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/machine.hpp"

#include "bodies/memory.hpp"
#include "bodies/topology.hpp"
#include "program/runtime/control_groups.hpp"
#include "program/runtime/stderr_line.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cctype>
#include <cstddef>
#include <ctime>
#include <filesystem>

namespace llcbench {

using measure::Bytes;

namespace {

/// The caches of the first core, smallest level first.
std::vector<Cache> caches_of_a_core() {
    bodies::Topology const topology = bodies::load_topology();
    if (topology == nullptr)
        return {};
    std::vector<Cache> found;
    for (auto const* object = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PU, 0); object != nullptr;
         object = object->parent)
        if (hwloc_obj_type_is_dcache(object->type) != 0 && object->attr->cache.size > 0)
            found.push_back({static_cast<int>(object->attr->cache.depth), static_cast<Bytes>(object->attr->cache.size),
                             static_cast<Bytes>(object->attr->cache.linesize)});
    return found;
}

std::string size_text(Bytes size) { return size > 0 ? measure::text_bytes(size) : "unknown"; }

std::string cpu(measure::Environment const& environment) {
    return environment.hosts.empty() ? "unknown" : environment.hosts.front().cpu.value_or("unknown");
}

Fields of_timer(measure::TimerInfo const& timer) {
    return {{"timer", timer.name},
            {"resolution", measure::text(timer.resolution)},
            {"overhead", measure::text(timer.overhead)}};
}

/// The date in whole seconds: "2026-01-31T12:00:00Z".
std::string date(std::string const& started) { return started.substr(0, started.find_first_of(".Z")) + "Z"; }

}  // namespace

Bytes Machine::last_level_cache() const noexcept { return caches.empty() ? bodies::unknown_cache : caches.back().size; }

Machine machine() {
    Machine result;
    if (utsname name{}; uname(&name) == 0) {
        std::string const host = name.nodename;
        result.os = name.sysname;
        result.host = host.substr(0, host.find('.'));
        result.arch = name.machine;
        result.kernel = name.release;
    }
    result.caches = caches_of_a_core();
    auto const memory = program::process_memory();
    result.memory = memory.total;
    result.available = memory.available;
    return result;
}

std::string text(std::vector<Cache> const& caches) {
    std::vector<std::string> parts;
    for (Cache const& cache : caches)
        parts.push_back(fmt::format("L{}:{}:{}", cache.level, cache.size, cache.line));
    return parts.empty() ? "unknown" : fmt::format("{}", fmt::join(parts, ","));
}

measure::Value value(std::vector<Cache> const& caches) {
    measure::Value::Array list;
    for (Cache const& cache : caches)
        list.emplace_back(measure::Value::Object{{"level", cache.level}, {"size", cache.size}, {"line", cache.line}});
    return list;
}

std::vector<Fields> head(Machine const& machine, measure::Environment const& environment) {
    Fields place{{"host", machine.host}, {"os", machine.os}, {"arch", machine.arch}, {"cpu", cpu(environment)}};
    if (environment.mpi_library)
        place.emplace_back("mpi", *environment.mpi_library);
    Fields clock = of_timer(environment.timer);
    clock.emplace_back("date", date(environment.started));
    return {place,
            {{"caches", text(machine.caches)}, {"memory", size_text(machine.memory)}, {"kernel", machine.kernel}},
            {{"compiler", environment.compiler}},
            clock};
}

std::string info(Machine const& machine, measure::Environment const& environment, Fields const& more) {
    Fields all{{"host", machine.host},
               {"os", machine.os},
               {"arch", machine.arch},
               {"cpu", cpu(environment)},
               {"cores", fmt::format("{}", environment.hosts.empty() ? 1 : environment.hosts.front().cores)}};
    for (Cache const& cache : machine.caches)
        all.emplace_back(fmt::format("cache L{}", cache.level),
                         fmt::format("{}, lines of {} bytes", size_text(cache.size), cache.line));
    all.insert(all.end(),
               {{"memory", size_text(machine.memory)}, {"kernel", machine.kernel}, {"compiler", environment.compiler}});
    if (environment.mpi_library)
        all.emplace_back("mpi", *environment.mpi_library);
    Fields const clock = of_timer(environment.timer);
    all.insert(all.end(), clock.begin(), clock.end());
    all.emplace_back("date", date(environment.started));
    all.emplace_back("command", program::printable(fmt::format("{}", fmt::join(environment.command, " "))));
    all.insert(all.end(), more.begin(), more.end());
    std::string result;
    for (auto const& [key, entry] : all)
        result += fmt::format("{}: {}\n", key, entry);
    return result;
}

std::string stamp_now() { return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::time(nullptr))); }

namespace {

/// The position of "-HOST" as a separate word.
std::size_t host_in(std::string const& name, std::string_view host) {
    auto const wanted = fmt::format("-{}", host);
    auto at = host.empty() ? std::string::npos : name.find(wanted);
    while (at != std::string::npos && at + wanted.size() < name.size() &&
           std::isalnum(static_cast<unsigned char>(name[at + wanted.size()])) != 0)
        at = name.find(wanted, at + 1);
    return at;
}

}  // namespace

std::string stamped(std::string const& path, std::string_view host, std::string_view stamp) {
    std::filesystem::path const given{path};
    std::string const name = given.filename().string();
    auto const at = host_in(name, host);
    auto const dot = name.find_last_of('.');
    auto const place = at != std::string::npos                ? at + 1 + host.size()
                       : dot == std::string::npos || dot == 0 ? name.size()
                                                              : dot;
    auto const with = [&](std::string const& more) {
        return (given.parent_path() / fmt::format("{}-{}{}{}", name.substr(0, place), stamp, more, name.substr(place)))
            .string();
    };
    std::string result = with("");
    for (int i = 2; std::filesystem::exists(result); ++i)
        result = with(fmt::format("-{}", i));
    return result;
}

std::string beside(std::string const& path, std::string const& extension) {
    return std::filesystem::path{path}.replace_extension(extension).string();
}

}  // namespace llcbench
