// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/checks.hpp"
#include "doctor/culprits.hpp"
#include "doctor/huge_pages.hpp"
#include "doctor/report.hpp"
#include "machine/interrupts.hpp"
#include "program/runtime/control_groups.hpp"
#include "support/catch.hpp"

#include <measure/report.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

// In its own namespace, because a unity build may compile tests of other commands in the same translation unit.
namespace doctor_test {

using namespace measure::tool::doctor;
using namespace measure::tool::machine;

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

/// A temporary folder that replaces "/".
class MadeUp {
public:
    MadeUp() : root_{std::filesystem::temp_directory_path() / ("doctor_test." + std::to_string(::getpid()))} {
        std::filesystem::remove_all(root_);
    }
    ~MadeUp() { std::filesystem::remove_all(root_); }
    MadeUp(MadeUp const&) = delete;
    MadeUp& operator=(MadeUp const&) = delete;
    MadeUp& file(std::string const& path, std::string const& text) {
        auto const place = root_ / path.substr(1);
        std::filesystem::create_directories(place.parent_path());
        std::ofstream{place} << text;
        return *this;
    }
    [[nodiscard]] Tree tree() const { return Tree{root_.string()}; }

private:
    std::filesystem::path root_;
};

Facts facts(std::string const& lines) { return Facts::from_lines(lines); }

/// Facts of an idle machine with four cores and no disturbance.
constexpr char const* quiet_host =
    "boot 1\ncpu X\nkernel 6.1\nhypervisor no\ntsc invariant\ncontainer no\ngovernors performance\nturbo off\nsmt 0\n"
    "online 0-3\nsiblings 0;1;2;3\nnodes 0-3\nclocksource tsc\nload 0.00\nmem_total 1e9\nmem_available 9e8\n"
    "swap_used 0\nhuge_pages madvise\nnuma_balancing 0\ntmp /tmp\ntmp_free 1e9\ntmp_size 2e9\nshm_free 1e9\n"
    "shm_size 1e9\nbusy_cores 1\nsteal 0\npaged 0\nprocesses 7 1.00 rank\n";

Rank quiet_rank(std::string const& cpus, std::string const& more = "") {
    return {.facts = facts("pid 7\nquota none\nmpi M\nmpi_build optimised\nmpi_threads single\ntimer:mpi_wtime fine\n"
                           "timer:tsc fine\ntsc_offset 1e-8\ntsc_bound 1e-7\ncores_used 1\nwall_clock_step 0\ncpus " +
                           cpus + "\n" + more),
            .noise = {.duration = 1, .threshold = 1e-6},
            .work = {.duration = 1e-4, .quanta = 1, .fastest = 1e-4, .quick = 1e-4, .median = 1e-4, .slowest = 1e-4}};
}

/// A world of one host with these ranks. \param more  further facts of the host
World world_of(std::vector<Rank> ranks, std::string const& more = "") {
    World world{.ranks = std::move(ranks)};
    std::vector<int> numbers(world.ranks.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    world.hosts.push_back({.name = "node1", .facts = facts(quiet_host + more), .ranks = numbers});
    return world;
}

World alone(std::string const& host_facts) { return world_of({quiet_rank("2")}, host_facts); }

/// The finding of the topic, which must occur once.
Finding found(World const& world, std::string const& topic) {
    auto const all = diagnose(world);
    REQUIRE(std::count_if(all.begin(), all.end(), [&](auto const& f) { return f.topic == topic; }) == 1);
    return *std::find_if(all.begin(), all.end(), [&](auto const& f) { return f.topic == topic; });
}

Level level(World const& world, std::string const& topic) { return found(world, topic).level; }

}  // namespace

TEST_CASE("fields of system files are found by their names", "[doctor]") {
    std::string const text = "processor\t: 0\nmodel name\t: Fast CPU  \nMemTotal:       24 kB\ncpu0 1\ncpu  4 5\n";
    CHECK(field(text, "model name") == "Fast CPU");
    CHECK(field(text, "MemTotal") == "24 kB");
    CHECK(field(text, "cpu") == "4 5");
    CHECK(field(text, "model") == "name\t: Fast CPU");
    CHECK_FALSE(field(text, "MemFree").has_value());
}

TEST_CASE("lists of processing units are read, and invalid entries are ignored", "[doctor]") {
    CHECK(numbers_in(" 0-2,8 ") == std::vector{0, 1, 2, 8});
    CHECK(numbers_in("3") == std::vector{3});
    CHECK(numbers_in("5,1,1") == std::vector{1, 5});
    CHECK(numbers_in("").empty());
    CHECK(numbers_in("a-b,4-,-1,99999999999,0-99999999,7") == std::vector{7});
}

TEST_CASE("facts are packed into one text and unpacked unchanged", "[doctor]") {
    Facts all = facts("a 1.5\nb x y\n\nc\n");
    CHECK(all.number("a") == 1.5);
    CHECK(all.text("b") == "x y");
    CHECK_FALSE(all.number("b").has_value());
    CHECK_FALSE(all.text("c").has_value());
    all.set("list", std::string{"1;2"});
    all.set("empty", std::string{});
    auto const same = Facts::unpacked(all.packed());
    CHECK(same.all() == all.all());
    CHECK(same.list("list") == std::vector<std::string>{"1", "2"});
    CHECK(same.list("empty").empty());
}

TEST_CASE("the facts of a host are read from its system files", "[doctor]") {
    MadeUp made;
    made.file("/proc/sys/kernel/hostname", "node7\n")
        .file("/proc/cpuinfo", "model name\t: Fast CPU\nflags\t\t: fpu tsc constant_tsc nonstop_tsc hypervisor\n")
        .file("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n")
        .file("/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n")
        .file("/sys/devices/system/cpu/cpufreq/boost", "1\n")
        .file("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n")
        .file("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n")
        .file("/proc/loadavg", "3.08 3.57 6.34 4/158 24687\n")
        .file("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 400 kB\nSwapTotal: 20 kB\nSwapFree: 15 kB\n")
        .file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
        .file("/proc/1/cgroup", "0::/kubepods/pod1\n")
        .file("/proc/self/mounts", "root / ext4 rw 0 0\nserver:/s /scratch nfs4 rw 0 0\nt /scratchy tmpfs rw 0 0\n");
    auto const host = host_facts(made.tree(), "/scratch/me");
    CHECK(host.text("host") == "node7");
    CHECK(host.text("cpu") == "Fast CPU");
    CHECK(host.text("hypervisor") == "yes");
    CHECK(host.text("tsc") == "invariant");
    CHECK(host.list("governors") == std::vector<std::string>{"performance", "powersave"});
    CHECK(host.text("turbo") == "on");
    CHECK(host.list("siblings") == std::vector<std::string>{"0,2"});
    CHECK(host.number("load") == 3.08);
    CHECK(host.number("mem_available") == 400 * 1024);
    CHECK(host.number("swap_used") == 5 * 1024);
    CHECK(host.text("huge_pages") == "madvise");
    CHECK(host.text("container") == "kubepods");
    CHECK(host.text("tmp_type") == "nfs4");
    CHECK_FALSE(host.text("clocksource").has_value());
}

TEST_CASE("the smallest CPU quota from a control group up to its root counts", "[doctor]") {
    MadeUp made;
    made.file("/proc/self/cgroup", "0::/a/b\n")
        .file("/proc/self/status", "PPid:\t1\nPid:\t12\nCpus_allowed_list:\t0-1\n");
    // Control groups that are not visible may have a quota.
    CHECK_FALSE(process_facts(made.tree()).text("quota").has_value());
    made.file("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
    CHECK(process_facts(made.tree()).text("quota") == "none");
    made.file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    CHECK(process_facts(made.tree()).text("quota") == "none");
    made.file("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    CHECK(process_facts(made.tree()).number("quota") == 1.5);
    CHECK(process_facts(made.tree()).text("pid") == "12");
    CHECK(process_facts(made.tree()).text("cpus") == "0-1");

    MadeUp old;
    old.file("/proc/self/cgroup", "4:cpu,cpuacct:/docker/x\n3:memory:/\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    CHECK(process_facts(old.tree()).number("quota") == 0.5);
    CHECK_FALSE(process_facts(Tree{"/nowhere"}).text("quota").has_value());
}

TEST_CASE("the control group that leaves the least memory counts", "[doctor]") {
    MadeUp made;
    auto const memory = [&] { return program::process_memory(made.tree()); };
    CHECK(memory().available == 0);
    CHECK(memory().total == 0);
    made.file("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\n");
    CHECK(memory().total == 1000 * 1024);
    CHECK(memory().available == 900 * 1024);
    CHECK_FALSE(memory().is_limited());

    made.file("/proc/self/cgroup", "0::/job/step/task\n").file("/sys/fs/cgroup/cgroup.controllers", "memory\n");
    made.file("/sys/fs/cgroup/job/step/task/memory.max", "max\n")
        .file("/sys/fs/cgroup/job/step/task/memory.current", "50000\n");
    CHECK_FALSE(memory().is_limited());
    // The job leaves 600 kB - (300 kB - 100 kB) = 400 kB. The step has a lower limit, but leaves 500 kB - 10 kB.
    made.file("/sys/fs/cgroup/job/memory.max", "614400\n")
        .file("/sys/fs/cgroup/job/memory.current", "307200\n")
        .file("/sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 102400\nactive_file 7\n")
        .file("/sys/fs/cgroup/job/step/memory.max", "512000\n")
        .file("/sys/fs/cgroup/job/step/memory.current", "10240\n");
    CHECK(memory().total == 500 * 1024);
    CHECK(memory().available == 400 * 1024);
    CHECK(memory().host_total == 1000 * 1024);
    CHECK(memory().host_available == 900 * 1024);
    CHECK(memory().is_limited());
    // memory.high counts too, because a process above it is throttled.
    made.file("/sys/fs/cgroup/job/step/task/memory.high", "60000\n");
    CHECK(memory().available == 10000);
    // No memory is left: 1, because 0 means unknown.
    made.file("/sys/fs/cgroup/job/step/task/memory.high", "40000\n");
    CHECK(memory().available == 1);
}

TEST_CASE("control groups of version 1 limit memory, in a container through the root of the mount", "[doctor]") {
    MadeUp made;
    auto const memory = [&] { return program::process_memory(made.tree()); };
    made.file("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\n")
        .file("/proc/self/cgroup", "4:memory:/slurm/job_1\n3:cpu:/\n0::/\n")
        .file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        .file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "700000\n");
    CHECK_FALSE(memory().is_limited());
    made.file("/sys/fs/cgroup/memory/slurm/job_1/memory.limit_in_bytes", "409600\n")
        .file("/sys/fs/cgroup/memory/slurm/job_1/memory.usage_in_bytes", "204800\n")
        .file("/sys/fs/cgroup/memory/slurm/job_1/memory.stat", "inactive_file 1\ntotal_inactive_file 102400\n");
    CHECK(memory().total == 400 * 1024);
    CHECK(memory().available == 300 * 1024);

    // Docker, version 1: the path is that of the host, but the mount shows the group of the container.
    MadeUp docker;
    docker.file("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\n")
        .file("/proc/self/cgroup", "9:memory:/docker/0123\n")
        .file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "307200\n")
        .file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "102400\n");
    CHECK(program::process_memory(docker.tree()).total == 300 * 1024);
    CHECK(program::process_memory(docker.tree()).available == 200 * 1024);

    // Kubernetes, version 2, without and with a cgroup namespace. With one, the path is "/" or relative to it.
    for (char const* path : {"/kubepods.slice/pod1/cri-1.scope", "/", "/../../pod2"}) {
        MadeUp pod;
        pod.file("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\n")
            .file("/proc/self/cgroup", "0::" + std::string{path} + "\n")
            .file("/sys/fs/cgroup/memory.max", "307200\n")
            .file("/sys/fs/cgroup/memory.current", "102400\n");
        CHECK(program::process_memory(pod.tree()).available == 200 * 1024);
    }

    // Both versions: the memory controller is in the hierarchy of version 1.
    MadeUp both;
    both.file("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\n")
        .file("/proc/self/cgroup", "5:memory:/a\n0::/b\n")
        .file("/sys/fs/cgroup/unified/cgroup.controllers", "\n")
        .file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "204800\n");
    CHECK(program::process_memory(both.tree()).available == 200 * 1024);
    // Values that do not fit into 64 bits, and invalid values, are not a limit.
    both.file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "99999999999999999999999\n");
    CHECK_FALSE(program::process_memory(both.tree()).is_limited());
    both.file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "-1\n");
    CHECK_FALSE(program::process_memory(both.tree()).is_limited());
}

