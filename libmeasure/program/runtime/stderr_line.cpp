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

void stderr_line(std::string_view line) { stderr_text(printable(line) + '\n'); }

void stderr_text(std::string_view text) {
    for (std::size_t done = 0; done < text.size();) {
        ssize_t const n = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        done += static_cast<std::size_t>(n);
    }
}

}  // namespace program
