// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/files.hpp"

#include <measure/agree.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace program {
namespace {

using measure::Comm;
using measure::UsageError;

constexpr std::size_t most_bytes = std::size_t{64} << 20;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// A file that is read to its end or its limit.
class Input {
public:
    /// \param descriptor  descriptor of an open file; this object closes it
    Input(std::string const& path, int descriptor, Limit limit) : path_{path}, file_{descriptor}, limit_{limit} {
        if (file_ < 0)
            refuse(std::strerror(errno));
    }
    Input(Input const&) = delete;
    Input& operator=(Input const&) = delete;
    ~Input() {
        if (file_ > STDIN_FILENO)
            ::close(file_);
    }

    std::string text() {
        check_kind();
        std::string text;
        for (std::array<char, 65536> piece; std::size_t const n = read(piece);) {
            text.append(piece.data(), n);
            check_length({piece.data(), n});
        }
        return text;
    }

    /// The next text, up to the end of a line or of the file.
    std::string lines() {
        check_kind();
        std::string text = std::exchange(rest_, {});
        for (std::array<char, 65536> piece; std::size_t const n = read(piece);) {
            text.append(piece.data(), n);
            check_length({piece.data(), n});
            if (text.size() >= piece_bytes && std::string_view{piece.data(), n}.find('\n') != std::string_view::npos) {
                auto const end = text.rfind('\n');
                rest_ = text.substr(end + 1);
                text.resize(end + 1);
                return text;
            }
        }
        is_over_ = true;
        return text;
    }
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }  ///< whether `lines` has returned the last lines

private:
    [[noreturn]] void refuse(std::string_view reason) const {
        throw UsageError(fmt::format("cannot read '{}': {}", path_, reason));
    }

    /// Refuses devices, because they have no end. Terminals and /dev/null are accepted.
    void check_kind() const {
        struct ::stat status {};
        struct ::stat null {};
        if (::fstat(file_, &status) != 0)
            refuse(std::strerror(errno));
        if (S_ISDIR(status.st_mode))
            refuse(std::strerror(EISDIR));
        bool const is_null = ::stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev;
        if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !is_null && ::isatty(file_) == 0))
            refuse("it is a device");
    }

    std::size_t read(std::array<char, 65536>& piece) const {
        for (;;) {
            ssize_t const n = ::read(file_, piece.data(), piece.size());
            if (n >= 0)
                return static_cast<std::size_t>(n);
            if (errno != EINTR)
                refuse(std::strerror(errno));
        }
    }

    void check_length(std::string_view piece) {
        auto const end = limit_ == Limit::line ? piece.rfind('\n') : std::string_view::npos;
        length_ = end == std::string_view::npos ? length_ + piece.size() : piece.size() - end - 1;
        if (length_ > most_bytes)
            refuse(fmt::format("{} has more than {} MiB", limit_ == Limit::line ? "a line" : "it", most_bytes >> 20));
    }

    std::string const& path_;
    int file_;
    Limit limit_;
    std::size_t length_ = 0;
    std::string rest_{};
    bool is_over_ = false;
};

int opened(std::string const& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY); }

/// A path that names the file "-" instead of standard input.
std::string file_named(std::string const& path) { return path == "-" ? "./-" : path; }

std::string input_text(std::string const& path, Limit limit) {
    note_input(path);
    return file_text(file_named(path), limit);
}

/// Like measure::on_root, but the root rethrows ParseErrors unchanged. The other ranks only have their text.
template <class Work>
void read_there(Comm const& comm, Work work) {
    std::exception_ptr faults;
    try {
        measure::on_root(comm, [&] {
            try {
                work();
            } catch (ParseErrors const&) {
                faults = std::current_exception();
                throw;
            }
        });
    } catch (UsageError const&) {
        if (faults)
            std::rethrow_exception(faults);
        throw;
    }
}

}  // namespace

std::string file_text(std::string const& path, Limit limit) {
    if (path == "-")
        return Input{"standard input", STDIN_FILENO, limit}.text();
    return Input{path, opened(path), limit}.text();
}

std::string read_file(Comm const& comm, std::string const& path, Limit limit) {
    std::string text;
    measure::on_root(comm, [&] { text = input_text(path, limit); });
    comm.broadcast(text);
    return text;
}

void read_on_root(Comm const& comm, std::string const& path, Limit limit,
                  std::function<void(std::string const& text)> const& read) {
    read_there(comm, [&] { read(input_text(path, limit)); });
}

void read_pieces(Comm const& comm, std::string const& path, std::function<void(std::string const& piece)> const& read,
                 std::function<void()> const& share) {
    auto const file = file_named(path);
    std::optional<Input> input;
    for (bool is_over = false; !is_over;) {
        read_there(comm, [&] {
            if (!input) {
                note_input(path);
                input.emplace(file, opened(file), Limit::line);
            }
            read(input->lines());
            is_over = input->is_over();
        });
        comm.broadcast(is_over);
        share();
    }
}

bool is_same_path(std::string const& a, std::string const& b) {
    return std::filesystem::path{a}.lexically_normal() == std::filesystem::path{b}.lexically_normal();
}

}  // namespace program