TEST_CASE("a container is recognised by its files or its first process", "[doctor]") {
    MadeUp made;
    auto const container = [&] { return host_facts(made.tree(), "/tmp").text("container"); };
    CHECK_FALSE(container().has_value());
    made.file("/proc/1/cgroup", "0::/init.scope\n");
    CHECK(container() == "no");
    // In a cgroup namespace "/" can be any group, so it shows nothing.
    made.file("/proc/1/cgroup", "1:cpu:/\n0::/\n");
    CHECK_FALSE(container().has_value());
    made.file("/.singularity.d/runscript", "");
    CHECK(container() == "apptainer");
}

TEST_CASE("the processing unit of a process is the 39th field of /proc/self/stat", "[doctor]") {
    MadeUp made;
    std::string words = "12 (a (b) c) R";
    for (int i = 4; i <= 41; ++i)
        words += " " + std::to_string(100 + i);
    CHECK(current_unit(made.file("/proc/self/stat", words + "\n").tree()) == 139);
    CHECK_FALSE(current_unit(made.file("/proc/self/stat", "12 (a) R 1 2\n").tree()).has_value());
    CHECK_FALSE(current_unit(Tree{"/nowhere"}).has_value());
}

TEST_CASE("the activity between two moments is the difference of the counters", "[doctor]") {
    MadeUp made;
    made.file("/proc/stat", "cpu  100 0 50 850 0 0 0 0 0 0\ncpu0 1\ncpu1 1\nintr 5\n")
        .file("/proc/vmstat", "pswpin 3\npswpout 4\n")
        .file("/proc/12/stat", "12 (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 100 20 0 0 20\n")
        .file("/proc/13/stat", "13 (idle) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20\n")
        .file("/proc/self/stat", "no process\n");
    auto const before = activity(made.tree(), Moment::begin);
    CHECK(before.units == 2);
    CHECK(before.busy == 150);
    CHECK(before.total == 1000);
    // After 200 ticks on each of two units: 150 user, 20 system, 220 idle, 10 stolen.
    made.file("/proc/stat", "cpu  250 0 70 1070 0 0 0 10 0 0\ncpu0 1\ncpu1 1\n")
        .file("/proc/vmstat", "pswpin 3\npswpout 9\n")
        .file("/proc/12/stat", "12 (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 200 30 0 0 20\n")
        .file("/proc/14/stat", "14 (new;one) R 1 1 1 0 -1 0 0 0 0 0 50 0 0 0 20\n");
    auto const done = activity_facts(before, activity(made.tree(), Moment::end));
    CHECK_THAT(done.number("busy_cores").value(), WithinAbs(170.0 / 200, 1e-12));
    CHECK(done.number("busy_error") == 2 / 200.0);
    CHECK_THAT(done.number("steal").value(), WithinAbs(10.0 / 400, 1e-12));
    CHECK(done.number("paged") == 5);
    CHECK(done.list("processes") == std::vector<std::string>{"12 0.55 a (b) c", "14 0.25 new one"});
    CHECK(activity_facts(before, before).all().empty());
    CHECK(activity_facts({}, activity(Tree{"/nowhere"}, Moment::end)).all().empty());
}

