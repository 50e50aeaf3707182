// SPDX-License-Identifier: BSD-3-Clause
#include "machine/facts.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/control_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <utility>

namespace measure::tool::machine {

namespace {

constexpr char const* cpus = "/sys/devices/system/cpu";

/// The distinct values of a file in the folders PREFIX0, PREFIX1, ..
std::optional<std::string> different_lines(Tree const& tree, std::string const& folder, std::string_view prefix,
                                           std::string const& file) {
    std::set<std::string> values;
    for (std::string const& entry : tree.entries(folder))
        if (entry.starts_with(prefix) && entry.size() > prefix.size() && entry[prefix.size()] >= '0' &&
            entry[prefix.size()] <= '9')
            if (auto const line = tree.line(fmt::format("{}/{}/{}", folder, entry, file)))
                values.insert(*line);
    return values.empty() ? std::nullopt : std::optional{fmt::format("{}", fmt::join(values, ";"))};
}

std::optional<std::string> turbo(Tree const& tree) {
    if (auto const off = tree.line(fmt::format("{}/intel_pstate/no_turbo", cpus)))
        return *off == "0" ? "on" : "off";
    if (auto const on = tree.line(fmt::format("{}/cpufreq/boost", cpus)))
        return *on == "0" ? "off" : "on";
    return std::nullopt;
}

void add_processor(Tree const& tree, Facts& facts) {
    auto const text = tree.text("/proc/cpuinfo");
    if (!text)
        return;
    facts.set("cpu", field(*text, "model name"));
    auto const flags = field(*text, "flags");
    if (!flags)
        return;
    auto const words = program::split(*flags, ' ');
    auto const has = [&](char const* flag) { return std::find(words.begin(), words.end(), flag) != words.end(); };
    facts.set("hypervisor", std::string{has("hypervisor") ? "yes" : "no"});
    facts.set("tsc", std::string{!has("tsc")                                 ? "none"
                                 : has("constant_tsc") && has("nonstop_tsc") ? "invariant"
                                                                             : "varies"});
}

std::optional<std::string> container(Tree const& tree) {
    if (auto const name = tree.line("/run/systemd/container"))
        return name;
    static constexpr std::array<std::pair<char const*, char const*>, 3> signs{
        {{"/.dockerenv", "docker"}, {"/run/.containerenv", "podman"}, {"/.singularity.d", "apptainer"}}};
    for (auto const& [path, name] : signs)
        if (tree.has(path))
            return name;
    auto const groups = tree.text("/proc/1/cgroup");
    if (!groups)
        return std::nullopt;
    for (char const* name : {"docker", "kubepods", "libpod", "lxc", "containerd"})
        if (groups->find(name) != std::string::npos)
            return name;
    // On a host the first process has a control group; in a container its group may appear as the root group.
    auto const lines = program::split(*groups, '\n');
    bool const has_group = std::any_of(lines.begin(), lines.end(),
                                       [](auto const& line) { return !line.empty() && !line.ends_with(":/"); });
    return has_group ? std::optional<std::string>{"no"} : std::nullopt;
}

std::optional<std::string> machine(Tree const& tree) {
    auto const vendor = tree.line("/sys/class/dmi/id/sys_vendor");
    auto const product = tree.line("/sys/class/dmi/id/product_name");
    if (!vendor && !product)
        return tree.line("/sys/hypervisor/type");
    return std::string{program::trimmed(vendor.value_or("") + " " + product.value_or(""))};
}

std::optional<double> kilobytes(std::string_view text, std::string_view name) {
    auto const value = field(text, name);
    return value ? std::optional{std::atof(value->c_str()) * 1024} : std::nullopt;
}

void add_memory(Tree const& tree, Facts& facts) {
    auto const memory = program::process_memory(tree);
    auto const set = [&](char const* name, measure::Bytes bytes, bool is_known) {
        if (is_known)
            facts.set(name, static_cast<double>(bytes));
    };
    set("mem_total", memory.host_total, memory.host_total > 0);
    set("mem_available", memory.host_available, memory.host_available > 0);
    set("mem_limit", memory.total, memory.is_limited());
    set("mem_left", memory.available, memory.is_limited());
    if (auto const text = tree.text("/proc/meminfo")) {
        auto const swap = kilobytes(*text, "SwapTotal");
        auto const free = kilobytes(*text, "SwapFree");
        if (swap && free)
            facts.set("swap_used", *swap - *free);
    }
    if (auto const modes = tree.line("/sys/kernel/mm/transparent_hugepage/enabled"))
        if (auto const open = modes->find('['), close = modes->find(']'); open < close && close != std::string::npos)
            facts.set("huge_pages", modes->substr(open + 1, close - open - 1));
    facts.set("numa_balancing", tree.line("/proc/sys/kernel/numa_balancing"));
}

/// Adds the deepest enabled idle state. States with larger numbers are deeper.
void add_idle_state(Tree const& tree, Facts& facts) {
    auto const folder = fmt::format("{}/cpu0/cpuidle", cpus);
    constexpr std::string_view prefix = "state";
    int deepest = -1;
    for (std::string const& entry : tree.entries(folder)) {
        if (!entry.starts_with(prefix) || tree.line(fmt::format("{}/{}/disable", folder, entry)).value_or("0") != "0")
            continue;
        deepest = std::max(deepest, program::number_from<int>(entry.substr(prefix.size())).value_or(-1));
    }
    if (deepest < 0)
        return;
    facts.set("idle_state", tree.line(fmt::format("{}/state{}/name", folder, deepest)));
    facts.set("idle_latency", tree.line(fmt::format("{}/state{}/latency", folder, deepest)));
}

Interrupts host_interrupts(Tree const& tree) { return interrupts_in(tree.text("/proc/interrupts").value_or("")); }

void add_devices(Tree const& tree, Facts& facts) {
    std::vector<std::string> texts;
    for (auto const& source : host_interrupts(tree).sources) {
        bool const has_come =
            std::any_of(source.counts.begin(), source.counts.end(), [](double count) { return count > 0; });
        auto const units = tree.line(fmt::format("/proc/irq/{}/smp_affinity_list", source.key));
        if (has_come && units)
            texts.push_back(fmt::format("{} {} {}", source.key, *units, source.name));
    }
    if (!texts.empty())
        facts.set("irqs", fmt::format("{}", fmt::join(texts, ";")));
}

/// The type of the file system of a path: the last mount at the longest mount point that contains the path.
std::optional<std::string> file_system(Tree const& tree, std::string const& path) {
    std::optional<std::string> type;
    std::size_t longest = 0;
    for (std::string const& line : program::split(tree.text("/proc/self/mounts").value_or(""), '\n')) {
        auto const words = program::split(line, ' ');
        if (words.size() < 3)
            continue;
        std::string const& folder = words[1];
        bool const holds = folder == "/" || path == folder || path.starts_with(folder + "/");
        if (holds && folder.size() >= longest) {
            longest = folder.size();
            type = words[2];
        }
    }
    return type;
}

/// Adds free and total space, in bytes. Simulated trees provide these facts themselves.
void add_space(Tree const& tree, std::string const& path, std::string const& name, Facts& facts) {
    struct ::statvfs space {};
    if (!tree.is_real() || ::statvfs(path.c_str(), &space) != 0)
        return;
    facts.set(name + "_free", static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize));
    facts.set(name + "_size", static_cast<double>(space.f_blocks) * static_cast<double>(space.f_frsize));
}

std::optional<std::string> quota(Tree const& tree) {
    auto const cores = program::processor_quota(tree);
    if (!cores)
        return std::nullopt;
    return std::isinf(*cores) ? "none" : fmt::format("{:.4g}", *cores);
}

}  // namespace

