// SPDX-License-Identifier: BSD-3-Clause
/// Environment info: machine, software and settings of a launch; the first line of every record file.
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

/// A host of the launch.
struct Host {
    std::string name{};                ///< name by MPI_Get_processor_name
    std::string ranks{};               ///< its ranks in the communicator, as ranges: "0-3,8"
    int cores = 1;                     ///< number of processing units that these ranks may use; 0: unknown
    std::optional<std::string> cpu{};  ///< model name of the processor
};

/// A setting that can influence results, of the MPI library or its transports.
struct Setting {
    std::string name{};                                                ///< name, see `Environment::mpi_settings`
    std::string value{};                                               ///< value as text
    friend bool operator==(Setting const&, Setting const&) = default;  ///< equal if both members are equal
};

/// The campaign that a launch belongs to: the launches that one command makes of one side.
struct Campaign {
    std::string id{};  ///< identifier of the campaign
    int launch = 1;    ///< number of the launch in the campaign, from 1
    friend bool operator==(Campaign const&, Campaign const&) = default;  ///< equal if both members are equal
};

/// Machine, software and settings of a launch. Times in seconds.
struct Environment {
    std::string suite{};                       ///< name that programs with comparable results share
    std::string program{};                     ///< name of the executable
    std::string version{};                     ///< version of the program; empty: unknown
    std::vector<std::string> command{};        ///< the command line, word by word
    std::string started{};                     ///< ISO 8601, UTC; empty: unknown
    std::optional<std::string> mpi_library{};  ///< first line of MPI_Get_library_version, shortened; empty without MPI
    std::string mpi_standard{};                ///< "4.0"; empty: unknown
    /// Sorted by name. Empty without MPI, and in records that do not contain them. There are five kinds:
    /// - environment variables of the MPI library and its transports on the root, with their own names
    /// - `FILE: name`: parameters from Open MPI's files
    /// - `NAME (content)`: a hash of the file that a setting names
    /// - `binding`: where ranks may run
    /// - `library_file`: name and hash of the MPI library's file
    std::optional<std::vector<Setting>> mpi_settings{};
    std::optional<Campaign> campaign{};        ///< empty: the launch is not part of a campaign
    int ranks = 1;                             ///< number of ranks of the communicator
    std::vector<Host> hosts{};                 ///< in the order of their first ranks; empty: unknown
    bool oversubscribed = false;               ///< whether some host has more ranks than processing units
    std::optional<std::string> kernel{};       ///< name and release, on the root's host
    std::optional<std::string> clocksource{};  ///< clock source of the kernel on the root's host, "tsc"
    std::optional<std::string> governor{};     ///< frequency governor of the root's first core, "performance"
    std::string compiler{};                    ///< compiler that built the library; empty: unknown
    TimerInfo timer{};                         ///< largest values over the ranks
    std::optional<SyncReport> clock_sync{};    ///< first synchronisation of all ranks
    Value options = Value::Object{};           ///< an object with the final value of every option
    std::vector<std::string> warnings{};       ///< warnings that were shown to the user
    Value::Object more{};                      ///< additional members that a suite writes to the run line
};

/// Formats numbers as ranges: "0-3,8". \param ranks  ascending
[[nodiscard]] std::string rank_ranges(std::span<int const> ranks);

/// Selects the settings of MPI libraries and their transports (MPICH and its derivatives, Open MPI, PMIx, PRRTE, UCX,
/// libfabric, hcoll, threads, preloaded libraries) from environment variables, sorted by name. Variables that launchers
/// set for each launch or rank (addresses, sockets, process and rank numbers, folders) are excluded.
/// \param variables  "NAME=VALUE"
[[nodiscard]] std::vector<Setting> settings_among(std::span<std::string const> variables);

/// Converts the name of a program to a valid suite name: "./My Code" becomes "my_code".
[[nodiscard]] std::string suite_name(std::string_view program);

/// Version of the library, such as "0.1.0".
[[nodiscard]] char const* version() noexcept;

}  // namespace measure
#pragma GCC visibility pop