namespace {

constexpr char const* interrupts_text = "           CPU0       CPU2       \n"
                                        "  8:          0          0  IO-APIC   8-edge      rtc0\n"
                                        " 36:         10         20 PCI-MSIX-0000:00:02.0   1-edge      eth0-rx-0\n"
                                        " 37:          5          0  GICv3  27 Level     arch_timer\n"
                                        " 38:          1          1  IO-APIC  16-fasteoi   ehci_hcd:usb1, other\n"
                                        "LOC:       1000       2000   Local timer interrupts\n"
                                        "TLB:          4          8   TLB shootdowns\n"
                                        "RES:          0          0   Rescheduling interrupts\n"
                                        "ERR:          0\n"
                                        "BAD:          x          0   no counts\n";

}  // namespace

TEST_CASE("interrupt counts are read for each source and processing unit", "[doctor]") {
    auto const seen = interrupts_in(interrupts_text);
    CHECK(seen.units == std::vector{0, 2});
    std::vector<std::string> names;
    for (auto const& source : seen.sources)
        names.push_back(source.key + " " + source.name);
    CHECK(names == std::vector<std::string>{"8 rtc0", "36 eth0-rx-0", "37 arch_timer", "38 ehci_hcd:usb1", "LOC timer",
                                            "TLB TLB shootdowns", "RES rescheduling"});
    CHECK(seen.sources[1].counts == std::vector<double>{10, 20});
    for (char const* const text : {"", "\n", "no header\n36: 1 2 x\n", "CPU0 CPUx\n"})
        CHECK(interrupts_in(text).sources.empty());
}

