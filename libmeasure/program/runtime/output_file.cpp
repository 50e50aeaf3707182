// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/output_file.hpp"

#include "analysis/core/number_text.hpp"
#include "program/runtime/deferred_error.hpp"
#include "program/runtime/file_lock.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

/// Identity of a regular file, independent of its names.
struct FileId {
    ::dev_t device = 0;
    ::ino_t inode = 0;
    friend bool operator==(FileId const&, FileId const&) = default;
};

std::optional<FileId> id_of(std::string const& path) {
    struct ::stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return std::nullopt;
    return FileId{status.st_dev, status.st_ino};
}

/// The descriptor that a target such as /dev/stdout refers to. It is used instead of opening the target: if stdout is a
/// file, opening it again would overwrite it from its start.
std::optional<int> named_descriptor(fs::path const& target) {
    std::error_code none;
    if (target.parent_path() != fs::canonical("/proc/self/fd", none))
        return std::nullopt;
    return measure::detail::number_from<int>(target.filename().string());
}

/// A unique path for each file, even one that does not exist yet: the target of symbolic links, followed as the system
/// does. open(2) reports a loop of links.
std::string target_of(std::string const& path) {
    std::error_code error;
    auto target = fs::absolute(path, error);
    for (int hops = 0; hops < 40 && !error; ++hops) {
        auto const folder = fs::canonical(target.parent_path(), error);
        if (error)
            break;
        target = folder / target.filename();
        if (named_descriptor(target))
            break;
        if (auto const link = fs::read_symlink(target, error); !error)
            target = folder / link;
    }
    return target.string();
}

std::string const part_ending = ".part";

}  // namespace

/// Appends to a descriptor and keeps the error of a failed write. Private to this source file.
class OutputBuffer : public std::streambuf {
public:
    /// \param descriptor  -1: text stays in memory
    void write_to(int descriptor) noexcept { descriptor_ = descriptor; }
    /// Writes the text in memory. \return the errno of the first failure, 0 without failure
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

/// The file of an OutputFile.
class OutputFile::Open {
public:
    Open(std::string name, std::string const& option_name, Appears when);
    Open(Open const&) = delete;
    Open& operator=(Open const&) = delete;
    ~Open();

