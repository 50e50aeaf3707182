// SPDX-License-Identifier: BSD-3-Clause
/// Partition: the first n processes with their files, through all access methods.
#pragma once

#include "b_eff_io/method.hpp"
#include "b_eff_io/result.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/session.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/comm.hpp>
#include <measure/timer.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace b_eff_io {

/// The objects that all partitions share.
struct Shared {
    Setting const& setting;
    Hints const& hints;
    bool shows_hints = false;  ///< whether the protocol lists hints
    measure::AnyTimer const& timer;
    program::Session& session;
    program::OutputFile& protocol;
    Buffer& written;
    Buffer& read;
};

class Partition {
public:
    /// Collective over the world. \param number  index of the partition, from 0
    Partition(Shared const& shared, int number, int processes);

    /// Whether this process belongs to the partition.
    [[nodiscard]] bool contains_me() const noexcept { return team_.has_value(); }
    [[nodiscard]] PartitionResult const& result() const noexcept { return result_; }

    /// Tests whether direct I/O works, if requested. Collective over the partition. \throws measure::UsageError
    void try_direct();
    /// Tests whether the file system supports shared pointers, if they are used. Collective over the partition.
    /// \throws measure::UsageError
    void try_shared_pointer();

    /// Measures all types. If a call fails, the partition is stopped: its files are deleted and the remaining patterns
    /// are recorded as skipped. Collective over the partition. \throws measure::Interrupted on all its processes
    void measure(Access access);

    /// Records all patterns of an access method as skipped. Local.
    void skip(Access access, std::string const& reason);

private:
    void measure(Access access, Type type);
    [[nodiscard]] bool open(DataFile& file, Access access, Type type, TypeTimes& times);
    /// \returns false if the partition was stopped
    [[nodiscard]] bool execute(DataFile& file, Access access, Pattern const& pattern);
    PatternResult& resolve_lengths(Access access, Pattern const& pattern);
    [[nodiscard]] Step step(Access access, Pattern const& pattern);
    [[nodiscard]] measure::LoopLimit limit(Access access, Pattern const& pattern, PatternResult const& lengths);
    void note(Access access, Pattern const& pattern, Step const& step, Outcome& outcome);
    void write(Access access, Pattern const& pattern, Outcome const& outcome);
    void stop(DataFile& file, Type type, std::string const& reason);
    void skip(Access access, Pattern const& pattern, std::string const& reason);
    void compute_segment();
    void guard(DataFile const& file, Type type);
    void guard_pointer(DataFile& file);
    void say(std::string const& text);

    /// Distance in ranks to the process whose data a process accesses.
    [[nodiscard]] int shift(Access access, Type type) const noexcept {
        return shared_.setting.reads_neighbor(access, type) ? result_.neighbor.shift : 0;
    }
    [[nodiscard]] int owner(Access access, Type type, int rank) const noexcept {
        return (rank + shift(access, type)) % result_.processes;
    }
    [[nodiscard]] std::string path(Type type, int rank) const;
    [[nodiscard]] bool owns(Type type) const { return type == Type::separated || team_->is_root(); }
    [[nodiscard]] PatternResult& at(Access access, Pattern const& pattern) noexcept {
        return result_.at(access).patterns[static_cast<std::size_t>(pattern.number)];
    }
    /// First byte of a pattern in its file, after the data of the patterns before it.
    [[nodiscard]] measure::Bytes begin_of(Pattern const& pattern);
    /// The part of the file that a pattern of random access uses.
    [[nodiscard]] RandomPart part_of(Pattern const& pattern);
    /// The reason why a type is no longer measured; empty if it is.
    [[nodiscard]] std::string const& stopped(Type type) const noexcept {
        return type == Type::random && result_.stopped.empty() ? result_.random_stopped : result_.stopped;
    }
    [[nodiscard]] Task task() const;

    Shared shared_;
    int number_;
    std::optional<measure::Comm> team_;
    PartitionResult result_{};
    Segment segment_{};
    std::optional<DiskShare> disk_{};  ///< disk share of the type that is being written
    bool displaced_ = false;           ///< the file pointer is not where the next pattern begins
    std::array<std::optional<program::TemporaryFile>, with_random.size()> temporary_{};
    std::vector<program::TemporaryFile> temporary_pointers_{};
};

}  // namespace b_eff_io