TEST_CASE("interrupt rates are listed for each processing unit, the most frequent first", "[doctor]") {
    auto const before = interrupts_in(interrupts_text);
    auto after = before;
    after.sources[1].counts = {10, 60};
    after.sources[4].counts = {1500, 2500};
    after.sources[5].counts = {5, 8};
    after.sources.push_back({.key = "99", .name = "new", .counts = {0, 1000}});
    std::vector<std::string> texts;
    for (auto const& [unit, rate, name] : interrupt_rates(before, after, 2))
        texts.push_back(std::to_string(unit) + " " + std::to_string(std::lround(rate)) + " " + name);
    // One TLB shootdown in two seconds is too rare to be listed.
    CHECK(texts == std::vector<std::string>{"0 250 timer", "2 500 new", "2 250 timer", "2 20 eth0-rx-0"});
    CHECK(interrupt_rates({}, after, 2).empty());
    CHECK(interrupt_rates({}, {}, 2).empty());
}

TEST_CASE("interrupts between two moments are recorded as a fact", "[doctor]") {
    MadeUp made;
    made.file("/proc/stat", "cpu  0 0 0 100 0 0 0 0 0 0\ncpu0 1\n")
        .file("/proc/interrupts", "CPU0\n36: 5 x-edge eth0\n");
    auto const before = activity(made.tree(), Moment::begin);
    made.file("/proc/stat", "cpu  0 0 0 300 0 0 0 0 0 0\ncpu0 1\n")
        .file("/proc/interrupts", "CPU0\n36: 85 x-edge eth0\n");
    auto const done = activity_facts(before, activity(made.tree(), Moment::end));
    CHECK(done.list("interrupts") == std::vector<std::string>{"0 40.0 eth0"});
}

