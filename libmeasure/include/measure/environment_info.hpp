// SPDX-License-Identifier: BSD-3-Clause
/// Environment info: where and how a run was made; the first line of every record file.
#pragma once

#include "measure/record.hpp"
#include "measure/sync_report.hpp"
#include "measure/timer_info.hpp"

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
    int cores = 1;                     ///< processing units that these ranks may use; 0: not known
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
    std::string version{};               ///< of the program; empty: not known
    std::vector<std::string> command{};  ///< the command line, word by word
    std::string started{};               ///< ISO 8601, UTC; empty: not known
    std::optional<std::string>
        mpi_library{};           ///< first line of MPI_Get_library_version, shortened; nothing without MPI
    std::string mpi_standard{};  ///< "4.0"; empty: not known
    /// By name; nothing without MPI, and in records that do not say. Environment variables of the MPI library and its
    /// transports on the root under their own names; `FILE: name`: parameters from Open MPI's files; `NAME (content)`:
    /// a hash of the file that a setting names; `binding`: where ranks may run; `library_file`: name and hash of the
    /// file that MPI is in.
    std::optional<std::vector<Setting>> mpi_settings{};
    std::optional<Campaign> campaign{};        ///< nothing: the run was started by itself
    int ranks = 1;                             ///< of the communicator
    std::vector<Host> hosts{};                 ///< in the order of their first ranks; none: not known
    bool oversubscribed = false;               ///< on some host there are more ranks than processing units
    std::optional<std::string> kernel{};       ///< name and release, of the root's host
    std::optional<std::string> clocksource{};  ///< what the kernel reads, of the root's host: "tsc"
    std::optional<std::string> governor{};     ///< of the root's first core: "performance"
    std::string compiler{};                    ///< that built the library; empty: not known
    TimerInfo timer{};                         ///< largest values over the ranks
    std::optional<SyncReport> clock_sync{};    ///< first synchronisation of all ranks
    Value options = Value::Object{};           ///< an object: every option as resolved
    std::vector<std::string> warnings{};       ///< texts that were shown to the user
    Value::Object more{};                      ///< what a suite adds to the run line under names of its own
};

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

}  // namespace measure
#pragma GCC visibility pop
