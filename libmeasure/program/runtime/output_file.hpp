// SPDX-License-Identifier: BSD-3-Clause
/// OutputFile: a file that a program writes: opened and locked before anything is measured, replaced when the start is
/// sure.
///
/// Nothing is lost by a start that is refused: what was in the file stays until `begin`, and a file that is new is
/// removed. No two runs write one file, no program writes a file twice, and none overwrites what it reads.
#pragma once

#include <measure/comm.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace program {

/// How the content comes into the file of that name.
enum class Appears {
    as_written,  ///< with each flush
    when_whole,  ///< by `finish`: until then the old file stays, and PATH.part grows
    part_stays,  ///< by `finish` too; PATH.part stays where `finish` is not reached: rows of a run that is cut short
};

/// The place that a text has reached when `finish` returns. Some file systems, above all on other hosts, tell late that
/// they have no room.
enum class Reaches {
    disk,         ///< fsync(2): it is still there when the machine has lost its power; takes some ms
    file_system,  ///< what close(2) tells is told; for files that are many and can be made again
};

/// An open file; without one (by default, and on ranks that have none) what is written is dropped. A device or a pipe
/// is written to, and neither locked nor replaced; a symbolic link stays, and the file that it leads to is written.
/// Move-only. Functions are local.
///
///     as_written   PATH opened, locked -- begin --> cut -- flush --> longer -- finish --> on the disk
///     when_whole   PATH.part opened, locked -- begin --> cut -- flush --> longer -- finish --> renamed to PATH
///     either       opened, locked -- destroyed --> unchanged
///     when_whole   cut, longer -- destroyed --> PATH.part removed, PATH unchanged
///     part_stays   as when_whole, but cut, longer -- destroyed, killed --> PATH.part, PATH unchanged
class OutputFile {
public:
    OutputFile();
    /// Opens and locks the file; nothing is cut. Local.
    /// \param option  that names the file, for error lines; empty: none
    /// \throws measure::UsageError where the file cannot be written, another run writes it, this one reads it or writes
    /// it already, or PATH.part is a symbolic link
    OutputFile(std::string path, std::string const& option, Appears appears);
    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;
    /// Writes out what is buffered. A file that was not begun is unchanged, and so is a PATH.part that was there
    /// before; otherwise PATH.part is removed, unless it is to stay.
    ~OutputFile();

    [[nodiscard]] std::ostream& stream() noexcept;
    [[nodiscard]] std::string const& path() const noexcept;
    [[nodiscard]] int descriptor() const noexcept;  ///< -1: no file
    /// PATH.part, where that was begun and not finished; empty otherwise.
    [[nodiscard]] std::string unfinished() const;

    /// Cuts the file to its first `keep` bytes, or to none where it has fewer, and appends from there. Only the first
    /// call acts. \return whether bytes were kept  \throws std::runtime_error
    bool begin(std::int64_t keep = 0);
    /// Writes out what is buffered, and begins before. While `HeldOutputs` hold it back, the text stays in memory.
    /// \throws std::runtime_error "cannot write 'PATH': REASON" when anything could not be written
    void flush();
    /// Waits until the disk has what was flushed; devices and pipes have none. \throws std::runtime_error as `flush`
    void sync();
    /// Flushes, waits until the text is there, and gives a file that appears when it is whole its name. To be called
    /// where nothing is timed. \throws std::runtime_error as `flush`
    void finish(Reaches reaches = Reaches::disk);

    class Open;  ///< of this header's source alone

private:
    std::unique_ptr<Open> open_;
};

/// Opens a file on the root. Collective. \throws measure::UsageError on all ranks, as OutputFile does
[[nodiscard]] OutputFile open_file(measure::Comm const& comm, std::string const& path, std::string const& option = {},
                                   Appears appears = Appears::as_written);

/// Writes a file that has its name once it is whole. Collective. \throws as `open_file` and `OutputFile::finish` do
void write_file(measure::Comm const& comm, std::string const& path, std::string const& text,
                Reaches reaches = Reaches::disk);

/// Opens PATH.RANK on every rank. Collective.
/// \throws measure::UsageError on all ranks where one of them cannot be opened
[[nodiscard]] OutputFile open_file_per_rank(measure::Comm const& comm, std::string const& path,
                                            std::string const& option = {});

/// Notes that the program reads a file, which no output may be. Local.
/// \throws measure::UsageError "OPTION: 'PATH' is an input" where it is open as an output
void note_input(std::string const& path);

/// While one exists, outputs of `as_written` are not begun by the first text for them: they begin
/// together once the start is sure. At most one exists. Local.
class HeldOutputs {
public:
    HeldOutputs() noexcept;
    HeldOutputs(HeldOutputs const&) = delete;
    HeldOutputs& operator=(HeldOutputs const&) = delete;
    /// Forgets what was read.
    ~HeldOutputs();
    /// Begins all that are open, and from now on each when it is opened. \throws std::runtime_error
    void begin();
};

/// Takes the warnings of outputs that were opened: files that cannot be locked. Local.
[[nodiscard]] std::vector<std::string> take_output_warnings();

}  // namespace program