TEST_CASE("the most frequent interrupts and the busiest programs are shown in one line", "[doctor]") {
    auto const world = world_of({quiet_rank("0"), quiet_rank("2")},
                                "interrupts 0 250.0 timer;0 40.2 eth0;1 900.0 disk;2 240.0 timer;2 1.0 a;2 2.0 b\n"
                                "processes 7 1.00 rank;8 0.02 python3;9 0.01 python3;10 0.02 top\n");
    CHECK(culprits(view_of(world.hosts[0], world)) ==
          "most frequent interrupts: timer 250/s, eth0 40/s, b 2/s; busiest other programs: python3 3 %, top 2 %");
    CHECK_THAT(text_of(world, diagnose(world)),
               ContainsSubstring("# most frequent interrupts: timer 250/s, eth0 40/s"));
    CHECK_THAT(markdown_of(world, diagnose(world)), ContainsSubstring("most frequent interrupts: timer 250/s"));
    // If the units of the ranks are unknown, all units count.
    auto const unknown = world_of({Rank{}}, "interrupts 1 900.0 disk;bad;1 x y\nprocesses \n");
    CHECK(culprits(view_of(unknown.hosts[0], unknown)) == "most frequent interrupts: disk 900/s");
    auto const quiet = alone("");
    CHECK(culprits(view_of(quiet.hosts[0], quiet)).empty());
}

TEST_CASE("the deepest enabled idle state counts", "[doctor]") {
    MadeUp made;
    std::string const folder = "/sys/devices/system/cpu/cpu0/cpuidle/";
    for (auto const& [state, name, latency, disable] :
         {std::array{"state0", "POLL", "0", "0"}, {"state2", "C6", "133", "0"}, {"state10", "C10", "890", "1"}})
        made.file(folder + state + "/name", name)
            .file(folder + state + "/latency", latency)
            .file(folder + state + "/disable", disable);
    auto const host = host_facts(made.tree(), "/tmp");
    CHECK(host.text("idle_state") == "C6");
    CHECK(host.number("idle_latency") == 133);
    CHECK(level(alone("idle_state C6\nidle_latency 133"), "idle_states") == Level::note);
    CHECK(level(alone("idle_state C1\nidle_latency 2"), "idle_states") == Level::fine);
}

TEST_CASE("devices that may interrupt ranks are named if other processing units could serve them", "[doctor]") {
    MadeUp made;
    made.file("/proc/interrupts", interrupts_text)
        .file("/proc/irq/36/smp_affinity_list", "0-2\n")
        .file("/proc/irq/8/smp_affinity_list", "0-2\n")
        .file("/proc/irq/38/smp_affinity_list", "1\n");
    // Interrupt 8 has not occurred yet, and 37 has no affinity list.
    CHECK(host_facts(made.tree(), "/tmp").list("irqs") ==
          std::vector<std::string>{"36 0-2 eth0-rx-0", "38 1 ehci_hcd:usb1"});
    std::string const irqs = "irqs 36 0-2 eth0;37 2 eth0;38 1 usb;bad";
    auto const finding = found(alone(irqs), "device_interrupts");
    CHECK(finding.level == Level::note);
    CHECK(finding.details.front().text == "2 of 4: eth0");
    CHECK(level(alone("irqs 38 1 usb"), "device_interrupts") == Level::fine);
    CHECK(level(world_of({quiet_rank("0-3")}, irqs), "device_interrupts") == Level::fine);
    auto const all = diagnose(alone(""));
    CHECK(std::none_of(all.begin(), all.end(), [](auto const& f) { return f.topic == "device_interrupts"; }));
}

TEST_CASE("huge pages are counted in the mapping that contains the address", "[doctor]") {
    std::string const text =
        "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \nSize:  4096 kB\nAnonHugePages:  2048 kB\n"
        "VmFlags: rd wr\n7f0000400000-7f0000500000 r--p 00000000 fe:00 5 /lib/a b.so\nSize: 1024 kB\n"
        "AnonHugePages: 0 kB\n7f0000600000-7f0000700000 rw-p 00000000 00:00 0\nSize: 1024 kB\n";
    CHECK(huge_bytes_at(text, 0x7f0000000000) == 2048 * 1024);
    CHECK(huge_bytes_at(text, 0x7f00003fffff) == 2048 * 1024);
    CHECK(huge_bytes_at(text, 0x7f0000400000) == 0);
    CHECK_FALSE(huge_bytes_at(text, 0x7f0000500000).has_value());
    CHECK_FALSE(huge_bytes_at(text, 0x7f0000600000).has_value());
    CHECK_FALSE(huge_bytes_at("", 1).has_value());
}

TEST_CASE("huge pages of a process are reported, with a note if the kernel offers them but gives none", "[doctor]") {
    auto const of_rank = [](std::string const& facts_of_rank, std::string const& host = "") {
        return world_of({quiet_rank("2", facts_of_rank)}, host);
    };
    auto const finding = found(of_rank("huge_given always\nhuge_explicit yes\n"), "huge_pages_given");
    CHECK(finding.level == Level::fine);
    CHECK(finding.details.front().text == "explicit huge pages too: MAP_HUGETLB works");
    CHECK(level(of_rank("huge_given advised\nhuge_explicit no\n"), "huge_pages_given") == Level::fine);
    CHECK(level(of_rank("huge_given never\nhuge_explicit no\n"), "huge_pages_given") == Level::note);
    CHECK(level(of_rank("huge_given never\nhuge_explicit no\n", "huge_pages never\n"), "huge_pages_given") ==
          Level::fine);
    // Memory is not tried for a replaced root folder.
    CHECK(page_facts(Tree{"/nowhere"}).all().empty());
    auto const mine = page_facts(Tree{});
    if (auto const given = mine.text("huge_given"))
        CHECK((given == "always" || given == "advised" || given == "never"));
}