Facts host_facts(Tree const& tree, std::string const& temporary_folder) {
    Facts facts;
    facts.set("host", tree.line("/proc/sys/kernel/hostname"));
    facts.set("boot", tree.line("/proc/sys/kernel/random/boot_id"));
    facts.set("kernel", tree.line("/proc/sys/kernel/osrelease"));
    add_processor(tree, facts);
    facts.set("machine", machine(tree));
    facts.set("container", container(tree));
    facts.set("governors", different_lines(tree, fmt::format("{}/cpufreq", cpus), "policy", "scaling_governor"));
    facts.set("turbo", turbo(tree));
    facts.set("smt", tree.line(fmt::format("{}/smt/active", cpus)));
    facts.set("online", tree.line(fmt::format("{}/online", cpus)));
    facts.set("siblings", different_lines(tree, cpus, "cpu", "topology/thread_siblings_list"));
    facts.set("nodes", different_lines(tree, "/sys/devices/system/node", "node", "cpulist"));
    std::string const clocks = "/sys/devices/system/clocksource/clocksource0/";
    facts.set("clocksource", tree.line(clocks + "current_clocksource"));
    facts.set("clocksources", tree.line(clocks + "available_clocksource"));
    if (auto const load = tree.line("/proc/loadavg"))
        facts.set("load", load->substr(0, load->find(' ')));
    add_memory(tree, facts);
    add_idle_state(tree, facts);
    add_devices(tree, facts);
    facts.set("tmp", temporary_folder);
    facts.set("tmp_type", file_system(tree, temporary_folder));
    add_space(tree, temporary_folder, "tmp", facts);
    add_space(tree, "/dev/shm", "shm", facts);
    return facts;
}

