// SPDX-License-Identifier: BSD-3-Clause
/// BenchmarkRunner: measures one benchmark on one number of processes, mode by mode and length by length.
#pragma once

#include "pmb/cpu_loop.hpp"
#include "pmb/kernel.hpp"
#include "pmb/report/output.hpp"
#include "pmb/report/result.hpp"
#include "pmb/report/table.hpp"
#include "pmb/setup.hpp"
#include "pmb/team.hpp"
#include "program/runtime/session.hpp"

#include <measure/comm.hpp>
#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/refine.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pmb {

/// Context shared by all tables of a run. Equal on all ranks, except values that are local by nature.
struct Context {
    Setup const& setup;
    program::Session& session;
    Output& output;
    measure::AnyTimer timer{};
    measure::TimerInfo clock{};  ///< cost and step of the timer
    std::optional<Corruption> corruption{};
    CpuLoop const* cpu = nullptr;
    std::string file{};
    bool keep = false;
    measure::Bytes room = 0;  ///< memory available for the buffers of a process, independent of -mem
};

/// The lengths of a benchmark in the order of measurement; a single entry without a value if it has no lengths.
[[nodiscard]] std::vector<std::optional<measure::Bytes>> lengths_of(Benchmark const& benchmark, Setup const& setup);

/// Measures and writes the tables of a benchmark on one number of processes, one table for each mode. Buffers and
/// files are prepared once, before the first table.
class BenchmarkRunner {
public:
    /// \param team  the team of this process; nullptr if it is idle
    BenchmarkRunner(Context const& context, Benchmark const& benchmark, Grouping const& grouping,
                    measure::Comm const* team);

    /// Collective over the world. \returns false if the rest of the benchmark cannot be measured
    [[nodiscard]] bool measure();

    /// Replaces `measure` if the benchmark has failed before: skips all rows.
    void leave_out();

    /// Verdict of the data check. Root only.
    enum class Found { right, defects, nothing };
    [[nodiscard]] Found found() const noexcept { return found_; }
    /// Whether a measured row had data to check. Root only.
    [[nodiscard]] bool has_data() const noexcept { return has_data_; }

private:
    using Length = std::optional<measure::Bytes>;
    /// The reason why a length is not measured.
    struct Skip {
        std::string reason;     ///< for the record
        std::string comment{};  ///< for the table; empty: already printed
        bool no_memory = false;
    };

    [[nodiscard]] measure::Comm const& world() const noexcept { return context_.session.world(); }
    [[nodiscard]] bool table(Mode mode);
    void note(std::string text);
    void write_notes();
    void slowest_times(std::int64_t n);
    void begin_table(Mode mode);
    void skip_table(Mode mode);
    [[nodiscard]] bool make_kernel();
    void make_kernel_here();
    [[nodiscard]] measure::Bytes needed(measure::Bytes length) const;
    [[nodiscard]] std::optional<Skip> lack_of_memory(Length length) const;
    [[nodiscard]] measure::Bytes largest_within_memory() const;
    [[nodiscard]] bool is_any_within_memory() const;
    [[nodiscard]] std::optional<Skip> reason_to_end(Length length);
    [[nodiscard]] bool timed_out() const;
    [[nodiscard]] bool listed_lengths();
    [[nodiscard]] bool more_rounds();
    [[nodiscard]] bool refined_lengths();
    [[nodiscard]] bool warm_up();
    [[nodiscard]] bool begin(Length length);
    [[nodiscard]] bool attempt(Length length, std::function<void()> const& work);
    [[nodiscard]] std::string failure_of(std::function<void()> const& work);
    [[nodiscard]] bool agree(Length length, std::string const& failure);
    void end();
    [[nodiscard]] bool row(Length length);
    [[nodiscard]] std::optional<std::int64_t> repetitions_of(Length length);
    [[nodiscard]] std::optional<std::int64_t> imb_repetitions(Length length);
    [[nodiscard]] std::optional<std::int64_t> own_repetitions(Length length);
    [[nodiscard]] std::optional<double> tried(Length length, std::int64_t n);
    [[nodiscard]] bool has_imb_loops() const noexcept;
    [[nodiscard]] measure::Measurement synchronised(std::int64_t n);
    void add_synchronised(measure::Record& row);
    [[nodiscard]] Report report(std::int64_t n, std::optional<measure::Measurement>& measurement);
    /// The reports of a row in each round. Root only.
    struct Kept {
        std::int64_t wanted = 0;
        std::vector<std::vector<Report>> rounds{};  ///< [rounds][world]
        measure::seconds elapsed{};
    };
    void keep(std::vector<Report> reports, measure::seconds elapsed);
    void publish_rounds(std::optional<std::size_t> but = {});
    void publish(Length length, std::vector<std::vector<Report>> const& rounds,
                 std::optional<measure::Measurement> const& measurement, measure::seconds elapsed);
    void tell_defects(Length length, std::vector<Report> const& reports);
    [[nodiscard]] measure::Point point(Length length, std::optional<int> group = {}) const;
    void leave(Length length, measure::PointStatus status, std::string const& reason, bool no_memory = false);
    void skip(Length length, Skip const& why);
    void skip_from(std::size_t i, Skip why);
    void crash(Length length, std::string const& text);

    Context const& context_;
    Setup const& setup_;
    Benchmark const& benchmark_;
    Head head_;
    Grouping grouping_;
    measure::Comm const* team_;
    Shape shape_;
    std::vector<Length> lengths_;
    std::optional<measure::Bytes> refused_{};  ///< the shortest length for which an allocation failed
    measure::Bytes largest_;
    Verifier verifier_;
    std::optional<Task> task_{};
    std::unique_ptr<Kernel> kernel_{};
    Found found_ = Found::right;
    bool has_data_ = false;

    // State of the current table.
    std::size_t place_ = 0;  ///< index of the row in `lengths_`; its size while lengths are added
    std::optional<measure::Refiner> refiner_{};
    std::set<measure::Bytes> refined_{};                  ///< lengths that the refiner knows; root only
    bool is_refining_ = false;                            ///< lengths are being added
    std::vector<RowCount> earlier_{};                     ///< rows of this round
    std::optional<measure::Measurement> synchronised_{};  ///< single calls of the current row
    std::vector<double> times_{};                         ///< time of each repetition of the row, if requested
    std::vector<std::string> notes_{};                    ///< lines to print below the table; root only
    std::chrono::steady_clock::time_point begun_{};
    std::array<std::vector<measure::Point>, row_flags.size()> flagged_{};  ///< rows with each flag; root only
    std::int64_t wanted_ = 0;  ///< repetitions of the row without a time limit
    int round_ = 0;
    std::map<std::size_t, Kept> kept_{};  ///< rows by their index, if there are several rounds; root only
};

}  // namespace pmb
