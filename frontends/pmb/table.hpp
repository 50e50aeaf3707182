// SPDX-License-Identifier: BSD-3-Clause
/// Table: the text of PMB 2.2, column by column: header, head of a table, rows, comments. Pure.
#pragma once

#include "options.hpp"

#include <measure/environment.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmb {

/// The numbers of one row. Seconds and bytes per second; the table converts.
struct Row {
    std::optional<int> group{};
    std::optional<measure::Bytes> length{};
    std::int64_t repetitions = 0;
    double min = 0;
    double mean = 0;
    double max = 0;  ///< of a non-blocking file benchmark: the overlapped time
    std::optional<double> throughput{};
    double pure = 0;
    double cpu = 0;
    double overlap = 0;
    std::optional<double> relative_error{};  ///< by a plan; nothing where it is not known
    std::optional<std::int64_t> discarded{};
    std::optional<double> defects{};
    std::vector<double> rounds{};  ///< what `max` was in each round, where there are several
};

/// Of the times of several rounds.
struct RoundStatistics {
    double min = 0;
    double median = 0;
    double spread = 0;  ///< (largest - smallest) / median
};
/// \param times  at least one, > 0
[[nodiscard]] RoundStatistics statistics_of(std::vector<double> const& times);

/// Which columns a table has.
struct Shape {
    enum class Times { one, three, overlap };
    bool group = false;
    bool length = true;
    Times times = Times::one;
    bool throughput = false;
    bool error = false;  ///< standard error and discarded samples
    bool defects = false;
    bool rounds = false;
};

/// \param groups  more than one: the benchmark runs in so many groups at once  \param multi  -multi, where it is given
[[nodiscard]] Shape shape(Benchmark const& benchmark, std::optional<int> multi, bool by_plan, bool check,
                          bool rounds = false);

/// What stands above a table.
struct Head {
    Benchmark const& benchmark;
    Mode mode = Mode::single;
    std::vector<std::vector<int>> groups{};  ///< world ranks of each group; at least one
    int idle = 0;
};

/// "PingPong", or "Multi-PingPong" where it runs in several groups.
[[nodiscard]] std::string title(Head const& head);

/// What stands below a table of which these rows are unsettled; see program::unsettled_text.
[[nodiscard]] std::string unsettled_text(Head const& head, Shape const& shape, std::vector<Row> const& rows);

class Table {
public:
    /// \param megabyte  bytes of a MByte
    Table(Format format, double megabyte) : format_{format}, megabyte_{megabyte} {}

    /// What stands at the beginning of the run.
    [[nodiscard]] std::string header(measure::Environment const& run, Setup const& setup,
                                     std::optional<double> cpu_mflops) const;
    [[nodiscard]] std::string head(Head const& head, Shape const& shape) const;
    /// The rows of one length: one, or one per group.
    [[nodiscard]] std::string rows(Head const& head, Shape const& shape, std::vector<Row> const& rows) const;
    /// A line that is no data; nothing in csv.
    [[nodiscard]] std::string comment(std::string_view text) const;
    /// The same between blank lines.
    [[nodiscard]] std::string notice(std::string_view text) const;
    /// The last lines of the run.
    [[nodiscard]] std::string closing(std::string_view program, int exit_code) const;

private:
    [[nodiscard]] std::string csv_row(Head const& head, Row const& row) const;
    Format format_;
    double megabyte_;
};

}  // namespace pmb
