// SPDX-License-Identifier: BSD-3-Clause
#include "launching/folder.hpp"

#include "analysis/runs/overlap.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/output_file.hpp"
#include "shared/data_folder.hpp"
#include "shared/inputs.hpp"

#include <measure/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace measure::tool {

namespace fs = std::filesystem;

namespace {

using measure::UsageError;

constexpr char const* command_file = "command";
constexpr char const* lock_file = "lock";
/// Time to wait for a lock. The last launch of a killed run holds it until its ranks end, up to 5 s after the signal.
constexpr std::chrono::seconds time_to_leave{7};

std::string reason(std::error_code const& code) { return code.message(); }

/// Writes words, each followed by a zero byte, so that every command line can be stored. The file appears only when it
/// is complete.
void write_words(fs::path const& path, std::vector<std::string> const& words) {
    program::OutputFile file{path.string(), {}, program::Appears::when_whole};
    for (auto const& word : words)
        file.stream() << word << '\0';
    file.finish();
}

/// A file that is open for appending.
class Appended {
public:
    explicit Appended(fs::path const& path)
        : path_{path}, descriptor_{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)} {
        if (descriptor_ < 0)
            fail();
    }
    ~Appended() { ::close(descriptor_); }
    Appended(Appended const&) = delete;
    Appended& operator=(Appended const&) = delete;

    void write(std::string_view text) const {
        while (!text.empty()) {
            auto const written = ::write(descriptor_, text.data(), text.size());
            if (written < 0 && errno != EINTR)
                fail();
            text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
        }
        if (::fsync(descriptor_) != 0 && errno != EINVAL)
            fail();
    }

private:
    [[noreturn]] void fail() const {
        throw std::runtime_error(
            fmt::format("cannot write '{}': {}", path_.string(), reason({errno, std::generic_category()})));
    }
    fs::path path_;
    int descriptor_;
};

/// Whether the content has a complete line. An incomplete run line does not count.
bool has_line(std::string const& content) { return content.find('\n') != std::string::npos; }

/// The complete runs of a record file.
std::string complete_runs(std::string const& content, std::string const& file) {
    if (!has_line(content))
        return {};
    auto const all = launches_of(content, file);
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
        // An incomplete last line is dropped.
        auto const end = i + 1 < all.size() ? all[i + 1].record.begin : content.rfind('\n') + 1;
        auto const begin = all[i].record.begin;
        if (all[i].record.end)
            text += content.substr(begin, end - begin);
    }
    return text;
}

/// Rewrites a record file without the partial record of an interrupted launch.
void cut_what_is_broken(fs::path const& file) {
    auto const content = program::file_text(file.string(), program::Limit::line);
    auto const text = complete_runs(content, file.string());
    if (text == content)
        return;
    auto const whole = fs::path{file}.concat(".part");
    fs::remove(whole);
    Appended{whole}.write(text);
    fs::rename(whole, file);
}

bool has_launches(fs::path const& folder) {
    std::error_code code;
    return fs::is_regular_file(folder / launches_file, code);
}

/// Names of runs that were begun, the latest first. \param is_wanted  predicate for the folder of a run
template <class Wanted>
std::vector<std::string> names_in(fs::path const& runs, Wanted is_wanted) {
    std::vector<std::pair<fs::file_time_type, std::string>> found;
    std::error_code code;
    for (auto const& entry : fs::directory_iterator{runs, code})
        if (auto const words = entry.path() / command_file; fs::is_regular_file(words, code) && is_wanted(entry.path()))
            found.emplace_back(fs::last_write_time(words, code), entry.path().filename().string());
    std::sort(found.rbegin(), found.rend());
    std::vector<std::string> names;
    for (auto& [time, name] : found)
        names.push_back(std::move(name));
    return names;
}

}  // namespace

fs::path runs_folder(std::string const& given) {
    if (!given.empty())
        return given;
    if (auto const data = data_folder(); !data.empty())
        return data / "runs";
    throw UsageError("no folder for the run; set XDG_DATA_HOME or HOME, or use --folder");
}

