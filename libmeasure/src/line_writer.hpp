// SPDX-License-Identifier: BSD-3-Clause
/// A line to a file descriptor in one write(2): what record files and journals are made of.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace measure::detail {

/// Writes `line` in one write(2), again where a signal came before the first byte. Local.
/// \param what  the kind of file, for the message: "record"
/// \throws std::system_error when the line cannot be written whole
inline void write_line(int descriptor, std::string_view line, std::string const& what) {
    ssize_t written = -1;
    do
        written = ::write(descriptor, line.data(), line.size());
    while (written < 0 && errno == EINTR);
    if (written < 0)
        throw std::system_error(errno, std::generic_category(), what + ": cannot write a line");
    if (static_cast<std::size_t>(written) != line.size())
        throw std::system_error(std::make_error_code(std::errc::io_error), what + ": only " + std::to_string(written) +
                                                                               " of " + std::to_string(line.size()) +
                                                                               " bytes of a line were written");
}

}  // namespace measure::detail
