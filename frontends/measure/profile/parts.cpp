// SPDX-License-Identifier: BSD-3-Clause
#include "profile/parts.hpp"

#include "profile/join.hpp"
#include "program/cli/values.hpp"
#include "run/launcher.hpp"

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
#include <memory>
#include <system_error>

namespace measure_tool {

namespace {

namespace fs = std::filesystem;
using measure::profile::RankTable;

/// The table of a rank in a file.
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
            throw measure::UsageError("it is not whole");
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

using Tables = std::vector<std::shared_ptr<MappedTable const>>;

/// What this process knows of the machine, and the tables of the run. The command runs where this one does, or on
/// hosts of which the tables say no more than names and cores.
measure::Environment environment_of(Tables const& tables) {
    RankTable const& first = **tables.front();
    auto const solo = measure::Comm::solo();
    auto run = measure::environment(solo, measure::timer_from(first.timer.data(), solo));
    auto const cpu = run.hosts.empty() ? std::nullopt : run.hosts.front().cpu;
    run.suite = "profile";
    run.command = measure::profile::command_of(first);
    auto const program = run.command.empty() ? std::string{"unknown"} : run.command.front();
    run.program = program.substr(program.rfind('/') + 1);
    run.version = measure::version();
    run.started = program::utc_text(first.started);
    run.ranks = first.world;
    run.mpi_library = runs::surroundings().mpi_library;
    int version = 0;
    int subversion = 0;
    MPI_Get_version(&version, &subversion);
    run.mpi_standard = fmt::format("{}.{}", version, subversion);
    run.hosts.clear();
    std::map<std::string, std::vector<int>> ranks;
    std::map<std::string, int> cores;
    for (auto const& table : tables) {
        std::string const host{(*table)->host.data()};
        ranks[host].push_back((*table)->rank);
        cores[host] = std::max(cores[host], (*table)->usable_cores);
    }
    for (auto& [host, list] : ranks) {
        std::sort(list.begin(), list.end());
        run.hosts.push_back({.name = host, .ranks = measure::rank_ranges(list), .cores = cores[host], .cpu = cpu});
        run.oversubscribed = run.oversubscribed || static_cast<int>(list.size()) > cores[host];
    }
    run.options["timer"] = first.timer.data();
    run.options["counts_only"] = first.counts_only != 0;
    run.options["waiting"] = first.waits != 0;
    run.options["sites"] = first.sites != 0;
    return run;
}

std::string record_of(Tables const& tables, int exit_code) {
    auto run = environment_of(tables);
    auto all = measure::profile::joined(**tables.front());
    for (std::size_t i = 1; i < tables.size(); ++i)
        all.add(measure::profile::joined(**tables[i]));
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

/// A rank is in one run only once: what was started later is another run.
std::vector<Tables> by_run(Tables tables) {
    std::sort(tables.begin(), tables.end(), [](auto const& a, auto const& b) { return (*a)->begin < (*b)->begin; });
    std::vector<Tables> runs;
    for (auto const& table : tables) {
        auto const has_room = [&](Tables const& run) {
            return (*run.front())->world == (*table)->world &&
                   std::none_of(run.begin(), run.end(),
                                [&](auto const& other) { return (*other)->rank == (*table)->rank; });
        };
        auto const run = std::find_if(runs.begin(), runs.end(), has_room);
        if (run == runs.end())
            runs.push_back({table});
        else
            run->push_back(table);
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
    Tables tables;
    for (auto const& file : files)
        try {
            auto table = std::make_shared<MappedTable const>(file);
            static_cast<void>(measure::profile::joined(**table));
            tables.push_back(std::move(table));
        } catch (measure::UsageError const& fault) {
            problems.push_back(fmt::format("the part of a rank cannot be read: {}: {}", file, fault.what()));
        }
    std::string text;
    for (auto const& run : by_run(std::move(tables)))
        text += record_of(run, exit_code);
    return text;
}

}  // namespace measure_tool
