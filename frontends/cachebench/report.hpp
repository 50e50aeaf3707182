// SPDX-License-Identifier: BSD-3-Clause
/// Report: prints the tables of the original on a terminal and blocks for gnuplot into files. Local.
#pragma once

#include "cachebench/options.hpp"
#include "cachebench/result.hpp"
#include "llcbench/machine.hpp"
#include "llcbench/table.hpp"

#include <measure/environment.hpp>
#include <measure/record.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace cachebench {

class Report {
public:
    /// \param out        must outlive the report, as must the setup and the machine
    /// \param frequency  frequency of the core in Hz, if known
    Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine,
           std::optional<double> frequency = std::nullopt);

    void begin(Test const& test, measure::Environment const& environment);
    /// Prints a row. \param record  made by `finished`, or by `sum` with the coordinate "copy" = 0 for all copies
    void row(measure::Record const& record);
    /// Prints the remarks about the rows since `begin`.
    void end();

private:
    void begin_on_terminal(Test const& test);
    void row_on_terminal(measure::Record const& record);
    [[nodiscard]] llcbench::Columns columns(Test const& test) const;
    [[nodiscard]] Counts counts_of(measure::Record const& record) const;
    [[nodiscard]] std::vector<llcbench::Fields> head(Chosen const& chosen,
                                                     measure::Environment const& environment) const;

    std::ostream* out_;
    Setup const* setup_;
    llcbench::Machine const* machine_;
    std::optional<double> frequency_;
    llcbench::Table table_;
    Test const* test_ = nullptr;
    std::optional<double> previous_{};      ///< ns per access of the previous row
    std::vector<std::string> unsettled_{};  ///< unsettled rows since `begin`
};

/// How the loops of the run were compiled, for the .info file.
[[nodiscard]] llcbench::Fields build(Setup const& setup);

}  // namespace cachebench
