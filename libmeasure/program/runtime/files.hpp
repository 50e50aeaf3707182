// SPDX-License-Identifier: BSD-3-Clause
/// Files: input read once for all ranks, output opened before anything is measured, faults of an input file.
#pragma once

#include <measure/comm.hpp>
#include <measure/error.hpp>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace program {

/// The text of a file on every rank; only the root reads it. Collective.
/// \throws measure::UsageError on all ranks where it cannot be read
[[nodiscard]] std::string read_file(measure::Comm const& comm, std::string const& path);

/// An open text file; on the other ranks (and when empty) what is written is dropped. Move-only; closes itself.
class OutputFile {
public:
    OutputFile();
    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;
    ~OutputFile();

    [[nodiscard]] std::ostream& stream() noexcept { return *stream_; }
    /// Writes out what is buffered. Local. \throws std::runtime_error with the path when anything could not be written
    void flush();

private:
    friend OutputFile open_file(measure::Comm const&, std::string const&);
    friend OutputFile open_file_per_rank(measure::Comm const&, std::string const&);
    static OutputFile open(measure::Comm const& comm, std::string path, bool mine);
    std::string path_;
    std::unique_ptr<std::ostream> stream_;
};

/// Opens a file for writing on the root; an existing file is replaced. Collective.
/// \throws measure::UsageError on all ranks where it cannot be opened
[[nodiscard]] OutputFile open_file(measure::Comm const& comm, std::string const& path);

/// Whether two paths, as they are written, name one file. Links are not followed: ranks without the file system agree.
[[nodiscard]] bool is_same_path(std::string const& a, std::string const& b);

/// Opens PATH.RANK on every rank. Collective.
/// \throws measure::UsageError on all ranks where one of them cannot be opened
[[nodiscard]] OutputFile open_file_per_rank(measure::Comm const& comm, std::string const& path);

/// A fault in an input file; lines and columns count from 1.
struct Fault {
    std::string file;
    int line = 1;
    int column = 1;
    std::string text;
};

/// All faults of an input file. `run_main` prints one line for each: "PROGRAM: FILE:LINE:COL: error: TEXT".
class InputFaults : public measure::UsageError {
public:
    /// \param faults  at least one
    explicit InputFaults(std::vector<Fault> faults);
    [[nodiscard]] std::vector<Fault> const& faults() const noexcept { return faults_; }

private:
    std::vector<Fault> faults_;
};

}  // namespace program
