// SPDX-License-Identifier: BSD-3-Clause
/// A line to a file descriptor in one write(2): what record files and journals are made of.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace measure::detail {

/// Writes `line` in one write(2) where the system allows, again where a signal came before the first byte. Local.
/// \param what  the kind of file, for the message: "record"
/// \throws std::system_error with the system's reason when the line cannot be written whole
inline void write_line(int descriptor, std::string_view line, std::string const& what) {
    while (!line.empty()) {
        ssize_t const written = ::write(descriptor, line.data(), line.size());
        if (written < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), what + ": cannot write a line");
        // What a full disk has no room for is refused, with the reason, by the next call.
        line.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

}  // namespace measure::detail