RunFolder::RunFolder(fs::path const& runs, std::string const& name, std::vector<std::string> const& command)
    : path_{runs / name}, name_{name} {
    std::error_code code;
    fs::create_directories(path_, code);
    if (code)
        throw UsageError(fmt::format("cannot create the folder '{}': {}", path_.string(), reason(code)));
    // A run that was killed before its first complete launch may be restarted under the same name.
    auto const refuse = [&] {
        if (!launches_in(launches()).empty())
            throw UsageError(fmt::format("run '{}' already exists in '{}'", name, runs.string()));
    };
    refuse();
    lock();
    refuse();
    if (has_launches(path_))
        cut_what_is_broken(launches());
    write_words(file(command_file), command);
}

RunFolder::RunFolder(fs::path const& runs, std::string const& name) : name_{name} {
    auto const names = begun_run_names(runs);
    if (names.empty() || (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()))
        throw UsageError(fmt::format("no run{} in '{}'", name.empty() ? "" : " '" + name + "'", runs.string()));
    if (name_.empty())
        name_ = names.front();
    path_ = runs / name_;
    lock();
    if (has_launches(path_))
        cut_what_is_broken(launches());
}

void RunFolder::lock() {
    auto const begin = measure::SteadyClock::now();
    for (;;) {
        try {
            lock_.emplace((path_ / lock_file).string(), fmt::format("cannot use the folder '{}'", path_.string()));
            return;
        } catch (program::FileInUse const&) {
            if (measure::SteadyClock::now() - begin > time_to_leave)
                throw;
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
    }
}

std::vector<std::string> RunFolder::command() const {
    auto const path = file(command_file).string();
    auto const text = program::file_text(path);
    if (!text.empty() && text.back() != '\0')
        throw UsageError(fmt::format("'{}' is damaged: its last word is incomplete", path));
    auto words = program::split(text, '\0');
    words.pop_back();
    return words;
}

void RunFolder::check_room() const {
    std::error_code code;
    constexpr std::uintmax_t page = 4096;
    if (auto const room = fs::space(path_, code); !code && room.available < page)
        throw std::runtime_error(fmt::format("cannot write to '{}': {}", path_.string(),
                                             reason(std::make_error_code(std::errc::no_space_on_device))));
}

void RunFolder::add(std::string const& record) { Appended{launches()}.write(record); }

void RunFolder::discard() const {
    if (!launches_in(launches()).empty())
        return;
    for (char const* const name : {command_file, launch_log, doctor_file, launches_file, launch_file, lock_file})
        if (std::error_code code; !fs::remove(path_ / name, code) && code)
            throw std::runtime_error(fmt::format("cannot delete '{}': {}", (path_ / name).string(), reason(code)));
    // The folder may contain files of the user.
    std::error_code not_empty;
    fs::remove(path_, not_empty);
}

void delete_run(fs::path const& runs, std::string const& name) {
    auto const names = begun_run_names(runs);
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw UsageError(fmt::format("no run '{}' in '{}'", name, runs.string()));
    auto const path = runs / name;
    program::LockFile const lock{(path / lock_file).string(), fmt::format("cannot delete '{}'", path.string())};
    std::error_code code;
    fs::remove_all(path, code);
    if (code)
        throw std::runtime_error(fmt::format("cannot delete '{}': {}", path.string(), reason(code)));
}

std::vector<Launch> launches_in(fs::path const& file) {
    std::error_code code;
    if (!fs::is_regular_file(file, code))
        return {};
    auto const content = program::file_text(file.string(), program::Limit::line);
    if (!has_line(content))
        return {};
    auto launches = launches_of(content, file.string());
    std::erase_if(launches, [](Launch const& launch) { return !launch.record.end; });
    for (auto& launch : launches)
        join_computing(launch);
    return launches;
}

std::vector<std::string> run_names(fs::path const& runs) { return names_in(runs, has_launches); }

std::vector<std::string> begun_run_names(fs::path const& runs) {
    return names_in(runs, [](fs::path const&) { return true; });
}

}  // namespace measure::tool