Facts process_facts(Tree const& tree) {
    Facts facts;
    facts.set("host", tree.line("/proc/sys/kernel/hostname"));
    facts.set("boot", tree.line("/proc/sys/kernel/random/boot_id"));
    if (auto const status = tree.text("/proc/self/status")) {
        facts.set("pid", field(*status, "Pid"));
        facts.set("cpus", field(*status, "Cpus_allowed_list"));
    }
    facts.set("quota", quota(tree));
    return facts;
}

namespace {

/// "PID (NAME) STATE ..": the name may contain blanks and parentheses; words 14 and 15 are user and system time.
std::optional<Activity::Process> process_from(std::string const& stat) {
    auto const open = stat.find('(');
    auto const close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return std::nullopt;
    std::istringstream rest{stat.substr(close + 1)};
    std::string word;
    for (int i = 3; i < 14; ++i)
        rest >> word;
    double user = 0;
    double system = 0;
    if (!(rest >> user >> system))
        return std::nullopt;
    return Activity::Process{stat.substr(open + 1, close - open - 1), user + system};
}

/// "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL GUEST ..". USER includes the time of guests.
void add_times(std::string const& stat, Activity& seen) {
    for (std::string const& line : program::split(stat, '\n'))
        if (line.starts_with("cpu") && line.size() > 3 && line[3] != ' ')
            ++seen.units;
    std::istringstream words{field(stat, "cpu").value_or("")};
    double time = 0;
    for (int i = 0; i < 8 && words >> time; ++i) {
        seen.total += time;
        bool const is_idle = i == 3 || i == 4;
        if (i == 7)
            seen.steal = time;
        else if (!is_idle)
            seen.busy += time;
    }
}

constexpr double tick = 0.01;  // s

std::string processes_text(Activity const& before, Activity const& after, double ticks_per_unit) {
    constexpr double least = 0.02;
    constexpr std::size_t most = 20;
    std::vector<std::pair<double, std::string>> busy;
    for (auto const& [pid, process] : after.processes) {
        auto const old = before.processes.find(pid);
        double const share = (process.ticks - (old == before.processes.end() ? 0 : old->second.ticks)) / ticks_per_unit;
        auto name = process.name;
        std::replace(name.begin(), name.end(), ';', ' ');
        if (share >= least)
            busy.emplace_back(share, fmt::format("{} {:.2f} {}", pid, share, name));
    }
    std::sort(busy.rbegin(), busy.rend());
    std::vector<std::string> texts;
    for (auto const& [share, text] : busy)
        texts.push_back(text);
    texts.resize(std::min(texts.size(), most));
    return fmt::format("{}", fmt::join(texts, ";"));
}

std::optional<std::string> interrupts_text(Activity const& before, Activity const& after, double seconds) {
    std::vector<std::string> texts;
    for (auto const& [unit, rate, name] : interrupt_rates(before.interrupts, after.interrupts, seconds))
        texts.push_back(fmt::format("{} {:.1f} {}", unit, rate, name));
    return texts.empty() ? std::nullopt : std::optional{fmt::format("{}", fmt::join(texts, ";"))};
}

}  // namespace

Activity activity(Tree const& tree, Moment moment) {
    Activity seen;
    auto const read_account = [&] {
        if (auto const stat = tree.text("/proc/stat"))
            add_times(*stat, seen);
    };
    if (moment == Moment::end)
        read_account();
    if (auto const text = tree.text("/proc/vmstat"))
        for (char const* name : {"pswpin", "pswpout"})
            seen.paged += std::atof(field(*text, name).value_or("0").c_str());
    for (std::string const& entry : tree.entries("/proc")) {
        auto const pid = program::number_from<int>(entry);
        if (!pid)
            continue;
        if (auto const stat = tree.text(fmt::format("/proc/{}/stat", *pid)))
            if (auto process = process_from(*stat))
                seen.processes.emplace(*pid, std::move(*process));
    }
    seen.interrupts = host_interrupts(tree);
    if (moment == Moment::begin)
        read_account();
    return seen;
}

Facts activity_facts(Activity const& before, Activity const& after) {
    Facts facts;
    double const total = after.total - before.total;
    if (!(total > 0) || after.units == 0)
        return facts;
    double const ticks_per_unit = total / after.units;
    facts.set("busy_cores", (after.busy - before.busy) / ticks_per_unit);
    facts.set("busy_error", after.units / ticks_per_unit);
    facts.set("steal", (after.steal - before.steal) / total);
    facts.set("paged", after.paged - before.paged);
    facts.set("interrupts", interrupts_text(before, after, ticks_per_unit * tick));
    facts.set("processes", processes_text(before, after, ticks_per_unit));
    return facts;
}

}  // namespace measure::tool::machine
