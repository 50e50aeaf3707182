// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/control_groups.hpp"

#include "analysis/core/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>

namespace program {

namespace {

using measure::Bytes;

/// Visits the folders from a group up to the root of its hierarchy. In a container the group's path may be the path on
/// the host. Missing groups do no harm then, and the root of the mount is the group of the container.
template <class Visit>
void walk(std::string const& hierarchy, std::string group, Visit const& visit) {
    for (bool last = false; !last;) {
        if (group == "/")
            group.clear();
        last = group.empty();
        visit(hierarchy + group);
        group.erase(last ? 0 : group.rfind('/'));
    }
}

/// Calls `visit` with the folder of each control group that may limit this process. In version 1 these are the groups
/// of `controller`. \return whether there are such groups
template <class Visit>
bool visit_groups(Tree const& tree, std::string const& controller, Visit const& visit) {
    bool is_seen = false;
    auto const visit_hierarchy = [&](std::string const& hierarchy, char const* sign, std::string const& group) {
        is_seen = is_seen || tree.has(hierarchy + sign);
        walk(hierarchy, group, visit);
    };
    for (std::string const& line : measure::detail::split(tree.text("/proc/self/cgroup").value_or(""), '\n')) {
        auto const first = line.find(':');
        auto const second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        auto const controllers = line.substr(first + 1, second - first - 1);
        auto const group = line.substr(second + 1);
        if (!group.starts_with('/'))
            continue;
        auto const names = measure::detail::split(controllers, ',');
        if (controllers.empty())
            for (char const* top : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
                visit_hierarchy(top, "/cgroup.controllers", group);
        else if (std::find(names.begin(), names.end(), controller) != names.end())
            for (auto const& top : {controller, controllers})
                visit_hierarchy("/sys/fs/cgroup/" + top, "", group);
    }
    return is_seen;
}

/// The cores that a quota per period grants; empty without a limit.
std::optional<double> granted(std::string const& quota, std::string const& period) {
    double const used = std::atof(quota.c_str());
    double const of = std::atof(period.c_str());
    return used > 0 && of > 0 ? std::optional{used / of} : std::nullopt;
}

/// A number of bytes; empty for "max" and other words. Version 1 has a very large number instead of "max".
std::optional<Bytes> bytes_from(std::optional<std::string> const& text) {
    if (!text || text->find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    constexpr unsigned long long most = std::numeric_limits<Bytes>::max();
    return static_cast<Bytes>(std::min(std::strtoull(text->c_str(), nullptr, 10), most));
}

/// The names of a group's files. In version 2, processes that exceed `soft` are throttled heavily.
struct MemoryFiles {
    char const* limit;
    char const* soft;
    char const* usage;
    char const* reclaimable;  ///< field of memory.stat that includes subgroups
};
constexpr std::array memory_files{
    MemoryFiles{"/memory.max", "/memory.high", "/memory.current", "inactive_file"},
    MemoryFiles{"/memory.limit_in_bytes", "", "/memory.usage_in_bytes", "total_inactive_file"},
};

/// Reads one group. \param limit  smallest limit so far  \param room  smallest unused part of a limit so far
void tighten(Tree const& tree, std::string const& folder, std::optional<Bytes>& limit, std::optional<Bytes>& room) {
    for (auto const& files : memory_files) {
        auto allowed = bytes_from(tree.line(folder + files.limit));
        if (auto const soft = *files.soft != '\0' ? bytes_from(tree.line(folder + files.soft)) : std::nullopt)
            allowed = std::min(allowed.value_or(*soft), *soft);
        if (!allowed)
            continue;
        auto const used = bytes_from(tree.line(folder + files.usage)).value_or(0);
        auto const pages = field(tree.text(folder + "/memory.stat").value_or(""), files.reclaimable);
        Bytes const held = std::max<Bytes>(used - bytes_from(pages).value_or(0), 0);
        Bytes const left = std::max<Bytes>(*allowed - held, 0);
        limit = std::min(limit.value_or(*allowed), *allowed);
        room = std::min(room.value_or(left), left);
    }
}

/// The bytes of a line of /proc/meminfo such as "12 kB"; 0 if it is missing.
Bytes kibibytes(std::string const& text, char const* name) {
    auto const value = field(text, name);
    return value ? std::strtoll(value->c_str(), nullptr, 10) * measure::kibi : 0;
}

/// The smaller of two values; 0 means unknown and is ignored.
Bytes smaller(Bytes of_host, std::optional<Bytes> of_group) {
    return of_host > 0 ? std::min(of_host, of_group.value_or(of_host)) : of_group.value_or(0);
}

}  // namespace

ProcessMemory process_memory(Tree const& tree) {
    auto const text = tree.text("/proc/meminfo").value_or("");
    ProcessMemory memory{.host_total = kibibytes(text, "MemTotal"), .host_available = kibibytes(text, "MemAvailable")};
    std::optional<Bytes> limit;
    std::optional<Bytes> room;
    visit_groups(tree, "memory", [&](std::string const& folder) { tighten(tree, folder, limit, room); });
    memory.total = smaller(memory.host_total, limit);
    if (memory.host_available > 0 || room)
        memory.available = std::max<Bytes>(smaller(memory.host_available, room), 1);
    return memory;
}

std::optional<double> processor_quota(Tree const& tree) {
    double cores = std::numeric_limits<double>::infinity();
    auto const take = [&](std::optional<double> limit) { cores = std::min(cores, limit.value_or(cores)); };
    bool const is_seen = visit_groups(tree, "cpu", [&](std::string const& folder) {
        if (auto const both = tree.line(folder + "/cpu.max"))
            take(granted(*both, both->substr(std::min(both->find(' '), both->size()))));
        if (auto const quota = tree.line(folder + "/cpu.cfs_quota_us"))
            take(granted(*quota, tree.line(folder + "/cpu.cfs_period_us").value_or("")));
    });
    return is_seen || cores < std::numeric_limits<double>::infinity() ? std::optional{cores} : std::nullopt;
}

}  // namespace program
