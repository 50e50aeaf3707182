// SPDX-License-Identifier: BSD-3-Clause
/// Data file: opens, views and accesses the file of a pattern type.
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

/// Returns "rank 1: MPI_File_write: ..." for the lowest rank with an error; empty without errors. Collective.
[[nodiscard]] std::string agreed_text(measure::Comm const& team, program::DeferredError const& trouble);

/// A blocking transfer and its name. A function pointer replaces a separate loop for each call: compared with MPI-IO,
/// the cost of an indirect call is negligible.
struct Transfer {
    int (*call)(bodies::Piece const&) noexcept;
    char const* name;
};

/// The view of a process on a strided file. The file consists of rows of `chunk` bytes, one for each process in turn;
/// the view selects the owner's rows.
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

/// All functions are collective over the team, except those for a process's own file. Not copyable or movable.
class DataFile {
public:
    /// \param owner  the process whose rows, segment or file this process accesses
    DataFile(measure::Comm const& team, Setting const& setting, Type type, std::string path, int owner)
        : team_{team}, setting_{setting}, type_{type}, path_{std::move(path)}, owner_{owner} {}

    /// Checks that the file can be opened. The error of the system names the path, while MPI reports errors without it,
    /// and MPICH more than once. Local. \param looks  whether this process must check the file
    void look(Access access, bool looks) noexcept;
    /// Opens the file, checks --direct and sets the view if it never changes. Also creates the file of a shared
    /// pointer, which the first call would otherwise create. \param segment  Lseg; types 3 and 4 only
    void open(Access access, MPI_Info info, measure::Bytes segment) noexcept;
    void close() noexcept { trouble_.ok(file_.close(), "MPI_File_close"); }

    [[nodiscard]] int owner() const noexcept { return owner_; }
    /// Whether each process has its own file.
    [[nodiscard]] bool own() const noexcept { return type_ == Type::separated; }
    /// Whether the view is set for each pattern.
    [[nodiscard]] bool strided() const noexcept {
        return type_ == Type::scatter || (type_ == Type::shared && !setting_.shared_pointer);
    }
    [[nodiscard]] bool shared_pointer() const noexcept { return type_ == Type::shared && setting_.shared_pointer; }

    void view(measure::Bytes displacement, RowType const& rows, MPI_Info info) noexcept;
    void set_info(MPI_Info info) noexcept { trouble_.ok(MPI_File_set_info(file_.native(), info), "MPI_File_set_info"); }
    /// Moves the file pointer to a byte of the file.
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