TEST_CASE("variables that configure MPI libraries are kept, variables of launchers are not", "[doctor]") {
    auto const seen = variable_facts({"HOME=/root", "UCX_TLS=self,sm", "OMPI_MCA_btl=tcp", "OMPI_MCA_ess_base_vpid=3",
                                      "MPICH_INTERFACE_HOSTNAME=a", "PMI_SIZE=4", "OMP_NUM_THREADS=2", "X"});
    CHECK(seen.all().size() == 4);
    CHECK(seen.text("env:UCX_TLS") == "self,sm");
    CHECK(seen.text("env:OMPI_MCA_btl") == "tcp");
    CHECK(seen.text("env:OMP_NUM_THREADS") == "2");
    CHECK(seen.number("launched") == 4);
}

TEST_CASE("a debug build of MPICH is recognised by its configuration", "[doctor]") {
    std::string const head = "MPICH Version:\t4.0.2\nMPICH configure:\t--prefix=/usr";
    CHECK(mpi_build(head + "\nMPICH CC:\tgcc -g -O2 -Wall   -O2\n") == "optimised");
    CHECK(mpi_build(head + "\nMPICH CC:\tgcc -O2 -g -O0\n") == "debug (-O0)");
    CHECK(mpi_build(head + " --enable-g=all\nMPICH CC:\tgcc -O2\n") == "debug (--enable-g=all)");
    CHECK_FALSE(mpi_build("Open MPI v4.1.4, package: Debian").has_value());
}

TEST_CASE("a quiet machine gives no warnings", "[doctor]") {
    auto const all = diagnose(alone(""));
    CHECK(worst(all) == Level::fine);
    CHECK(all.size() > 20);
    CHECK_THAT(text_of(alone(""), all), ContainsSubstring("0 warnings, 0 notes, 0 unknown: no disturbances found\n"));
}

TEST_CASE("facts that cannot be read are unknown, not fine", "[doctor]") {
    World world{.hosts = {{.name = "bare", .ranks = {0}}}, .ranks = {{}}};
    auto const all = diagnose(world);
    CHECK(worst(all) == Level::unknown);
    CHECK(std::none_of(all.begin(), all.end(), [](auto const& f) { return f.level == Level::fine; }));
    CHECK(all.size() > 15);
}

TEST_CASE("each disturbing fact has its finding", "[doctor]") {
    CHECK(level(alone("governors powersave"), "governor") == Level::warning);
    CHECK(level(alone("governors performance;ondemand"), "governor") == Level::warning);
    CHECK(level(alone("turbo on"), "turbo") == Level::note);
    CHECK(level(alone("clocksource hpet\nclocksources tsc hpet"), "clock_source") == Level::warning);
    CHECK_THAT(found(alone("clocksource hpet\nclocksources hpet acpi_pm"), "clock_source").text,
               ContainsSubstring("unstable"));
    CHECK(level(alone("clocksource kvm-clock"), "clock_source") == Level::note);
    CHECK(level(alone("tsc varies"), "tsc") == Level::note);
    CHECK(level(alone("hypervisor yes"), "virtual_machine") == Level::note);
    CHECK(level(alone("container docker"), "container") == Level::note);
    CHECK(level(alone("mem_available 9e7"), "memory") == Level::warning);
    CHECK(level(alone("mem_limit 8e8\nmem_left 7e8"), "memory") == Level::warning);
    CHECK(level(alone("swap_used 4096"), "swap") == Level::note);
    CHECK(level(alone("swap_used 4096\npaged 3"), "swap") == Level::warning);
    CHECK(level(alone("huge_pages always"), "huge_pages") == Level::note);
    CHECK(level(alone("nodes 0-1;2-3\nnuma_balancing 1"), "numa") == Level::note);
    CHECK(level(alone("nodes 0-1;2-3"), "numa") == Level::fine);
    CHECK(level(alone("shm_free 6e7"), "shared_memory") == Level::warning);
    CHECK(level(alone("tmp_free 1e6"), "temporary_files") == Level::warning);
    CHECK(level(alone("tmp_type nfs"), "temporary_files") == Level::note);
    CHECK(level(alone("smt 1"), "smt") == Level::note);
    CHECK(level(alone("load 1.5"), "load") == Level::note);
    CHECK(level(alone("steal 0.001"), "steal") == Level::note);
    CHECK(level(alone("steal 0.02"), "steal") == Level::warning);
}

