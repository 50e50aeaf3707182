// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/storage.hpp"

#include <measure/error.hpp>
#include <measure/mpi_error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>

namespace mpiperf {

namespace {

/// A name that is unique among launches. A launch on another host or in another container may have the same process
/// ID, so the name has a random part. Collective.
std::string file_name(measure::Comm const& team, std::string const& folder) {
    auto name = fmt::format("mpiperf.{}.{:08x}.scratch", ::getpid(), std::random_device{}());
    team.broadcast(name);
    return (std::filesystem::path{folder} / name).string();
}

void skip_unless(measure::Comm const& team, bool ok, std::string const& what) {
    if (team.max(ok ? 0 : 1) > 0)
        throw measure::SkipPoint(what);
}

}  // namespace

FileAccess::FileAccess(measure::Comm const& team, std::string const& folder, FileUse use, measure::Bytes bytes,
                       bodies::Buffers memory)
    : use_{use}, bytes_{measure::to_int(bytes, "bytes of a transfer")}, offset_{team.rank() * bytes}, memory_{std::move(
                                                                                                          memory)} {
    auto const& path = path_ = file_name(team, folder);
    name_.emplace(path, team.is_root() ? program::Unlinks::here : program::Unlinks::elsewhere);
    skip_unless(team, file_.open(team.native(), path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR) == MPI_SUCCESS,
                fmt::format("the file '{}' cannot be opened", path));
    skip_unless(team, use == FileUse::write || write({}), fmt::format("the file '{}' cannot be written", path));
}

bool FileAccess::is_cached(measure::Comm const& team) const {
    return team.max(bodies::is_in_page_cache(path_, offset_, bytes_) ? 1 : 0) > 0;
}

DirectAccess::DirectAccess(measure::Comm const& team, std::string const& folder, FileUse use, measure::Bytes bytes,
                           bodies::Buffers memory)
    : use_{use}, bytes_{static_cast<std::size_t>(bytes)}, offset_{team.rank() * bytes}, memory_{std::move(memory)} {
    skip_unless(team, bytes % block == 0, fmt::format("O_DIRECT moves whole blocks of {} bytes", block));
    auto const& path = path_ = file_name(team, folder);
    name_.emplace(path, team.is_root() ? program::Unlinks::here : program::Unlinks::elsewhere);
    constexpr int flags = O_RDWR | O_DIRECT | O_CLOEXEC;
    if (team.is_root())
        file_ = Descriptor{::open(path.c_str(), flags | O_CREAT | O_EXCL, 0600)};
    bool const is_refused = team.max(team.is_root() && file_.number < 0 && errno == EINVAL ? 1 : 0) > 0;
    skip_unless(team, !is_refused, fmt::format("the file system of '{}' refuses O_DIRECT", folder));
    if (!team.is_root())
        file_ = Descriptor{::open(path.c_str(), flags)};
    skip_unless(team, file_.number >= 0, fmt::format("the file '{}' cannot be opened", path));
    skip_unless(team, use == FileUse::write || write({}), fmt::format("the file '{}' cannot be written", path));
}

bool DirectAccess::is_cached(measure::Comm const& team) const {
    return team.max(bodies::is_in_page_cache(path_, offset_, static_cast<std::int64_t>(bytes_)) ? 1 : 0) > 0;
}

}  // namespace mpiperf
