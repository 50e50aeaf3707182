// SPDX-License-Identifier: BSD-3-Clause
/// A file that the root of a communicator appends to.
#pragma once

#include "core/write_signals.hpp"
#include "core/writer_lock.hpp"
#include "measure/comm.hpp"
#include "measure/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace measure::detail {

/// A file to which the root appends. The other ranks have no file.
class AppendedFile {
public:
    /// \param what  name of the content in messages: "regions"  \throws UsageError on all ranks if the file cannot be
    ///     opened. Collective.
    AppendedFile(Comm const& comm, std::string const& path, std::string_view what) {
        std::string problem = comm.is_root() ? open(path) : std::string{};
        comm.broadcast(problem);
        if (problem.empty())
            return;
        close();
        throw UsageError(fmt::format("the record of the {}: cannot write '{}': {}", what, path, problem));
    }
    AppendedFile(AppendedFile const&) = delete;
    AppendedFile& operator=(AppendedFile const&) = delete;
    ~AppendedFile() { close(); }

    /// Appends in one write(2) if the system allows it, so that texts of concurrent writers do not mix. \return the
    /// error, or an empty text
    [[nodiscard]] std::string append(std::string_view text) const {
        WriteSignalsBlocked const blocked;
        ::off_t done = 0;
        while (!text.empty()) {
            ssize_t const written = ::write(descriptor_, text.data(), text.size());
            if (written < 0 && errno != EINTR) {
                auto problem = fmt::format("the record cannot be written: {}", std::strerror(errno));
                take_back(done);
                return problem;
            }
            text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
            done += std::max<ssize_t>(written, 0);
        }
        return {};
    }

private:
    /// A pipe without a reader is an error instead of blocking. \return the error, or an empty text
    std::string open(std::string const& path) {
        descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
        if (descriptor_ < 0)
            return std::strerror(errno);
        ::fcntl(descriptor_, F_SETFL, O_APPEND);
        auto lock = writer_lock();
        if (::fcntl(descriptor_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
            return "another run is writing it";
        return {};
    }

    void close() noexcept {
        if (descriptor_ >= 0)
            ::close(descriptor_);
        descriptor_ = -1;
    }

    /// Removes a partially written record, which would corrupt its neighbours. It stays if another process has appended
    /// since, or if the file cannot be truncated.
    void take_back(::off_t bytes) const noexcept {
        struct ::stat now {};
        ::off_t const end = ::lseek(descriptor_, 0, SEEK_CUR);
        if (bytes > 0 && ::fstat(descriptor_, &now) == 0 && S_ISREG(now.st_mode) && now.st_size == end)
            static_cast<void>(::ftruncate(descriptor_, end - bytes) == 0);
    }

    int descriptor_ = -1;
};

}  // namespace measure::detail