    [[nodiscard]] bool is(FileId const& file) const {
        return !is_shared && (id_of(target) == file || (!has_name && id_of(part) == file));
    }
    [[noreturn]] void refuse(std::string_view reason) const {
        throw measure::UsageError(fmt::format("{}{}", option.empty() ? "" : option + ": ", reason));
    }
    [[noreturn]] void refuse_input() const { refuse(fmt::format("'{}' is an input", path)); }
    [[noreturn]] void fail(int error) const {
        throw std::runtime_error(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
    }
    /// Keeps the file when this process ends.
    void keep_name() {
        if (unfinished)
            unfinished->keep();
        unfinished.reset();
    }
    bool begin(std::int64_t keep);

    std::string path;
    std::string option;
    std::string target;
    std::string part{};  ///< file that will replace the target; empty: the target is written directly
    Appears appears;
    FileLock lock{};                            ///< the file that is written
    bool is_shared = false;                     ///< the file is also open elsewhere, like stdout
    std::optional<TemporaryFile> unfinished{};  ///< new file not begun, or PATH.part; removed before `lock` is released
    bool has_begun = false;
    bool has_name = false;  ///< the part was renamed to the target
    OutputBuffer buffer{};
    std::ostream stream{&buffer};

private:
    void check_others() const;
    void open();
    void open_part();
};

namespace {

enum class Start { free, held, sure };

/// The files that this process reads and writes.
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

OutputFile::Open::Open(std::string name, std::string const& option_name, Appears when)
    : path{std::move(name)}, option{option_name}, target{target_of(path)}, appears{when} {
    check_others();
    auto const refuse_to_write = [&](std::string_view reason) {
        refuse(fmt::format("cannot write '{}': {}", path, reason));
    };
    try {
        open();
    } catch (FileInUse const& error) {
        refuse_to_write(error.what());
    } catch (std::system_error const& error) {
        refuse_to_write(error.code().message());
    }
    for (FileId const& input : files().inputs)
        if (is(input))
            refuse_input();
    if (!lock.obstacle().empty())
        files().warnings.push_back(unlocked_text(path, lock.obstacle()));
    if (files().start == Start::sure && appears == Appears::as_written)
        begin(0);
    files().outputs.push_back(this);
}

OutputFile::Open::~Open() {
    std::erase(files().outputs, this);
    if (has_begun)
        static_cast<void>(buffer.drain());
}

/// Refuses a second output of this process for the same file. The lock would report it as a conflict with another run.
void OutputFile::Open::check_others() const {
    auto const id = id_of(target);
    std::error_code none;
    if (!id && fs::exists(target, none))
        return;
    for (Open const* const other : files().outputs)
        if (other->target == target || (id && other->is(*id)))
            refuse(fmt::format("'{}' is the file of {}", path,
                               other->option.empty() ? fmt::format("'{}' too", other->path) : other->option));
}

void OutputFile::Open::open() {
    if (auto const descriptor = named_descriptor(target)) {
        lock = FileLock{*descriptor};
        is_shared = true;
        return;
    }
    if (target.size() + part_ending.size() > TemporaryFile::longest_path)
        throw std::system_error(ENAMETOOLONG, std::generic_category());
    if (appears == Appears::as_written) {
        lock = FileLock{target};
        if (lock.is_new())
            unfinished.emplace(target);
        // Another run with `when_whole` may have locked PATH.part only.
        check_unlocked(target + part_ending);
        return;
    }
    // Another run may be writing the file that will be replaced. Devices and pipes are written directly.
    struct ::stat old {};
    if (::stat(target.c_str(), &old) == 0)
        lock = FileLock{target};
    else if (errno != ENOENT)
        throw std::system_error(errno, std::generic_category());
    if (lock.descriptor() < 0 || id_of(target))
        open_part();
}

/// An existing file with the part's name may belong to a user or be an input of this run. It is unchanged until the
/// first text is written.
void OutputFile::Open::open_part() {
    part = target + part_ending;
    auto const refuse_part = [&](std::string_view why) {
        refuse(fmt::format("cannot write '{}': '{}' is {}", path, part, why));
    };
    if (std::error_code none; fs::is_symlink(part, none))
        refuse_part("a symbolic link");
    lock = FileLock{part, FileLock::Links::refused};
    if (!id_of(part))
        refuse_part("not a regular file");
    if (lock.is_new())
        unfinished.emplace(part);
}

bool OutputFile::Open::begin(std::int64_t keep) {
    if (has_begun)
        return false;
    struct ::stat now {};
    bool const is_cut = !is_shared && ::fstat(lock.descriptor(), &now) == 0 && S_ISREG(now.st_mode);
    bool const keeps = is_cut && part.empty() && keep > 0 && now.st_size >= keep;
    ::off_t const size = keeps ? keep : 0;
    if (is_cut && (::ftruncate(lock.descriptor(), size) != 0 || ::lseek(lock.descriptor(), size, SEEK_SET) != size))
        fail(errno);
    has_begun = true;
    buffer.write_to(lock.descriptor());
    if (!is_cut)
        return false;
    // From here on PATH.part belongs to this run.
    if (appears == Appears::when_whole && !unfinished)
        unfinished.emplace(part);
    if (appears != Appears::when_whole)
        keep_name();
    return keeps;
}

OutputFile::OutputFile() = default;
OutputFile::OutputFile(std::string path, std::string const& option, Appears appears)
    : open_{std::make_unique<Open>(std::move(path), option, appears)} {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

std::ostream& OutputFile::stream() noexcept {
    static std::ostream dropped{nullptr};
    return open_ ? open_->stream : dropped;
}

std::string const& OutputFile::path() const noexcept {
    static std::string const none;
    return open_ ? open_->path : none;
}

int OutputFile::descriptor() const noexcept { return open_ ? open_->lock.descriptor() : -1; }

std::string OutputFile::unfinished() const {
    return open_ && open_->has_begun && !open_->has_name ? open_->part : std::string{};
}

bool OutputFile::begin(std::int64_t keep) { return open_ && open_->begin(keep); }

void OutputFile::flush() {
    if (!open_ || (!open_->has_begun && files().start == Start::held && open_->appears == Appears::as_written))
        return;
    open_->begin(0);
    if (int const error = open_->buffer.drain(); error != 0)
        open_->fail(error);
}

/// A network file system may report only now that it is full. Devices and pipes cannot be synced.
void OutputFile::sync() {
    while (open_ && ::fsync(descriptor()) != 0) {
        if (errno == EINVAL || errno == EROFS)
            return;
        if (errno != EINTR)
            open_->fail(errno);
    }
}

void OutputFile::finish(Reaches reaches) {
    flush();
    if (!open_)
        return;
    if (reaches == Reaches::disk)
        sync();
    // Closing a duplicate gives the errors of close(2). The file stays open, because its lock is needed until it is
    // renamed.
    else if (int const copy = ::fcntl(descriptor(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
             copy >= 0 && ::close(copy) != 0 && errno != EINTR)
        open_->fail(errno);
    if (open_->part.empty() || open_->has_name)
        return;
    if (::rename(open_->part.c_str(), open_->target.c_str()) != 0)
        open_->fail(errno);
    open_->has_name = true;
    open_->keep_name();
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
        if (output->appears == Appears::as_written)
            output->begin(0);
}

std::vector<std::string> take_output_warnings() { return std::exchange(files().warnings, {}); }

}  // namespace program
