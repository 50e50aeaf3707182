// SPDX-License-Identifier: BSD-3-Clause
#include "measure/temporary_file.hpp"
#include "program/runtime/temporary_file.hpp"

#include <utility>

namespace measure {

struct TemporaryFile::Owner {
    program::TemporaryFile file;
};

TemporaryFile::TemporaryFile(Comm const& team, std::string path)
    : owner_{new Owner{program::TemporaryFile{std::move(path), team.is_root() ? program::Unlinks::here
                                                                              : program::Unlinks::elsewhere}}} {}
TemporaryFile::TemporaryFile(TemporaryFile&&) noexcept = default;
TemporaryFile& TemporaryFile::operator=(TemporaryFile&&) noexcept = default;
TemporaryFile::~TemporaryFile() = default;

std::string const& TemporaryFile::path() const noexcept { return owner_->file.path(); }

}  // namespace measure
