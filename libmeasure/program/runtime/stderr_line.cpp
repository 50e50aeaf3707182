// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/stderr_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace program {

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

void stderr_line(std::string line) {
    line += '\n';
    for (std::size_t done = 0; done < line.size();) {
        ssize_t const n = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        done += static_cast<std::size_t>(n);
    }
}

}  // namespace program
