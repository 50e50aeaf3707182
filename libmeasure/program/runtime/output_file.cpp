// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/output_file.hpp"

#include "program/runtime/deferred_error.hpp"
#include "program/runtime/file_lock.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace program {

namespace fs = std::filesystem;

namespace {

/// A regular file, whatever its names are.
struct FileId {
    ::dev_t device = 0;
    ::ino_t inode = 0;
    friend bool operator==(FileId const&, FileId const&) = default;
};

std::optional<FileId> id_of(struct ::stat const& status) {
    return S_ISREG(status.st_mode) ? std::optional{FileId{status.st_dev, status.st_ino}} : std::nullopt;
}

std::optional<FileId> id_of(std::string const& path) {
    struct ::stat status {};
    return ::stat(path.c_str(), &status) == 0 ? id_of(status) : std::nullopt;
}

std::optional<FileId> id_of(int descriptor) {
    struct ::stat status {};
    return descriptor >= 0 && ::fstat(descriptor, &status) == 0 ? id_of(status) : std::nullopt;
}

/// The descriptor that a name stands for: /dev/stdout is where stdout writes, also where that is a file.
std::optional<int> named_descriptor(std::string_view path) {
    constexpr std::array names{std::pair{std::string_view{"/dev/stdout"}, STDOUT_FILENO},
                               std::pair{std::string_view{"/dev/stderr"}, STDERR_FILENO}};
    for (auto const& [name, descriptor] : names)
        if (path == name)
            return descriptor;
    for (std::string_view const folder : {"/dev/fd/", "/proc/self/fd/"})
        if (auto const number = path.starts_with(folder) ? path.substr(folder.size()) : std::string_view{};
            !number.empty() && number.size() < 6 && number.find_first_not_of("0123456789") == std::string_view::npos)
            return std::atoi(std::string{number}.c_str());
    return std::nullopt;
}

/// Where symbolic links lead to. A loop of links is left for open(2) to complain about.
std::string target_of(std::string path) {
    for (int hops = 0; hops < 40 && !named_descriptor(path); ++hops) {
        std::error_code error;
        auto const link = fs::read_symlink(path, error);
        if (error)
            break;
        path = (fs::path{path}.parent_path() / link).string();
    }
    return path;
}

/// One text for each file, also for one that is not there yet: the folder by its own name, as the system follows links.
std::string absolute(std::string const& path) {
    if (named_descriptor(path))
        return path;
    std::error_code error;
    auto const whole = fs::absolute(path, error);
    if (error)
        return path;
    auto const folder = fs::canonical(whole.parent_path(), error);
    return (error ? whole : folder / whole.filename()).string();
}

std::string const part_ending = ".part";

std::string prefix(std::string const& option) { return option.empty() ? "" : option + ": "; }

}  // namespace

/// Appends to a descriptor, and keeps the reason why that failed. Of this source alone.
class OutputBuffer : public std::streambuf {
public:
    /// \param descriptor  -1: the text is kept
    void write_to(int descriptor) noexcept { descriptor_ = descriptor; }
    /// \return the errno of the first failure; 0: none
    [[nodiscard]] int drain() noexcept {
        if (descriptor_ < 0)
            return error_;
        std::size_t done = 0;
        while (error_ == 0 && done < text_.size()) {
            ssize_t const n = ::write(descriptor_, text_.data() + done, text_.size() - done);
            if (n > 0)
                done += static_cast<std::size_t>(n);
            else if (n == 0 || errno != EINTR)
                error_ = n == 0 ? EIO : errno;
        }
        text_.erase(0, done);
        return error_;
    }

protected:
    int_type overflow(int_type c) override {
        if (traits_type::eq_int_type(c, traits_type::eof()))
            return traits_type::not_eof(c);
        char const one = traits_type::to_char_type(c);
        return xsputn(&one, 1) == 1 ? c : traits_type::eof();
    }
    std::streamsize xsputn(char const* text, std::streamsize size) override {
        constexpr std::size_t enough = 65536;
        text_.append(text, static_cast<std::size_t>(size));
        return text_.size() >= enough && drain() != 0 ? 0 : size;
    }
    int sync() override { return drain() == 0 ? 0 : -1; }

private:
    std::string text_{};
    int descriptor_ = -1;
    int error_ = 0;
};

/// The file behind an OutputFile.
class OutputFile::Open {
public:
    Open(std::string path, std::string const& option, Appears appears);
    Open(Open const&) = delete;
    Open& operator=(Open const&) = delete;
    ~Open();

    [[nodiscard]] std::ostream& stream() noexcept { return stream_; }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    [[nodiscard]] int descriptor() const noexcept { return standard_ >= 0 ? standard_ : lock_.descriptor(); }
    [[nodiscard]] Appears appears() const noexcept { return appears_; }
    [[nodiscard]] std::string unfinished() const { return has_begun_ && !has_name_ ? part_ : std::string{}; }
    [[nodiscard]] bool is(FileId const& file) const {
        return id_of(lock_.descriptor()) == file || id_of(replaced_.descriptor()) == file;
    }
    [[noreturn]] void refuse_input() const {
        throw measure::UsageError(fmt::format("{}'{}' is an input", prefix(option_), path_));
    }

