// SPDX-License-Identifier: BSD-3-Clause
#include "profile/parts.hpp"

#include "launching/launcher.hpp"
#include "profile/join.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/signals.hpp"

#include <measure/environment.hpp>
#include <measure/error.hpp>
#include <measure/report.hpp>
#include <measure/timer.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace measure::tool {

namespace {

namespace fs = std::filesystem;
using measure::profile::RankTable;

/// A rank's table in a file, mapped into memory.
class MappedTable {
public:
    /// \throws measure::UsageError
    explicit MappedTable(std::string const& path) {
        int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct ::stat status {};
        bool const is_whole = file >= 0 && ::fstat(file, &status) == 0 && status.st_size >= ::off_t{sizeof(RankTable)};
        void* const memory =
            is_whole ? ::mmap(nullptr, sizeof(RankTable), PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
        if (file >= 0)
            ::close(file);
        if (memory == MAP_FAILED)
            throw measure::UsageError("it is incomplete");
        table_ = static_cast<RankTable const*>(memory);
    }
    ~MappedTable() { ::munmap(const_cast<RankTable*>(table_), sizeof(RankTable)); }
    MappedTable(MappedTable const&) = delete;
    MappedTable& operator=(MappedTable const&) = delete;
    RankTable const& operator*() const noexcept { return *table_; }
    RankTable const* operator->() const noexcept { return table_; }

private:
    RankTable const* table_ = nullptr;
};

/// The data that a rank left. The table is not kept mapped: a process may have fewer mappings than there are ranks.
struct Part {
    measure::profile::Joined joined{};  ///< data of this rank only
    std::uint64_t begin = 0;            ///< end of MPI_Init, as in the table
    std::string started{};
    std::string host{};
    int usable_cores = 1;
    std::string timer{};
    std::vector<std::string> command{};

