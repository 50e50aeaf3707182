// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/temporary_file.hpp"

#include "measure/temporary_file.hpp"

#include <utility>

namespace measure {

struct TemporaryFile::Owner {
    frontend::TemporaryFile file;
};

TemporaryFile::TemporaryFile(Comm const& team, std::string path)
    : owner_{new Owner{frontend::TemporaryFile{std::move(path), team.is_root() ? frontend::Unlinks::here
                                                                               : frontend::Unlinks::elsewhere}}} {}
TemporaryFile::TemporaryFile(TemporaryFile&&) noexcept = default;
TemporaryFile& TemporaryFile::operator=(TemporaryFile&&) noexcept = default;
TemporaryFile::~TemporaryFile() = default;

std::string const& TemporaryFile::path() const noexcept { return owner_->file.path(); }

}  // namespace measure
