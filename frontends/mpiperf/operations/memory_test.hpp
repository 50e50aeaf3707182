// SPDX-License-Identifier: BSD-3-Clause
/// The test Memory: memory use of the processes, including the MPI library, phase after phase.
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

/// One phase, combined over its processes. In bytes.
struct MemoryRow {
    int processes = 1;
    std::string phase{};
    measure::RankSpread resident{};
    double peak = 0;   ///< largest memory that any process ever had
    double delta = 0;  ///< mean change of resident memory since the previous phase; changes below a page count as 0
    measure::Value details = measure::Value::Object{};  ///< further fields of the record
};

/// The growth of a process's memory since the phase "init" after it has met p processes: a + b p, in bytes.
struct MemoryModel {
    std::vector<double> processes{};
    std::vector<double> taken{};          ///< [processes], mean over the processes
    std::optional<measure::Line> line{};  ///< no value for fewer than two numbers of processes
};

/// The change of memory; 0 if it is smaller than a page. Pure.
[[nodiscard]] measure::Bytes page_delta(measure::Bytes now, measure::Bytes before, measure::Bytes page) noexcept;

/// Fits the model. Pure. \param processes, taken  of equal length
[[nodiscard]] MemoryModel memory_model(std::vector<double> processes, std::vector<double> taken);

/// The points in a world of that many processes, in order. Pure.
/// \param tests  the other tests of the run
[[nodiscard]] std::vector<measure::Point> memory_points(std::span<std::int64_t const> processes,
                                                        std::span<std::string const> tests, int world);

/// The numbers of processes whose communicators are measured: 2, 4, .. and all, or by -p -P -g -G. Pure.
[[nodiscard]] std::vector<std::int64_t> memory_processes(Options const& options, int world);

/// Observes the memory of all ranks. Collective over the world, except `peek`.
class MemoryTest {
public:
    /// Records the phase "init". Construct it before any communication between the ranks.
    MemoryTest(measure::Comm const& world, std::vector<std::int64_t> processes);

    /// The phases of the communicators: each one is created ("communicator"), then every process sends a byte to every
    /// other process ("contact"). \throws measure::MpiError
    void meet();
    /// Records the phase after a test.
    void after(std::string_view test) { peek(test, world_.size()); }

    /// The rows of the phases since the last call. Collective; on ranks other than the root the rows have no numbers.
    [[nodiscard]] std::vector<MemoryRow> rows();
    /// The fitted model. Collective; complete on the root only.
    [[nodiscard]] MemoryModel model() const;

private:
    struct Phase {
        std::string name;
        int processes;
        ProcessMemory memory;
        measure::Bytes delta;  ///< change of this rank's resident memory
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

/// The table, followed by the model and the names of MPI's performance variables. Pure.
[[nodiscard]] std::string memory_table(std::span<MemoryRow const> rows, MemoryModel const& model,
                                       std::vector<std::string> const& variables);
/// The columns of the table in csv. Pure.
[[nodiscard]] std::vector<std::string> memory_columns();
/// The rows of the table in csv, arranged under these titles. Pure.
[[nodiscard]] std::string memory_lines(std::span<MemoryRow const> rows, std::vector<std::string> const& titles);

/// Names of the MPI library's performance variables (MPI_T); empty if it has none. Local.
[[nodiscard]] std::vector<std::string> mpi_variables();

}  // namespace mpiperf
