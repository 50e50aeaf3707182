// SPDX-License-Identifier: BSD-3-Clause
/// Writes a line to a file descriptor in one write(2); used by record files and journals.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace measure::detail {

/// Writes `line` in one write(2) if the system allows it. Retries if a signal interrupts before the first byte. Local.
/// \param what  the kind of file, for the message: "record"
/// \throws std::system_error with the system's reason if the line cannot be written completely
inline void write_line(int descriptor, std::string_view line, std::string const& what) {
    while (!line.empty()) {
        ssize_t const written = ::write(descriptor, line.data(), line.size());
        if (written < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), what + ": cannot write a line");
        // On a full disk a partial write succeeds; the next call fails with the reason.
        line.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

}  // namespace measure::detail