    bool begin(std::int64_t keep);
    void flush();
    void sync() const;
    void finish(Reaches reaches);

private:
    void open();
    void open_part();
    void cut_part();
    void keep_name();
    void close_copy() const;
    void check_others() const;
    void check_inputs() const;
    [[noreturn]] void refuse(std::string_view reason) const;
    [[noreturn]] void fail(int error) const;

    std::string path_;
    std::string option_;
    std::string target_;
    std::string part_{};  ///< the file that takes the target's place; empty: there is none
    Appears appears_;
    FileLock lock_{};                            ///< the file that is written
    FileLock replaced_{};                        ///< the one that it takes the place of
    int standard_ = -1;                          ///< instead: a duplicate of a descriptor that has a name
    std::optional<TemporaryFile> unfinished_{};  ///< new and not begun, or this run's PATH.part; gone before its lock
    bool has_begun_ = false;
    bool has_name_ = false;  ///< the part has it
    OutputBuffer buffer_{};
    std::ostream stream_{&buffer_};
};

namespace {

enum class Start { free, held, sure };

/// What this process reads and writes.
struct Files {
    std::vector<OutputFile::Open*> outputs{};
    std::vector<FileId> inputs{};
    std::vector<std::string> warnings{};
    Start start = Start::free;
};

Files& files() {
    static Files all;
    return all;
}

}  // namespace

OutputFile::Open::Open(std::string path, std::string const& option, Appears appears)
    : path_{std::move(path)}, option_{option}, target_{absolute(target_of(path_))}, appears_{appears} {
    check_others();
    try {
        open();
    } catch (FileInUse const& error) {
        refuse(error.what());
    } catch (std::system_error const& error) {
        refuse(error.code().message());
    }
    check_inputs();
    for (FileLock const* const lock : {&lock_, &replaced_})
        if (!lock->obstacle().empty())
            files().warnings.push_back(unlocked_text(path_, lock->obstacle()));
    if (files().start == Start::sure && appears_ == Appears::as_written)
        begin(0);
    files().outputs.push_back(this);
}

OutputFile::Open::~Open() {
    std::erase(files().outputs, this);
    if (has_begun_)
        static_cast<void>(buffer_.drain());
    if (standard_ >= 0)
        ::close(standard_);
}

void OutputFile::Open::open() {
    if (auto const descriptor = named_descriptor(target_)) {
        standard_ = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (standard_ < 0)
            throw std::system_error(errno, std::generic_category());
        return;
    }
    if (target_.size() + part_ending.size() > TemporaryFile::longest_path)
        throw std::system_error(ENAMETOOLONG, std::generic_category());
    if (appears_ == Appears::as_written) {
        lock_ = FileLock{target_};
        if (lock_.is_new())
            unfinished_.emplace(target_);
        // Who writes a file as a whole may have locked nothing but its part.
        check_unlocked(target_ + part_ending);
        return;
    }
    struct ::stat old {};
    if (::stat(target_.c_str(), &old) == 0)
        replaced_ = FileLock{target_};
    else if (errno != ENOENT)
        throw std::system_error(errno, std::generic_category());
    if (replaced_.descriptor() >= 0 && !id_of(replaced_.descriptor()))
        lock_ = std::move(replaced_);
    else
        open_part();
}

/// What has the name already may be somebody's, or an input of this run: it stays as it is until the text comes.
void OutputFile::Open::open_part() {
    part_ = target_ + part_ending;
    try {
        lock_ = FileLock{part_, FileLock::Links::refused};
    } catch (std::system_error const& error) {
        if (error.code() == std::errc::too_many_symbolic_link_levels)
            refuse(fmt::format("'{}' is a symbolic link", part_));
        throw;
    }
    if (!id_of(lock_.descriptor()))
        refuse(fmt::format("'{}' is no regular file", part_));
    if (lock_.is_new())
        unfinished_.emplace(part_);
}

/// From here on what has the part's name is this run's.
void OutputFile::Open::cut_part() {
    if (::ftruncate(descriptor(), 0) != 0)
        fail(errno);
    if (appears_ == Appears::part_stays)
        keep_name();
    else if (!unfinished_)
        unfinished_.emplace(part_);
}

/// The file stays when this process ends.
void OutputFile::Open::keep_name() {
    if (unfinished_)
        unfinished_->keep();
    unfinished_.reset();
}

/// Of two writers of one file in one process the kernel would say that another run has it.
void OutputFile::Open::check_others() const {
    struct ::stat status {};
    bool const is_there = ::stat(target_.c_str(), &status) == 0;
    auto const id = is_there ? id_of(status) : std::nullopt;
    if (is_there && !id)
        return;
    for (Open const* const other : files().outputs)
        if (other->target_ == target_ || (id && other->is(*id)))
            throw measure::UsageError(
                fmt::format("{}'{}' is the file of {}", prefix(option_), path_,
                            other->option_.empty() ? fmt::format("'{}' too", other->path_) : other->option_));
}