TEST_CASE("processor use beyond that of the ranks is attributed to other programs, by name", "[doctor]") {
    CHECK(level(alone("busy_cores 1.09"), "other_programs") == Level::fine);
    CHECK(level(alone("busy_cores 1.25"), "other_programs") == Level::warning);
    CHECK(level(alone("busy_cores 1.25\nbusy_error 0.2"), "other_programs") == Level::fine);
    auto const busy = found(alone("busy_cores 2.5\nprocesses 9 1.40 cc1 plus;7 1.00 rank"), "other_programs");
    CHECK(busy.level == Level::warning);
    REQUIRE(busy.details.size() == 1);
    CHECK(busy.details[0].text == "1.5 of 4 cores: cc1 plus (9) 1.40");
    CHECK_THAT(found(alone("busy_cores 2.5"), "other_programs").details[0].text, ContainsSubstring("that are hidden"));
}

TEST_CASE("each rank needs its own core", "[doctor]") {
    auto const both = [](char const* a, char const* b, char const* host = "") {
        return world_of({quiet_rank(a), quiet_rank(b)}, std::string{"busy_cores 2\n"} + host);
    };
    CHECK(worst(diagnose(both("0", "1"))) == Level::fine);
    CHECK(level(both("0", "0"), "oversubscription") == Level::warning);
    auto const three = world_of({quiet_rank("1"), quiet_rank("0-3"), quiet_rank("1")}, "busy_cores 3");
    CHECK(found(three, "shared_cores").details[0].text == "ranks 0, 2 on processing unit 1");
    CHECK(level(three, "shared_cores") == Level::warning);
    auto const siblings = found(both("0", "2", "siblings 0,2;1,3"), "shared_cores");
    CHECK(siblings.level == Level::warning);
    CHECK_THAT(siblings.text, ContainsSubstring("SMT"));
    CHECK(level(both("0", "2", "siblings 0,1;2,3"), "shared_cores") == Level::fine);
    CHECK(level(both("0-1", "0-1", "siblings 0,1;2,3"), "shared_cores") == Level::warning);
    CHECK(level(world_of({quiet_rank("0", "quota 1"), quiet_rank("1", "quota 1")}), "quota") == Level::warning);
    CHECK(level(world_of({quiet_rank("0", "quota 2")}), "quota") == Level::note);
}

TEST_CASE("a rank that is not bound is a note, and a warning if it was seen to move", "[doctor]") {
    CHECK(level(world_of({quiet_rank("0-3")}), "binding") == Level::note);
    CHECK(level(world_of({quiet_rank("0-3", "units_used 1")}), "binding") == Level::note);
    CHECK(level(world_of({quiet_rank("0-3", "units_used 2")}), "binding") == Level::warning);
    CHECK(worst(diagnose(world_of({quiet_rank("0-3"), quiet_rank("0-3")}, "busy_cores 2"))) == Level::note);
    CHECK(level(world_of({quiet_rank("0,2")}, "siblings 0,2;1,3"), "binding") == Level::fine);
    auto const all = diagnose(world_of(
        {quiet_rank("0-3", "units_used 3"), quiet_rank("1"), quiet_rank("0-3", "units_used 3")}, "nodes 0-1;2-3"));
    auto const loose = std::find_if(all.begin(), all.end(),
                                    [](auto const& f) { return f.topic == "binding" && f.level == Level::warning; });
    REQUIRE(loose != all.end());
    CHECK(loose->ranks == std::vector{0, 2});
    CHECK(loose->details[0].text == "4 processing units on 2 memory nodes, 3 of them used");
}

TEST_CASE("the clocks, library and interruptions of a rank are judged", "[doctor]") {
    auto const judged = [](std::string const& more, char const* topic) {
        return level(world_of({quiet_rank("2", more)}), topic);
    };
    CHECK(judged("launched 4", "launcher") == Level::warning);
    CHECK(judged("mpi_build debug (-O0)", "mpi_library") == Level::warning);
    CHECK(judged("mpi_threads multiple", "mpi_threads") == Level::note);
    CHECK(judged("wall_clock_step -0.5", "wall_clock") == Level::warning);
    auto pair = world_of({quiet_rank("0"), quiet_rank("1", "tsc_offset -2e-6")});
    CHECK(diagnose(pair).front().topic == "tsc_offset");
    CHECK(diagnose(pair).front().ranks == std::vector{1});

    auto world =
        world_of({quiet_rank("2", "timer:mpi_wtime warning: a reading costs 2 us\ntimer:tsc failure: 3 steps")});
    CHECK(diagnose(world)[0].details[0].text == "3 steps");
    CHECK(diagnose(world)[1].level == Level::note);

    world = world_of({quiet_rank("2")});
    world.ranks[0].noise.lost = 0.005;
    CHECK(level(world, "interruptions") == Level::note);
    world.ranks[0].noise.lost = 0.02;
    CHECK(level(world, "interruptions") == Level::warning);
    world.ranks[0].noise = {.duration = 1, .lost = 0.004, .longest = 0.004, .pauses = 1};
    CHECK(level(world, "interruptions") == Level::warning);
    world.ranks[0].work.median = 1.05e-4;
    CHECK(level(world, "speed") == Level::note);
    world.ranks[0].work.median = 1.2e-4;
    CHECK(level(world, "speed") == Level::warning);
}

