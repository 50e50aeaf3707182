// SPDX-License-Identifier: BSD-3-Clause
/// Facts: what a host and a process say about themselves, name by name. What is not known is not there.
#pragma once

#include "machine/interrupts.hpp"
#include "machine/tree.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::machine {

/// Numbers are written as text; lists are separated by ';'. Names are listed where facts are collected.
class Facts {
public:
    void set(std::string name, std::string value) { values_.insert_or_assign(std::move(name), std::move(value)); }
    void set(std::string name, std::optional<std::string> value);
    void set(std::string name, double value);
    void add(Facts const& others);

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    /// Nothing where the value does not begin with a number.
    [[nodiscard]] std::optional<double> number(std::string_view name) const;
    /// The parts of a list; empty where it is not known.
    [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
    [[nodiscard]] std::map<std::string, std::string, std::less<>> const& all() const noexcept { return values_; }

    /// As one text, to be sent.
    [[nodiscard]] std::string packed() const;
    [[nodiscard]] static Facts unpacked(std::string_view text);
    /// From lines "NAME VALUE": what a made-up tree says of what cannot be read from files.
    [[nodiscard]] static Facts from_lines(std::string_view text);

private:
    std::map<std::string, std::string, std::less<>> values_;
};

/// What a host is: host boot cpu kernel machine governors turbo smt online siblings nodes clocksource clocksources
/// hypervisor container load mem_total mem_available swap_used (bytes) huge_pages numa_balancing tmp tmp_type tmp_free
/// tmp_size shm_free shm_size (bytes), idle_state and idle_latency (us) of the deepest state of idle that is enabled,
/// and irqs: "NUMBER UNITS NAME" of each device that has interrupted, UNITS that it may interrupt; where a control
/// group leaves less memory than the host has, mem_limit and mem_left (bytes). Local.
/// \param temporary_folder  where programs put their files
[[nodiscard]] Facts host_facts(Tree const& tree, std::string const& temporary_folder);

/// What this process is by the system's account: host boot pid cpus quota (cores, or "none"). What ranks add when they
/// have watched: units_used (processing units) cores_used wall_clock_step. Local.
[[nodiscard]] Facts process_facts(Tree const& tree);

/// The processing units that a process may use; empty where that is not known. \param process  see `process_facts`
[[nodiscard]] std::vector<int> units_of(Facts const& process);

/// The number of the physical core of each of these units: units of one core have the same. A unit that is not known to
/// have siblings is a core by itself. \param host  see `host_facts`
[[nodiscard]] std::vector<int> cores_of(std::vector<int> const& units, Facts const& host);

/// The variables that steer MPI libraries, each as "env:NAME", without those that launchers set for a single rank; and
/// `launched`, the largest number of ranks that a launcher says it has started. \param variables  "NAME=VALUE" each
[[nodiscard]] Facts variable_facts(std::vector<std::string> const& variables);

/// How an MPI library was built, from what MPI_Get_library_version says: "optimised", "debug (-O0)", or nothing where
/// it does not say.
[[nodiscard]] std::optional<std::string> mpi_build(std::string_view library);

/// What a host was doing at a moment.
struct Activity {
    struct Process {
        std::string name{};
        double ticks = 0;  ///< of 10 ms, used since its start
    };
    double busy = 0;   ///< ticks of all processing units
    double steal = 0;  ///< likewise, taken by the hypervisor
    double total = 0;  ///< likewise, idle ones too
    double paged = 0;  ///< pages to and from swap
    int units = 0;     ///< processing units
    std::map<int, Process> processes{};
    Interrupts interrupts{};
};
enum class Moment { begin, end };
/// The host's account is read last at the beginning and first at the end: looking through all processes takes its time.
[[nodiscard]] Activity activity(Tree const& tree, Moment moment);

/// What was done between two moments: busy_cores busy_error (cores: accounts are kept in ticks) steal (share of the
/// time) paged, processes: "PID SHARE NAME" of
/// the busiest 20 that used at least 2 % of a core, and interrupts: "UNIT PER_SECOND NAME".
[[nodiscard]] Facts activity_facts(Activity const& before, Activity const& after);

}  // namespace measure::tool::machine
