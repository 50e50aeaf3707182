// SPDX-License-Identifier: BSD-3-Clause
#include "report/tools.hpp"

#include "frontend/values.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace skampi::report {

namespace {

bool is_program(std::string const& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

bool has_program(std::string_view name) {
    char const* const path = std::getenv("PATH");
    if (path == nullptr)
        return false;
    for (std::string const& folder : frontend::split(path, ':'))
        if (is_program(fmt::format("{}/{}", folder.empty() ? "." : folder, name)))
            return true;
    return false;
}

}  // namespace skampi::report
