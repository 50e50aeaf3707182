// SPDX-License-Identifier: BSD-3-Clause
/// OutputFile: an output of a program. It is opened and locked before measuring and replaced only after all options and
/// files are checked.
///
/// A run that is refused changes no file: old content is kept until `begin`, and a new file is removed. Two runs cannot
/// write the same file, a program cannot write a file twice, and it cannot overwrite its inputs.
#pragma once

#include <measure/comm.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace program {

/// When the content appears in the file of that name.
enum class Appears {
    as_written,  ///< with each flush
    when_whole,  ///< with `finish`; until then the old file is kept, and PATH.part grows
    part_stays,  ///< with `finish`; if it is not called, PATH.part is kept with the rows of the incomplete run
};

/// How durable the text is when `finish` returns. Some file systems, especially network file systems, report late that
/// they are full.
enum class Reaches {
    disk,         ///< fsync(2): the text survives a power failure; takes some ms
    file_system,  ///< errors of close(2) are reported; for many files that can be regenerated
};

/// An open file. An object without file (by default, and on ranks without file) drops its text. Devices and pipes are
/// written directly, neither locked nor replaced. A symbolic link is kept, and its target is written. Move-only.
/// Functions are local.
///
///     as_written   PATH opened, locked -- begin --> cut -- flush --> longer -- finish --> on the disk
///     when_whole   PATH.part opened, locked -- begin --> cut -- flush --> longer -- finish --> renamed to PATH
///     either       opened, locked -- destroyed --> unchanged
///     when_whole   cut, longer -- destroyed --> PATH.part removed, PATH unchanged
///     part_stays   as when_whole, but cut, longer -- destroyed, killed --> PATH.part, PATH unchanged
class OutputFile {
public:
    OutputFile();
    /// Opens and locks the file without truncating it. Local.
    /// \param option  option that names the file, for error lines; may be empty
    /// \throws measure::UsageError if the file cannot be written, another run writes it, this run reads or already
    ///         writes it, or PATH.part is a symbolic link
    OutputFile(std::string path, std::string const& option, Appears appears);
    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;
    /// Writes buffered text. If the file was not begun, it and an existing PATH.part are unchanged; otherwise PATH.part
    /// is removed, except with `part_stays`.
    ~OutputFile();

    [[nodiscard]] std::ostream& stream() noexcept;
    [[nodiscard]] std::string const& path() const noexcept;
    [[nodiscard]] int descriptor() const noexcept;  ///< -1: no file
    /// PATH.part if it was begun and not finished; empty otherwise.
    [[nodiscard]] std::string unfinished() const;

    /// Truncates the file to its first `keep` bytes, or to 0 if it has fewer, and appends from there. Only the first
    /// call has an effect. \return whether bytes were kept  \throws std::runtime_error
    bool begin(std::int64_t keep = 0);
    /// Begins the file if necessary and writes buffered text. While `HeldOutputs` holds it back, text stays in memory.
    /// \throws std::runtime_error "cannot write 'PATH': REASON" if any text could not be written
    void flush();
    /// Waits until flushed text is on the disk; does nothing for devices and pipes. \throws std::runtime_error as
    /// `flush`
    void sync();
    /// Flushes, waits until the text is as durable as `reaches` says, and renames PATH.part to PATH, except with
    /// `as_written`. Do not call it in timed regions. \throws std::runtime_error as `flush`
    void finish(Reaches reaches = Reaches::disk);

    class Open;  ///< private to this header's source file

private:
    std::unique_ptr<Open> open_;
};

/// Opens a file on the root. Collective. \throws measure::UsageError on all ranks, as the constructor of OutputFile
[[nodiscard]] OutputFile open_file(measure::Comm const& comm, std::string const& path, std::string const& option = {},
                                   Appears appears = Appears::as_written);

/// Writes a file that appears only when it is complete. Collective. \throws as `open_file` and `OutputFile::finish` do
void write_file(measure::Comm const& comm, std::string const& path, std::string const& text,
                Reaches reaches = Reaches::disk);

/// Opens PATH.RANK on every rank. Collective.
/// \throws measure::UsageError on all ranks if one of the files cannot be opened
[[nodiscard]] OutputFile open_file_per_rank(measure::Comm const& comm, std::string const& path,
                                            std::string const& option = {});

/// Notes that the program reads a file, which must not be an output. Local.
/// \throws measure::UsageError "OPTION: 'PATH' is an input" if it is open as an output
void note_input(std::string const& path);

/// While an object exists, outputs of `as_written` do not begin with their first text. They begin together in `begin`,
/// after all checks of the run. At most one object exists. Local.
class HeldOutputs {
public:
    HeldOutputs() noexcept;
    HeldOutputs(HeldOutputs const&) = delete;
    HeldOutputs& operator=(HeldOutputs const&) = delete;
    /// Forgets the noted inputs.
    ~HeldOutputs();
    /// Begins all open outputs. Later ones begin when they are opened. \throws std::runtime_error
    void begin();
};

/// Returns and clears the warnings about opened outputs: files that cannot be locked. Local.
[[nodiscard]] std::vector<std::string> take_output_warnings();

}  // namespace program
