// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/checks.hpp"

#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace measure::tool::doctor {

namespace {

constexpr double mebibyte = 1024.0 * 1024;

std::string bytes(double count) {
    constexpr double most = 1e18;  // values in a simulated file may exceed the range
    return measure::text_bytes(count > 0 ? static_cast<measure::Bytes>(std::min(count, most)) : 0);
}

bool is_virtual(Facts const& facts) { return facts.text("hypervisor") == "yes"; }

Judgement governor(HostView const& view) {
    auto const governors = view.host.facts.list("governors");
    if (governors.empty())
        return {Level::unknown, "the frequency governor cannot be read (no cpufreq in /sys)",
                is_virtual(view.host.facts) ? "a virtual machine, whose host controls the frequency" : "", ""};
    if (governors == std::vector<std::string>{"performance"})
        return {Level::fine, "frequency governor performance", "", ""};
    return {Level::warning,
            fmt::format("the frequency governor is {}: cores run slower until they have been busy for some time",
                        fmt::join(governors, ", ")),
            "", "sudo cpupower frequency-set -g performance"};
}

Judgement turbo_mode(HostView const& view) {
    auto const turbo = view.host.facts.text("turbo");
    if (!turbo)
        return {Level::unknown, "whether turbo is on cannot be read", "", ""};
    if (*turbo == "off")
        return {Level::fine, "turbo off", "", ""};
    return {Level::note, "turbo is on: the speed of a core depends on the load and the temperature of the other cores",
            "",
            "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo (or write 0 to "
            "/sys/devices/system/cpu/cpufreq/boost)"};
}

Judgement clock_source(HostView const& view) {
    auto const& facts = view.host.facts;
    auto const source = facts.text("clocksource");
    if (!source)
        return {Level::unknown, "the kernel's clock source cannot be read", "", ""};
    if (*source == "tsc" || *source == "arch_sys_counter" || *source == "timebase")
        return {Level::fine, fmt::format("clock source {}", *source), "", ""};
    if (*source == "kvm-clock" || *source == "xen" || source->starts_with("hyperv"))
        return {Level::note, fmt::format("the clock source is {}: the hypervisor adjusts the clocks", *source), "",
                "use --timer tsc, which reads the processor's counter directly"};
    bool const has_tsc = (facts.text("clocksources").value_or("") + " ").find("tsc ") != std::string::npos;
    if (has_tsc)
        return {Level::warning, fmt::format("the clock source is {}, which is slow to read", *source), "",
                "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"};
    return {Level::warning,
            fmt::format("the clock source is {}, which is slow to read: the kernel does not offer the TSC, perhaps "
                        "because it was found unstable",
                        *source),
            "", "dmesg | grep -i -e tsc -e clocksource"};
}

Judgement counter(HostView const& view) {
    auto const tsc = view.host.facts.text("tsc");
    if (!tsc)
        return {Level::unknown, "whether the time-stamp counter is invariant cannot be read", "", ""};
    if (*tsc == "invariant")
        return {Level::fine, "TSC invariant", "", ""};
    return {Level::note, "the processor has no time-stamp counter of constant rate", "",
            "use --timer monotonic_raw instead of --timer tsc"};
}

Judgement virtual_machine(HostView const& view) {
    auto const hypervisor = view.host.facts.text("hypervisor");
    if (!hypervisor)
        return {Level::unknown, "whether this is a virtual machine cannot be read", "", ""};
    if (*hypervisor == "no")
        return {Level::fine, "not a virtual machine", "", ""};
    return {Level::note, "a virtual machine: its processing units are threads of a host that may run other guests",
            view.host.facts.text("machine").value_or(""), "measure on a physical machine if possible"};
}

Judgement container_of(HostView const& view) {
    auto const container = view.host.facts.text("container");
    if (!container)
        return {Level::unknown, "whether this is a container cannot be read", "", ""};
    if (*container == "no")
        return {Level::fine, "no sign of a container", "", ""};
    return {Level::note,
            fmt::format("a container ({}): other containers may run unseen, and resource limits may apply", *container),
            "", ""};
}

Judgement memory(HostView const& view) {
    auto const& facts = view.host.facts;
    auto const total = facts.number("mem_total");
    auto const available = facts.number("mem_available");
    if (!total || !available || *total <= 0)
        return {Level::unknown, "the free memory cannot be read", "", ""};
    if (auto const left = facts.number("mem_left"))
        return {Level::warning,
                "a control group (container, batch system) limits memory: ranks are killed if their total exceeds "
                "the limit",
                fmt::format("{} of {}; the host has {} of {}", bytes(*left),
                            bytes(facts.number("mem_limit").value_or(*left)), bytes(*available), bytes(*total)),
                "request more memory: docker run --memory=, sbatch --mem=, systemctl set-property UNIT MemoryMax="};
    if (*available > 0.1 * *total)
        return {Level::fine, "memory available", fmt::format("{} of {}", bytes(*available), bytes(*total)), ""};
    return {Level::warning, "little memory is left", fmt::format("{} of {}", bytes(*available), bytes(*total)),
            "ps aux --sort -rss | head"};
}

Judgement swap(HostView const& view) {
    auto const& facts = view.host.facts;
    auto const used = facts.number("swap_used");
    if (!used)
        return {Level::unknown, "whether memory is swapped out cannot be read", "", ""};
    if (facts.number("paged").value_or(0) > 0)
        return {Level::warning, "pages were swapped in or out during the checks",
                fmt::format("{:.0f} pages", *facts.number("paged")), "sudo swapoff -a, or ask for less memory"};
    if (*used > 0)
        return {Level::note, "swap is in use: swapped-out memory is read back when it is accessed", bytes(*used),
                "sudo swapoff -a && sudo swapon -a"};
    return {Level::fine, "no swap in use", "", ""};
}

Judgement huge_pages(HostView const& view) {
    auto const mode = view.host.facts.text("huge_pages");
    if (!mode)
        return {Level::unknown, "whether transparent huge pages are in use cannot be read", "", ""};
    if (*mode != "always")
        return {Level::fine, fmt::format("transparent huge pages {}", *mode), "", ""};
    return {Level::note, "transparent huge pages for all memory: the kernel may merge pages during a measurement", "",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
}

Judgement idle_states(HostView const& view) {
    constexpr double short_latency = 10;  // us
    auto const latency = view.host.facts.number("idle_latency");
    if (!latency)
        return {};
    auto const detail = fmt::format("{}: {:.0f} us", view.host.facts.text("idle_state").value_or("unknown"), *latency);
    if (*latency <= short_latency)
        return {Level::fine, "idle cores wake quickly", detail, ""};
    return {Level::note, "idle cores sleep deeply: a rank that waits in the kernel wakes up late", detail,
            "sudo cpupower idle-set -D 10 (undone by idle-set -E)"};
}

/// Names of devices that may interrupt any of these units, from facts of the form "NUMBER UNITS NAME".
std::vector<std::string> devices_on(std::vector<int> const& units, Facts const& facts) {
    std::vector<std::string> names;
    for (std::string const& text : facts.list("irqs")) {
        auto const blank = text.find(' ');
        auto const second = text.find(' ', blank + 1);
        if (blank == std::string::npos || second == std::string::npos)
            continue;
        auto const allowed = numbers_in(std::string_view{text}.substr(blank + 1, second - blank - 1));
        if (std::any_of(units.begin(), units.end(),
                        [&](int unit) { return std::binary_search(allowed.begin(), allowed.end(), unit); }))
            names.push_back(text.substr(second + 1));
    }
    return names;
}

Judgement devices(HostView const& view) {
    constexpr std::size_t most = 8;
    auto const units = united_units(view);
    auto const online = numbers_in(view.host.facts.text("online").value_or(""));
    if (!units || online.empty() || view.host.facts.list("irqs").empty())
        return {};
    if (std::includes(units->begin(), units->end(), online.begin(), online.end()))
        return {Level::fine, "ranks may use all processing units, so device interrupts cannot be kept away from them",
                "", ""};
    auto names = devices_on(*units, view.host.facts);
    if (names.empty())
        return {Level::fine, "no device interrupts the ranks' processing units", "", ""};
    auto const count = names.size();
    // A device may have several interrupts.
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    bool const are_more = names.size() > most;
    names.resize(std::min(names.size(), most));
    return {Level::note, "device interrupts may run on the ranks' processing units",
            fmt::format("{} of {}: {}{}", count, view.host.facts.list("irqs").size(), fmt::join(names, ", "),
                        are_more ? ", .." : ""),
            "sudo systemctl stop irqbalance; echo UNITS | sudo tee /proc/irq/NUMBER/smp_affinity_list"};
}

Judgement numa(HostView const& view) {
    auto const nodes = view.host.facts.list("nodes");
    if (nodes.empty())
        return {Level::unknown, "the memory's nodes (NUMA) cannot be read", "", ""};
    if (nodes.size() == 1)
        return {Level::fine, "one memory node", "", ""};
    auto const balancing = view.host.facts.text("numa_balancing");
    if (balancing && *balancing != "0")
        return {Level::note, "the kernel moves pages between memory nodes (NUMA balancing)",
                fmt::format("{} nodes", nodes.size()), "sudo sysctl kernel.numa_balancing=0"};
    return {Level::fine, "several memory nodes, pages are not moved", fmt::format("{} nodes", nodes.size()), ""};
}

Judgement shared_memory(HostView const& view) {
    auto const free = view.host.facts.number("shm_free");
    auto const ranks = static_cast<double>(view.ranks.size());
    if (!free)
        return {Level::unknown, "/dev/shm cannot be examined; MPI libraries need it for ranks on the same host", "",
                ""};
    auto const detail =
        fmt::format("{} free of {}", bytes(*free), bytes(view.host.facts.number("shm_size").value_or(0)));
    if (*free < 32 * mebibyte * std::max(ranks, 2.0))
        return {Level::warning,
                "/dev/shm is small or nearly full: ranks on the same host may fall back to slower communication",
                detail, "ls -l /dev/shm, and remove leftover files; in a container: docker run --shm-size=1g"};
    return {Level::fine, "enough space in /dev/shm", detail, ""};
}

Judgement temporary_files(HostView const& view) {
    auto const& facts = view.host.facts;
    auto const folder = facts.text("tmp").value_or("/tmp");
    auto const free = facts.number("tmp_free");
    if (!free)
        return {Level::unknown, fmt::format("{} (TMPDIR) cannot be examined", folder), "", ""};
    auto const detail = fmt::format("{} free of {}", bytes(*free), bytes(facts.number("tmp_size").value_or(0)));
    if (*free < 64 * mebibyte)
        return {Level::warning,
                fmt::format("{} (TMPDIR) is nearly full: MPI libraries and launchers create files there", folder),
                detail, fmt::format("du -sh {}/* or export TMPDIR=FOLDER", folder)};
    static constexpr std::array remote{"nfs", "nfs4", "lustre", "gpfs", "beegfs", "cifs", "ceph", "fuse.sshfs", "9p"};
    auto const type = facts.text("tmp_type").value_or("");
    if (std::find(remote.begin(), remote.end(), type) != remote.end())
        return {Level::note, fmt::format("{} (TMPDIR) is on a network file system ({})", folder, type), "",
                "export TMPDIR=/tmp"};
    return {Level::fine, fmt::format("enough space in {}", folder), detail, ""};
}

}  // namespace

std::span<Check<HostView> const> machine_checks() noexcept {
    static constexpr std::array table{
        Check<HostView>{"governor", governor},
        Check<HostView>{"turbo", turbo_mode},
        Check<HostView>{"clock_source", clock_source},
        Check<HostView>{"tsc", counter},
        Check<HostView>{"virtual_machine", virtual_machine},
        Check<HostView>{"container", container_of},
        Check<HostView>{"memory", memory},
        Check<HostView>{"swap", swap},
        Check<HostView>{"huge_pages", huge_pages},
        Check<HostView>{"idle_states", idle_states},
        Check<HostView>{"device_interrupts", devices},
        Check<HostView>{"numa", numa},
        Check<HostView>{"shared_memory", shared_memory},
        Check<HostView>{"temporary_files", temporary_files},
    };
    return table;
}

}  // namespace measure::tool::doctor
