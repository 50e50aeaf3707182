// SPDX-License-Identifier: BSD-3-Clause
#include "profile/recorded_launch.hpp"

#include "launching/launcher.hpp"
#include "profile/parts.hpp"
#include "program/runtime/child.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <stdlib.h>
#include <system_error>
#include <utility>

namespace measure::tool {

namespace {

namespace fs = std::filesystem;

constexpr char const* library_name = "libmeasure_profile.so";

/// A folder in memory for the records of this host's ranks, so that they survive if the ranks are killed. The
/// destructor removes it.
class MemoryFolder {
public:
    MemoryFolder() {
        std::string path = "/dev/shm/measure-profile.XXXXXX";
        if (::mkdtemp(path.data()) != nullptr)
            path_ = path;
    }
    ~MemoryFolder() {
        std::error_code none;
        if (!path_.empty())
            fs::remove_all(path_, none);
    }
    MemoryFolder(MemoryFolder const&) = delete;
    MemoryFolder& operator=(MemoryFolder const&) = delete;
    /// Empty if the folder could not be created.
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    std::string path_{};
};

/// Variables that make the application's ranks load the library, and that tell it what to record.
program::Variables variables_of(ProfileOrder const& order, std::string const& record, std::string const& parts,
                                std::string const& preloaded) {
    char const* const others = std::getenv("LD_PRELOAD");
    return {{"MEASURE_PROFILE", record},
            {"MEASURE_PROFILE_PARTS", parts},
            {"MEASURE_PROFILE_TIMER", order.timer},
            {"MEASURE_PROFILE_COUNTS_ONLY", order.counts_only ? "1" : ""},
            {"MEASURE_PROFILE_SITES", order.sites ? "1" : ""},
            {"MEASURE_PROFILE_WAITING", order.waiting ? "1" : ""},
            {"LD_PRELOAD", others != nullptr && *others != '\0' ? preloaded + ":" + others : preloaded}};
}

/// The data that ranks recorded: the record for runs that reached MPI_Finalize, and the parts for other runs.
std::string recorded(std::string const& record, std::vector<std::string> const& parts, int code,
                     program::Session& session) {
    std::string text;
    if (fs::exists(record))
        text = program::file_text(record, program::Limit::line);
    std::vector<std::string> problems;
    text += record_of_parts(parts, code, problems);
    for (auto& problem : problems)
        session.warn(std::move(problem));
    return text;
}

}  // namespace

std::string profile_library() {
    auto const here = fs::path{own_path()}.parent_path();
    std::error_code none;
    for (auto const& folder :
         {here / MEASURE_PROFILE_FROM_TOOL, here.parent_path().parent_path() / "libmeasure" / "profile"})
        if (auto const path = fs::canonical(folder / library_name, none); !none && fs::is_regular_file(path, none))
            return path.string();
    throw measure::UsageError(
        fmt::format("{} not found where this tool ({}) is installed", library_name, here.string()));
}

std::vector<std::string> with_preload(std::vector<std::string> words, std::string const& library) {
    constexpr std::string_view variable = "LD_PRELOAD";
    constexpr std::string_view given = "LD_PRELOAD=";
    for (std::size_t i = 0; i < words.size(); ++i) {
        bool const names = i + 2 < words.size() && words[i + 1] == variable &&
                           (words[i] == "-genv" || words[i] == "-env" || words[i] == "--genv" || words[i] == "--env");
        if (names)
            words[i + 2] = library + ":" + words[i + 2];
        else if (words[i].starts_with(given))
            words[i].insert(given.size(), library + ":");
    }
    return words;
}

std::string launch_profiled(ProfileOrder const& order, program::Session& session) {
    check_program(order.command.front(), "COMMAND");
    auto const preloaded = profile_library();
    if (preloaded.find_first_of(" :") != preloaded.npos)
        throw measure::UsageError(fmt::format(
            "'{}' cannot be preloaded: LD_PRELOAD does not support paths with a space or a colon", preloaded));
    auto const place = fs::absolute(order.json + ".recorded").string();
    program::check_length(fmt::format("--json: cannot write '{}'", order.json), place);
    auto json = program::open_file(session.world(), order.json, "--json", program::Appears::when_whole);
    std::error_code none;
    program::TemporaryFile record{place};
    fs::remove(record.path(), none);
    for (auto const& old : part_files({}, record.path()))
        fs::remove(old, none);
    MemoryFolder const folder;
    int code = 0;
    std::exception_ptr interrupted;
    try {
        code = program::run_child({.command = with_preload(order.command, preloaded),
                                   .environment = variables_of(order, record.path(), folder.path(), preloaded),
                                   .inherits = true,
                                   .is_needed = true});
    } catch (measure::Interrupted const& signal) {
        interrupted = std::current_exception();
        code = 128 + signal.value();
    }
    auto const parts = part_files(folder.path(), record.path());
    std::string text;
    try {
        text = recorded(record.path(), parts, code, session);
        program::put_off_exit();
        if (!text.empty()) {
            json.stream() << text;
            json.finish();
        }
    } catch (std::exception const& error) {
        if (!fs::exists(record.path(), none))
            throw;
        record.keep();
        throw std::runtime_error(
            fmt::format("{}; the recorded data are kept in '{}'", measure::error_text(error), record.path()));
    }
    for (auto const& part : parts)
        fs::remove(part, none);
    if (interrupted)
        std::rethrow_exception(interrupted);
    // Exit code 1 is this program's own failure code, which needs a text.
    auto const how =
        fmt::format("the command ended with exit code {}{}", code, text.empty() ? ", and nothing was recorded" : "");
    if (code == 1)
        session.fail(how);
    else if (code != 0)
        session.warn(how);
    session.ended_with(code);
    if (text.empty() && code == 0)
        session.fail("nothing was recorded: no rank called MPI_Init, MPI is linked statically, or the launcher does "
                     "not pass on LD_PRELOAD (Open MPI: mpirun -x LD_PRELOAD -x MEASURE_PROFILE)");
    return text;
}

}  // namespace measure::tool
