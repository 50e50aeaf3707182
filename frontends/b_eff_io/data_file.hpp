// SPDX-License-Identifier: BSD-3-Clause
/// Data file: the file of a pattern type as its processes see it: how it is opened, viewed and accessed.
#pragma once

#include "b_eff_io/rules.hpp"
#include "bodies/files.hpp"
#include "program/runtime/deferred_error.hpp"

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <string>
#include <utility>

namespace b_eff_io {

/// "rank 1: MPI_File_write: ..." of the lowest rank that is in trouble; empty where none is. Collective.
[[nodiscard]] std::string agreed_text(measure::Comm const& team, program::DeferredError const& trouble);

/// A blocking transfer and its name. One pointer instead of a loop for each call: behind it lies MPI-IO, beside which
/// an indirect call is nothing.
struct Transfer {
    int (*call)(bodies::Piece const&) noexcept;
    char const* name;
};

/// How a process sees a strided file: rows of `chunk` bytes, one of each process in turn; those of the owner.
class RowType {
public:
    RowType(int processes, int owner, measure::Bytes chunk);
    RowType(RowType const&) = delete;
    RowType& operator=(RowType const&) = delete;
    ~RowType() { MPI_Type_free(&type_); }
    [[nodiscard]] MPI_Datatype native() const noexcept { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Collective over the team: all functions but those of `own` files. Neither copied nor moved.
class DataFile {
public:
    /// \param owner  the process whose rows or segment this one accesses, or whose file it is
    DataFile(measure::Comm const& team, Setting const& setting, Type type, std::string path, int owner)
        : team_{team}, setting_{setting}, type_{type}, path_{std::move(path)}, owner_{owner} {}

    /// Looks whether the file can be opened: what the system says, with the path, before MPI says it without one, and
    /// in MPICH not only once. Local. \param looks  whether the file is this process' to look at
    void look(Access access, bool looks) noexcept;
    /// Opens, sees to it that --direct holds, sets the view where it stays the same, and makes the file of a shared
    /// pointer, which would otherwise be made by the first call. \param segment  Lseg; types 3 and 4 only
    void open(Access access, MPI_Info info, measure::Bytes segment) noexcept;
    void close() noexcept { trouble_.ok(file_.close(), "MPI_File_close"); }

    [[nodiscard]] int owner() const noexcept { return owner_; }
    /// Each process has a file of its own.
    [[nodiscard]] bool own() const noexcept { return type_ == Type::separated; }
    /// The view is set anew for each pattern.
    [[nodiscard]] bool strided() const noexcept {
        return type_ == Type::scatter || (type_ == Type::shared && !setting_.shared_pointer);
    }
    [[nodiscard]] bool shared_pointer() const noexcept { return type_ == Type::shared && setting_.shared_pointer; }

    void view(measure::Bytes displacement, RowType const& rows, MPI_Info info) noexcept;
    void set_info(MPI_Info info) noexcept { trouble_.ok(MPI_File_set_info(file_.native(), info), "MPI_File_set_info"); }
    /// Puts the pointer to a byte of the file.
    void seek(measure::Bytes position) noexcept;
    void sync() noexcept { trouble_.ok(MPI_File_sync(file_.native()), "MPI_File_sync"); }

    [[nodiscard]] Transfer transfer(Access access) const noexcept;
    [[nodiscard]] MPI_File native() const noexcept { return file_.native(); }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    [[nodiscard]] program::DeferredError& trouble() noexcept { return trouble_; }

private:
    [[nodiscard]] int mode(Access access) const noexcept;
    void look_whether_direct();
    measure::Comm const& team_;
    Setting const& setting_;
    Type type_;
    std::string path_;
    int owner_;
    bodies::File file_{};
    program::DeferredError trouble_{};
};

}  // namespace b_eff_io
