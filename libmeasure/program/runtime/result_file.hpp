// SPDX-License-Identifier: BSD-3-Clause
/// ResultFile: a file that has its name only once it is whole.
#pragma once

#include "program/runtime/files.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/comm.hpp>

#include <optional>
#include <ostream>
#include <string>

namespace program {

/// What is written goes to PATH.part, which a signal removes; `keep` gives it its name. What is no file (/dev/null, a
/// pipe, a link) is written to as it is.
class ResultFile {
public:
    /// Collective: opens the file on the root. \throws measure::UsageError on all ranks where it cannot be written
    ResultFile(measure::Comm const& comm, std::string path);
    [[nodiscard]] std::ostream& stream() noexcept { return file_.stream(); }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// Local; acts on the root. \throws std::runtime_error, std::filesystem::filesystem_error
    void keep();

private:
    std::string path_;
    std::optional<TemporaryFile> part_;
    OutputFile file_;
};

}  // namespace program