    [[nodiscard]] int rank() const { return joined.ranks.front().rank; }
};
using Parts = std::vector<Part>;

/// \throws measure::UsageError
Part part_in(std::string const& file) {
    MappedTable const table{file};
    // This call first checks whether the rest can be read.
    Part part{.joined = measure::profile::joined(*table)};
    part.begin = table->begin;
    part.started = program::utc_text(table->started);
    part.host = table->host.data();
    part.usable_cores = table->usable_cores;
    part.timer = table->timer.data();
    part.command = measure::profile::command_of(*table);
    return part;
}

/// The timer of a recording; if this host does not have it, the monotonic clock, which every host has.
measure::AnyTimer timer_called(std::string const& name, measure::Comm const& comm) {
    if (name != "tsc")
        return measure::MonotonicTimer{};
    try {
        return measure::timer_from(name, comm);
    } catch (measure::UsageError const&) {
        return measure::MonotonicTimer{};
    }
}

/// The environment of the run, from this process and from the parts. Processor and system are those of this host; for
/// other hosts the parts give only names and cores.
measure::Environment environment_of(Parts const& parts) {
    Part const& first = parts.front();
    auto const solo = measure::Comm::solo();
    auto run = measure::environment(solo, timer_called(first.timer, solo));
    if (run.timer.name != first.timer)
        run.warnings.push_back(fmt::format("the timer '{}' is not available here; resolution and cost are given for {}",
                                           first.timer, run.timer.name));
    auto const cpu = run.hosts.empty() ? std::nullopt : run.hosts.front().cpu;
    run.suite = "profile";
    run.command = first.command;
    auto const program = run.command.empty() ? std::string{"unknown"} : run.command.front();
    run.program = program.substr(program.rfind('/') + 1);
    run.started = first.started;
    run.ranks = first.joined.world;
    run.mpi_library = surroundings().mpi_library;
    int version = 0;
    int subversion = 0;
    MPI_Get_version(&version, &subversion);
    run.mpi_standard = fmt::format("{}.{}", version, subversion);
    run.hosts.clear();
    std::map<std::string, std::vector<int>> ranks;
    std::map<std::string, int> cores;
    for (auto const& part : parts) {
        ranks[part.host].push_back(part.rank());
        cores[part.host] = std::max(cores[part.host], part.usable_cores);
    }
    for (auto& [host, list] : ranks) {
        std::sort(list.begin(), list.end());
        run.hosts.push_back({.name = host, .ranks = measure::rank_ranges(list), .cores = cores[host], .cpu = cpu});
        run.oversubscribed = run.oversubscribed || static_cast<int>(list.size()) > cores[host];
    }
    run.options["timer"] = first.timer;
    run.options["counts_only"] = first.joined.counts_only;
    run.options["waiting"] = first.joined.waits;
    run.options["sites"] = first.joined.sites;
    return run;
}

std::string record_of(Parts const& parts, int exit_code) {
    auto run = environment_of(parts);
    measure::profile::Joined all;
    for (auto const& part : parts) {
        program::put_off_exit();
        all.add(part.joined);
    }
    measure::profile::describe(all, run);
    std::string text = measure::json_line(run) + '\n';
    for (auto const& point : measure::profile::points(all))
        text += measure::json_line(point) + '\n';
    bool const is_whole = static_cast<std::int32_t>(all.ranks.size()) == all.world &&
                          std::all_of(all.ranks.begin(), all.ranks.end(), [](auto const& rank) {
                              return rank.ending == measure::profile::Ending::finalized;
                          });
    measure::EndRecord end{.exit_code = exit_code};
    if (!is_whole) {
        end.status = exit_code > 128 ? "interrupted" : "failed";
        end.message = "ended without MPI_Finalize";
    }
    return text + measure::json_line(end) + '\n';
}

/// Groups the parts by run. A rank occurs once in a run: its second part belongs to the second run with a world of that
/// size.
std::vector<Parts> by_run(Parts parts) {
    std::sort(parts.begin(), parts.end(), [](Part const& a, Part const& b) { return a.begin < b.begin; });
    std::vector<Parts> runs;
    std::map<std::pair<int, int>, int> seen;           // number of parts seen for a rank and world size
    std::map<std::pair<int, int>, std::size_t> place;  // index into `runs` for the first, second .. run of a world size
    for (auto& part : parts) {
        int const world = part.joined.world;
        auto const before = seen[{world, part.rank()}]++;
        auto const run = place.try_emplace({world, before}, runs.size()).first->second;
        if (run == runs.size())
            runs.emplace_back();
        runs[run].push_back(std::move(part));
    }
    return runs;
}

}  // namespace

std::vector<std::string> part_files(std::string const& folder, std::string const& record) {
    std::vector<std::string> files;
    std::error_code none;
    if (!folder.empty())
        for (auto const& entry : fs::directory_iterator{folder, none})
            files.push_back(entry.path().string());
    fs::path const path{record};
    auto const prefix = path.filename().string() + '.';
    for (auto const& entry : fs::directory_iterator{path.has_parent_path() ? path.parent_path() : ".", none}) {
        auto const name = entry.path().filename().string();
        bool const numbered = name.size() > prefix.size() && name[prefix.size()] >= '0' && name[prefix.size()] <= '9';
        if (numbered && name.starts_with(prefix) && name.ends_with(".part"))
            files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string record_of_parts(std::vector<std::string> const& files, int exit_code, std::vector<std::string>& problems) {
    Parts parts;
    for (auto const& file : files) {
        // There may be thousands of files, and all must be kept after a signal.
        program::put_off_exit();
        try {
            parts.push_back(part_in(file));
        } catch (measure::UsageError const& fault) {
            problems.push_back(fmt::format("cannot read the part of a rank: {}: {}", file, fault.what()));
        }
    }
    std::string text;
    for (auto const& run : by_run(std::move(parts)))
        text += record_of(run, exit_code);
    return text;
}

}  // namespace measure::tool
