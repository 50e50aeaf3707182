// SPDX-License-Identifier: BSD-3-Clause
/// Environment: where and how a run was made; the first line of every record file.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/record.hpp"
#include "measure/timer.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A machine of the run.
struct Host {
    std::string name{};                ///< as MPI_Get_processor_name has it
    std::string ranks{};               ///< ranks of the communicator as ranges, "0-3,8"
    int cores = 1;                     ///< processing units that these ranks may use
    std::optional<std::string> cpu{};  ///< model name
};

/// A setting of the MPI library, or of what it sends with, that can change a number.
struct Setting {
    std::string name{};                                                ///< of the environment variable, or "binding"
    std::string value{};                                               ///< as text
    friend bool operator==(Setting const&, Setting const&) = default;  ///< both alike
};

/// The series of starts that a run is one of.
struct Campaign {
    std::string id{};                                                    ///< of the series
    int launch = 1;                                                      ///< number of the start, from 1
    friend bool operator==(Campaign const&, Campaign const&) = default;  ///< both alike
};

/// Where and how a run was made. Times in seconds.
struct Environment {
    std::string suite{};                 ///< groups programs that can be compared
    std::string program{};               ///< name of the executable
    std::string version{};               ///< of the program
    std::vector<std::string> command{};  ///< the command line, word by word
    std::string started{};               ///< ISO 8601, UTC
    std::optional<std::string>
        mpi_library{};           ///< first line of MPI_Get_library_version, shortened; nothing without MPI
    std::string mpi_standard{};  ///< "4.0"
    /// By name; nothing without MPI, and in records that do not say. Environment variables of the MPI library and its
    /// transports on the root under their own names; `binding`: where ranks may run; `library_file`: name and hash of
    /// the file that MPI is in.
    std::optional<std::vector<Setting>> mpi_settings{};
    std::optional<Campaign> campaign{};        ///< nothing: the run was started by itself
    int ranks = 1;                             ///< of the communicator
    std::vector<Host> hosts{};                 ///< in the order of their first ranks
    bool oversubscribed = false;               ///< on some host there are more ranks than processing units
    std::optional<std::string> kernel{};       ///< name and release, of the root's host
    std::optional<std::string> clocksource{};  ///< what the kernel reads, of the root's host: "tsc"
    std::optional<std::string> governor{};     ///< of the root's first core: "performance"
    std::string compiler{};                    ///< that built the library
    TimerInfo timer{};                         ///< largest values over the ranks
    std::optional<SyncReport> clock_sync{};    ///< first synchronisation of all ranks
    Value options = Value::Object{};           ///< an object: every option as resolved
    std::vector<std::string> warnings{};       ///< texts that were shown to the user
    Value::Object more{};                      ///< what a suite adds to the run line under names of its own
};

/// Fills everything that the machine knows: start time, MPI, ranks, hosts (by processor name, in the order of their
/// first ranks), and of the root's host kernel, clock source and governor; what cannot be read is left out. The timer
/// is calibrated on every rank; its resolution, granularity and costs are the largest over the ranks. Hosts that are
/// containers of one machine are warned of. The campaign is what the environment variable MEASURE_CAMPAIGN says on the
/// root, "ID:LAUNCH"; another text is warned of. Suite, program, version, command, options, clock_sync are the
/// caller's. Collective; complete on the root, where the memory grows with the number of ranks. On the other ranks
/// nearly empty. \throws MpiError
[[nodiscard]] Environment environment(Comm const& comm, AnyTimer const& timer);

/// Numbers as ranges, "0-3,8". \param ranks  ascending
[[nodiscard]] std::string rank_ranges(std::span<int const> ranks);

/// The settings of MPI libraries and their transports (MPICH and what is made of it, Open MPI, PMIx, PRRTE, UCX,
/// libfabric, hcoll, threads, preloaded libraries) among environment variables, by name. What launchers set for each
/// start or rank (addresses, sockets, process and rank numbers, folders) is left out. \param variables  "NAME=VALUE"
[[nodiscard]] std::vector<Setting> settings_among(std::span<std::string const> variables);

/// What a record may have as its suite, for a program of any name: "./My Code" is "my_code".
[[nodiscard]] std::string suite_name(std::string_view program);

/// Version of the library, "0.1.0".
[[nodiscard]] char const* version() noexcept;

namespace detail {

/// Name and version out of what MPI_Get_library_version says: "MPICH 4.0.2", "Open MPI 4.1.4"; of an unknown library
/// the first line.
[[nodiscard]] std::string short_library_name(std::string_view full);

/// What one rank says about where it runs.
struct RankPlace {
    std::string host{};
    std::string mask{};  ///< affinity mask, one bit per processing unit; empty where it is unknown
    std::string cpu{};   ///< model name; empty where it is unknown
    /// What a running system and everything in it has alone: its boot's number; empty where it is unknown.
    std::string boot{};
};

/// Hosts in the order of their first ranks; cores = processing units in the union of the masks, at least one.
/// \param places  [ranks]
[[nodiscard]] std::vector<Host> group_by_host(std::span<RankPlace const> places);

/// The processing units that each rank of a host may use, as ranges: "0|1"; once where they are the same for all ranks
/// of the host, "0-1". Hosts that are alike are told once, different ones behind "; ". A long text is cut, and ends
/// with a hash of the whole. Empty where nothing is known. \param places  [ranks]
[[nodiscard]] std::string binding_of(std::span<RankPlace const> places);

/// "ID:LAUNCH"; nothing for another text.
[[nodiscard]] std::optional<Campaign> campaign_from(std::string_view text);

/// One text for each machine that stands for several hosts, which containers do: "hosts a, b are containers of one
/// machine ..", with the ranks and the processing units that they share. \param places  [ranks]
[[nodiscard]] std::vector<std::string> shared_machines(std::span<RankPlace const> places);

}  // namespace detail

}  // namespace measure
#pragma GCC visibility pop
