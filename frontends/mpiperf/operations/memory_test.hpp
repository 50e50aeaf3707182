// SPDX-License-Identifier: BSD-3-Clause
/// The test Memory: what the processes, and with them the MPI library, keep in memory, phase after phase.
#pragma once

#include "mpiperf/operations/process_memory.hpp"
#include "mpiperf/options.hpp"

#include <measure/comm.hpp>
#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/statistics.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpiperf {

inline constexpr std::string_view memory_test = "Memory";

/// One phase over its processes. Bytes.
struct MemoryRow {
    int processes = 1;
    std::string phase{};
    measure::RankSpread resident{};
    double peak = 0;   ///< of the process that ever had most
    double delta = 0;  ///< resident since the phase before, mean; a process's change of less than a page is none
    measure::Value details = measure::Value::Object{};  ///< of the record
};

/// The memory that a process has taken since the phase "init" when it had met p processes: a + b p, bytes.
struct MemoryModel {
    std::vector<double> processes{};
    std::vector<double> taken{};          ///< [processes], mean over them
    std::optional<measure::Line> line{};  ///< nothing for fewer than two numbers of processes
};

/// A change of memory; one of less than a page is none. Pure.
[[nodiscard]] measure::Bytes page_delta(measure::Bytes now, measure::Bytes before, measure::Bytes page) noexcept;

/// Pure. \param processes, taken  of equal length
[[nodiscard]] MemoryModel memory_model(std::vector<double> processes, std::vector<double> taken);

/// The points that are looked at in a world of so many processes, in order. Pure.
/// \param tests  that are run beside it
[[nodiscard]] std::vector<measure::Point> memory_points(std::span<std::int64_t const> processes,
                                                        std::span<std::string const> tests, int world);

/// The numbers of processes whose communicators are looked at: 2, 4, .. and all, or as -p -P -g -G say. Pure.
[[nodiscard]] std::vector<std::int64_t> memory_processes(Options const& options, int world);

/// Looks at the memory of all ranks. Collective over the world, but for `peek`.
class MemoryTest {
public:
    /// Takes the phase "init"; before anything that makes the ranks meet.
    MemoryTest(measure::Comm const& world, std::vector<std::int64_t> processes);

    /// The phases of the communicators: each is made ("communicator"), then every process sends every other one a byte
    /// ("contact"). \throws measure::MpiError
    void meet();
    /// The phase of a test that was run.
    void after(std::string_view test) { peek(test, world_.size()); }

    /// The rows of the phases since the last call; on the root, otherwise nothing in them.
    [[nodiscard]] std::vector<MemoryRow> rows();
    /// Complete on the root.
    [[nodiscard]] MemoryModel model() const;

private:
    struct Phase {
        std::string name;
        int processes;
        ProcessMemory memory;
        measure::Bytes delta;  ///< of the resident memory of this rank
    };
    void peek(std::string_view phase, int processes);
    [[nodiscard]] MemoryRow row(Phase const& phase) const;

    measure::Comm const& world_;
    std::vector<std::int64_t> processes_;
    std::vector<Phase> phases_;
    std::size_t reported_ = 0;
};

/// The record of a row. Pure.
[[nodiscard]] measure::Record memory_record(MemoryRow const& row);
[[nodiscard]] measure::Summary memory_summary(MemoryModel const& model, std::vector<std::string> const& variables);

/// The table, with the model and the names of MPI's own variables below it. Pure.
[[nodiscard]] std::string memory_table(std::span<MemoryRow const> rows, MemoryModel const& model,
                                       std::vector<std::string> const& variables);
/// Its columns in csv. Pure.
[[nodiscard]] std::vector<std::string> memory_columns();
/// Its rows in csv, with these columns. Pure.
[[nodiscard]] std::string memory_lines(std::span<MemoryRow const> rows, std::vector<std::string> const& titles);

/// Names of the performance variables that the MPI library has for tools (MPI_T); empty where it has none. Local.
[[nodiscard]] std::vector<std::string> mpi_variables();

}  // namespace mpiperf