void OutputFile::Open::check_inputs() const {
    for (FileId const& input : files().inputs)
        if (is(input))
            refuse_input();
}

void OutputFile::Open::refuse(std::string_view reason) const {
    throw measure::UsageError(fmt::format("{}cannot write '{}': {}", prefix(option_), path_, reason));
}

void OutputFile::Open::fail(int error) const {
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path_, std::strerror(error)));
}

bool OutputFile::Open::begin(std::int64_t keep) {
    if (has_begun_)
        return false;
    if (!part_.empty())
        cut_part();
    has_begun_ = true;
    buffer_.write_to(descriptor());
    struct ::stat now {};
    if (standard_ >= 0 || appears_ != Appears::as_written || ::fstat(descriptor(), &now) != 0 || !S_ISREG(now.st_mode))
        return false;
    bool const keeps = keep > 0 && now.st_size >= keep;
    ::off_t const size = keeps ? keep : 0;
    if (::ftruncate(descriptor(), size) != 0 || ::lseek(descriptor(), size, SEEK_SET) != size)
        fail(errno);
    if (unfinished_)
        unfinished_->keep();
    return keeps;
}

void OutputFile::Open::flush() {
    if (!has_begun_ && files().start == Start::held && appears_ == Appears::as_written)
        return;
    begin(0);
    if (int const error = buffer_.drain(); error != 0)
        fail(error);
}

/// A file system of another host may tell only now that it has no room. Devices and pipes have no disk.
void OutputFile::Open::sync() const {
    while (::fsync(descriptor()) != 0) {
        if (errno == EINVAL || errno == EROFS)
            return;
        if (errno != EINTR)
            fail(errno);
    }
}

/// Tells what close(2) tells. The file stays open, for its lock is needed until it has its name.
void OutputFile::Open::close_copy() const {
    int const copy = ::fcntl(descriptor(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy >= 0 && ::close(copy) != 0 && errno != EINTR)
        fail(errno);
}

void OutputFile::Open::finish(Reaches reaches) {
    flush();
    if (reaches == Reaches::disk)
        sync();
    else
        close_copy();
    if (part_.empty() || has_name_)
        return;
    if (::rename(part_.c_str(), target_.c_str()) != 0)
        fail(errno);
    has_name_ = true;
    keep_name();
}

OutputFile::OutputFile() = default;
OutputFile::OutputFile(std::string path, std::string const& option, Appears appears)
    : open_{std::make_unique<Open>(std::move(path), option, appears)} {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

std::ostream& OutputFile::stream() noexcept {
    static std::ostream dropped{nullptr};
    return open_ ? open_->stream() : dropped;
}

std::string const& OutputFile::path() const noexcept {
    static std::string const none;
    return open_ ? open_->path() : none;
}

int OutputFile::descriptor() const noexcept { return open_ ? open_->descriptor() : -1; }

std::string OutputFile::unfinished() const { return open_ ? open_->unfinished() : std::string{}; }

bool OutputFile::begin(std::int64_t keep) { return open_ && open_->begin(keep); }

void OutputFile::flush() {
    if (open_)
        open_->flush();
}

void OutputFile::sync() {
    if (open_)
        open_->sync();
}

void OutputFile::finish(Reaches reaches) {
    if (open_)
        open_->finish(reaches);
}

OutputFile open_file(measure::Comm const& comm, std::string const& path, std::string const& option, Appears appears) {
    OutputFile file;
    measure::on_root(comm, [&] { file = OutputFile{path, option, appears}; });
    return file;
}

void write_file(measure::Comm const& comm, std::string const& path, std::string const& text, Reaches reaches) {
    auto file = open_file(comm, path, {}, Appears::when_whole);
    file.stream() << text;
    file.finish(reaches);
}

OutputFile open_file_per_rank(measure::Comm const& comm, std::string const& path, std::string const& option) {
    OutputFile file;
    DeferredError trouble;
    try {
        file = OutputFile{fmt::format("{}.{}", path, comm.rank()), option, Appears::as_written};
    } catch (std::exception const& error) {
        trouble.note(error.what());
    }
    if (auto const first = agree(comm, trouble))
        throw measure::UsageError(first->text);
    return file;
}

void note_input(std::string const& path) {
    auto const id = id_of(path);
    if (!id)
        return;
    for (OutputFile::Open const* const output : files().outputs)
        if (output->is(*id))
            output->refuse_input();
    files().inputs.push_back(*id);
}

HeldOutputs::HeldOutputs() noexcept { files().start = Start::held; }

HeldOutputs::~HeldOutputs() {
    files().start = Start::free;
    files().inputs.clear();
}

void HeldOutputs::begin() {
    files().start = Start::sure;
    for (OutputFile::Open* const output : files().outputs)
        if (output->appears() == Appears::as_written)
            output->begin(0);
}

std::vector<std::string> take_output_warnings() { return std::exchange(files().warnings, {}); }

}  // namespace program
