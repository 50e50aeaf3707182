// SPDX-License-Identifier: BSD-3-Clause
/// Facts: named properties of a host and a process. Unknown properties are missing.
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

/// Named values. Numbers are stored as text; elements of lists are separated by ';'. The functions that collect facts
/// list the names.
class Facts {
public:
    void set(std::string name, std::string value) { values_.insert_or_assign(std::move(name), std::move(value)); }
    void set(std::string name, std::optional<std::string> value);
    void set(std::string name, double value);
    void add(Facts const& others);

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    /// The value as a number; nothing if it is missing or does not begin with a number.
    [[nodiscard]] std::optional<double> number(std::string_view name) const;
    /// The elements of a list; empty if it is unknown.
    [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
    [[nodiscard]] std::map<std::string, std::string, std::less<>> const& all() const noexcept { return values_; }

    /// All facts as one text, for sending.
    [[nodiscard]] std::string packed() const;
    [[nodiscard]] static Facts unpacked(std::string_view text);
    /// Parses lines "NAME VALUE". Simulated trees use them for facts that do not come from files.
    [[nodiscard]] static Facts from_lines(std::string_view text);

private:
    std::map<std::string, std::string, std::less<>> values_;
};

/// The properties of a host: host boot cpu kernel machine governors turbo smt online siblings nodes clocksource
/// clocksources hypervisor container load mem_total mem_available swap_used (bytes) huge_pages numa_balancing tmp
/// tmp_type tmp_free tmp_size shm_free shm_size (bytes); idle_state and idle_latency (us) of the deepest enabled idle
/// state; irqs: "NUMBER UNITS NAME" of each device that has interrupted, UNITS being the processing units that it may
/// interrupt; mem_limit and mem_left (bytes) if a control group leaves less memory than the host has. Local.
/// \param temporary_folder  folder for temporary files
[[nodiscard]] Facts host_facts(Tree const& tree, std::string const& temporary_folder);

/// The properties of this process: host boot pid cpus quota (cores, or "none"). After observing, ranks add units_used
/// (processing units) cores_used wall_clock_step. Local.
[[nodiscard]] Facts process_facts(Tree const& tree);

/// The processing units that a process may use; empty if unknown. \param process  see `process_facts`
[[nodiscard]] std::vector<int> units_of(Facts const& process);

/// The core number of each unit: units of the same core have the same number. A unit without known siblings is a
/// separate core. \param host  see `host_facts`
[[nodiscard]] std::vector<int> cores_of(std::vector<int> const& units, Facts const& host);

/// The variables that configure MPI libraries, as "env:NAME", except variables that launchers set for each rank; and
/// `launched`, the largest number of ranks in a launcher's variables. \param variables  "NAME=VALUE" each
[[nodiscard]] Facts variable_facts(std::vector<std::string> const& variables);

/// The kind of build of an MPI library, from the text of MPI_Get_library_version: "optimised", "debug (-O0)", or
/// nothing if the text does not contain it.
[[nodiscard]] std::optional<std::string> mpi_build(std::string_view library);

/// Counters of a host at one moment.
struct Activity {
    struct Process {
        std::string name{};
        double ticks = 0;  ///< processor time used since the process began, in ticks of 10 ms
    };
    double busy = 0;   ///< busy time of all processing units, in ticks
    double steal = 0;  ///< time taken by the hypervisor, in ticks of all processing units
    double total = 0;  ///< total time including idle time, in ticks of all processing units
    double paged = 0;  ///< pages moved to and from swap
    int units = 0;     ///< number of processing units
    std::map<int, Process> processes{};
    Interrupts interrupts{};
};
enum class Moment { begin, end };
/// Whether the counters begin or end an observation. The host's counters are read last at the beginning and first at
/// the end, because reading all processes takes time.
[[nodiscard]] Activity activity(Tree const& tree, Moment moment);

/// The activity between two moments: busy_cores and busy_error (in cores; the error comes from counting in ticks),
/// steal (share of the time), paged (pages), processes: "PID SHARE NAME" of the 20 busiest processes with at least 2 %
/// of a core, and interrupts: "UNIT PER_SECOND NAME".
[[nodiscard]] Facts activity_facts(Activity const& before, Activity const& after);

}  // namespace measure::tool::machine
