// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/run_files.hpp"

#include "program/runtime/files.hpp"

#include <measure/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace skampi {
namespace {

using measure::UsageError;

[[noreturn]] void refuse(measure::JournalRun const& before, std::string_view difference) {
    throw UsageError(fmt::format("the unfinished run in the log cannot be resumed: {} (output file {}); use "
                                 "--fresh to start a new run",
                                 difference, before.output));
}

[[noreturn]] void fail(std::string const& path) {
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

Start new_run(measure::JournalRun const& now, std::span<std::string const> names) {
    return {.run = now, .measure = {names.begin(), names.end()}};
}

}  // namespace

measure::JournalState state_of(std::string const& path, std::string_view text) {
    // A log contains a run, or was cut off before its first line was complete. Any other file belongs to somebody else
    // and is not truncated.
    constexpr std::string_view run = "RUN ";
    if (!run.starts_with(text.substr(0, run.size())))
        throw UsageError(fmt::format("{}: this is not a log of skampi", path));
    try {
        return measure::replay(text);
    } catch (UsageError const& error) {
        throw UsageError(fmt::format("{}: {}; remove the file to start a new run", path, error.what()));
    }
}

Start plan_start(measure::JournalState const& log, measure::JournalRun const& now, std::span<std::string const> names,
                 std::optional<std::int64_t> output_size, StartOptions const& options) {
    if (!log.unfinished() || options.fresh)
        return new_run(now, names);
    if (auto const different = measure::difference(*log.run, now))
        refuse(*log.run, *different);
    // The output file is needed only after the first measurement has finished.
    if (!output_size && log.extent.output > 0)
        refuse(*log.run, "its output file no longer exists");
    if (output_size.value_or(0) < log.extent.output)
        refuse(*log.run, fmt::format("its output file has only {} of {} bytes", *output_size, log.extent.output));
    Start start{.resumes = true, .run = *log.run, .extent = log.extent};
    for (auto const& name : log.open())
        start.crashed.emplace_back(name, log.find(name)->crashes + 1);
    for (auto const& name : measure::remaining(log, names)) {
        auto const* const unit = log.find(name);
        bool const crashed = unit != nullptr && (unit->crashes > 0 || unit->state == measure::JournalUnit::State::open);
        (crashed && options.skip_crashed ? start.abandon : start.measure).push_back(name);
    }
    return start;
}

std::string unused_name(std::string const& name) {
    std::error_code none;
    if (std::filesystem::is_directory(name, none))
        throw UsageError(fmt::format("cannot write '{}': {}", name, std::strerror(EISDIR)));
    auto candidate = name;
    for (int i = 1; std::filesystem::exists(std::filesystem::symlink_status(candidate, none)); ++i)
        candidate = fmt::format("{}.{}", name, i);
    return candidate;
}

std::string text_of(std::string const& path) {
    std::error_code none;
    return std::filesystem::exists(path, none) ? program::file_text(path, program::Limit::line) : std::string{};
}

void require_writable(std::string const& path) {
    auto const refuse_by = [&](int reason) {
        throw UsageError(fmt::format("cannot write '{}': {}", path, std::strerror(reason)));
    };
    std::error_code error;
    auto const status = std::filesystem::status(path, error);
    if (!std::filesystem::status_known(status))
        refuse_by(error.value());
    if (std::filesystem::is_directory(status))
        refuse_by(EISDIR);
    if (std::filesystem::exists(status)) {
        if (!std::filesystem::is_regular_file(status))
            throw UsageError(fmt::format("cannot write '{}': not a regular file", path));
        if (::access(path.c_str(), R_OK | W_OK) != 0)
            refuse_by(errno);
        return;
    }
    auto const folder = std::filesystem::path{path}.parent_path();
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
        refuse_by(errno);
}

void require_different(std::span<NamedFile const> files) {
    // A path that does not resolve is refused when it is opened.
    auto const path = [](NamedFile const& file) {
        std::error_code error;
        auto const absolute = std::filesystem::absolute(file.second);
        auto const canonical = std::filesystem::weakly_canonical(absolute, error);
        return error ? absolute : canonical;
    };
    for (std::size_t i = 0; i < files.size(); ++i)
        for (auto const& other : files.first(i))
            if (!files[i].second.empty() && !other.second.empty() && path(files[i]) == path(other))
                throw UsageError(
                    fmt::format("{} and {} are the same file '{}'", other.first, files[i].first, files[i].second));
}

RunFiles::RunFiles(std::string const& log, measure::JournalState const& state, Start const& start,
                   std::string_view head)
    : path_{start.run.output}, id_{start.run.id}, journal_{log, state} {
    if (start.resumes)
        for (auto const& [name, count] : start.crashed)
            journal_.crash(name, count);
    else
        journal_.run(start.run);
    try {
        open(start);
    } catch (...) {
        if (!start.resumes)
            journal_.end(id_);
        throw;
    }
    if (start.extent.output == 0)
        static_cast<void>(append(head, 0));
}

RunFiles::~RunFiles() {
    if (output_ >= 0)
        ::close(output_);
}

/// A new run never changes an existing file.
void RunFiles::open(Start const& start) {
    output_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (start.resumes ? 0 : O_EXCL), 0666);
    if (output_ < 0)
        fail(path_);
    try {
        lock_ = program::FileLock{path_};
    } catch (program::FileInUse const& error) {
        throw measure::UsageError(fmt::format("cannot write '{}': {}", path_, error.what()));
    }
    if (::ftruncate(output_, start.extent.output) != 0 || ::lseek(output_, 0, SEEK_END) < 0)
        fail(path_);
}

measure::JournalExtent RunFiles::append(std::string_view text, std::int64_t record) {
    while (!text.empty()) {
        auto const written = ::write(output_, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            fail(path_);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(output_) != 0 && errno != EINVAL)
        fail(path_);
    return {.output = ::lseek(output_, 0, SEEK_CUR), .record = record};
}

void RunFiles::done(std::string_view name, std::string_view block, std::int64_t record) {
    journal_.done(name, append(block, record));
}

void RunFiles::skip(std::string_view name, std::string_view block, std::int64_t record, std::string_view reason) {
    journal_.skip(name, append(block, record), reason);
}

void RunFiles::abandon(std::string_view name, std::string_view block, std::int64_t record) {
    journal_.abandon(name, append(block, record));
}

void RunFiles::finish(std::string_view tail) {
    static_cast<void>(append(tail, 0));
    journal_.end(id_);
}

std::string RunFiles::text() const { return text_of(path_); }

}  // namespace skampi
