// SPDX-License-Identifier: BSD-3-Clause
/// Table: the text of PMB 2.2, column by column: header, head of a table, rows, comments. Pure.
#pragma once

#include "options.hpp"

#include <measure/environment.hpp>
#include <measure/record.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmb {

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
    bool calls = false;  ///< the repetitions are single calls with a common start
};

[[nodiscard]] Shape shape(Benchmark const& benchmark, Setup const& setup);

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
[[nodiscard]] std::string unsettled_text(Head const& head, Shape const& shape, std::vector<measure::Point> const& rows);

class Table {
public:
    /// \param megabyte  bytes of a MByte
    Table(Format format, double megabyte) : format_{format}, megabyte_{megabyte} {}

    /// What stands at the beginning of the run.
    [[nodiscard]] std::string header(measure::Environment const& run, Setup const& setup,
                                     std::optional<double> cpu_mflops) const;
    [[nodiscard]] std::string head(Head const& head, Shape const& shape) const;
    /// The rows of one length: one, or one per group.
    [[nodiscard]] std::string rows(Shape const& shape, std::vector<measure::Record> const& rows) const;
    /// A line that is no data; nothing in csv.
    [[nodiscard]] std::string comment(std::string_view text) const;
    /// The same between blank lines.
    [[nodiscard]] std::string notice(std::string_view text) const;
    /// The last lines of the run.
    [[nodiscard]] std::string closing(std::string_view program, int exit_code) const;

private:
    Format format_;
    double megabyte_;
};

}  // namespace pmb