TEST_CASE("hosts and ranks that differ are reported with their values", "[doctor]") {
    World world{.hosts = {{.name = "a", .facts = facts(quiet_host), .ranks = {0, 2}},
                          {.name = "b", .facts = facts(quiet_host + std::string{"kernel 5.10\n"}), .ranks = {1, 3}}},
                .ranks = {quiet_rank("0"), quiet_rank("0", "env:UCX_TLS tcp"), quiet_rank("1"),
                          quiet_rank("1", "env:UCX_TLS tcp\nenv:UCX_NET_DEVICES eth0")}};
    auto const all = diagnose(world);
    REQUIRE(all.size() > 3);
    CHECK(all[0].text == "hosts differ in kernel");
    REQUIRE(all[0].details.size() == 2);
    CHECK(all[0].details[0].text == "5.10");
    CHECK(all[0].details[0].ranks == std::vector{1, 3});
    CHECK(all[1].text == "hosts differ in the environment variable UCX_TLS");
    CHECK(all[2].text == "ranks differ in the environment variable UCX_NET_DEVICES");
    CHECK(all[2].level == Level::note);
    auto const text = text_of(world, all);
    CHECK_THAT(text, ContainsSubstring("a (ranks 0,2): 6.1\n"));
    CHECK_THAT(text, ContainsSubstring("warning  hosts differ in kernel\n"));

    world.ranks[3].work.fastest = 1.5e-4;
    auto const again = diagnose(world);
    auto const slow = std::find_if(again.begin(), again.end(),
                                   [](auto const& f) { return f.text.find("equally fast") != std::string::npos; });
    REQUIRE(slow != again.end());
    CHECK(slow->details.back().text == "50 % slower");
}

TEST_CASE("ranks in containers on the same machine are not other programs to each other", "[doctor]") {
    auto const boot = [](char const* text) { return facts(quiet_host + std::string{"busy_cores 2\nboot "} + text); };
    World world{
        .hosts = {{.name = "a", .facts = boot("x"), .ranks = {0}}, {.name = "b", .facts = boot("x"), .ranks = {1}}},
        .ranks = {quiet_rank("0"), quiet_rank("1")}};
    CHECK(level(world, "other_programs") == Level::fine);
    CHECK_THAT(found(world, "one_machine").text, ContainsSubstring("a, b are containers on one machine"));
    CHECK(level(world, "one_machine") == Level::note);
    world.hosts[1].facts = boot("y");
    CHECK(level(world, "other_programs") == Level::warning);
    CHECK(worst(differences(world)) == Level::fine);
}

TEST_CASE("equal findings of several hosts are merged into one", "[doctor]") {
    World world{.hosts = {{.name = "a", .facts = facts(quiet_host + std::string{"load 2\n"}), .ranks = {0}},
                          {.name = "b", .facts = facts(quiet_host + std::string{"load 3\n"}), .ranks = {1}},
                          {.name = "c", .facts = facts(quiet_host), .ranks = {2}}},
                .ranks = {quiet_rank("0"), quiet_rank("0"), quiet_rank("0")}};
    auto const all = diagnose(world);
    CHECK(all[0].topic == "load");
    CHECK(all[0].ranks == std::vector{0, 1});
    CHECK(all[0].details.size() == 2);
    CHECK_THAT(text_of(world, all), ContainsSubstring("note     a, b (ranks 0-1): programs ran") &&
                                        ContainsSubstring("b (rank 1): load 3.00 on 4 processing units\n"));
}

TEST_CASE("a report shows no control characters and escapes markup", "[doctor]") {
    auto const world = alone("busy_cores 3\nprocesses 9 2.00 \x1b[31m<script>|`evil`");
    auto const all = diagnose(world);
    CHECK_THAT(text_of(world, all), ContainsSubstring("?[31m<script>"));
    auto const page = markdown_of(world, all);
    CHECK(page.find('\x1b') == std::string::npos);
    CHECK(page.find("<script>") == std::string::npos);
    CHECK_THAT(measure::json_text(json_of(world, all, measure::seconds{2})),
               ContainsSubstring(R"("level":"warning")") && ContainsSubstring(R"(\u001b[31m)"));
}

TEST_CASE("with many ranks, the report shows the ranks that lost the most time", "[doctor]") {
    World world = world_of(std::vector<Rank>(40, quiet_rank("0-3")));
    for (std::size_t rank = 0; rank < 40; ++rank)
        world.ranks[rank].noise.lost = rank < 20 ? 0.001 * static_cast<double>(rank) : 0.5;
    auto const text = text_of(world, diagnose(world));
    CHECK_THAT(text, ContainsSubstring("the 32 ranks that lost most") && ContainsSubstring("\n  39  node1"));
    CHECK(text.find("\n   0  node1") == std::string::npos);
}

}  // namespace doctor_test
