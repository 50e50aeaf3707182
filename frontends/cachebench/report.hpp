// SPDX-License-Identifier: BSD-3-Clause
/// Report: the tables of the original on a terminal, blocks for gnuplot in files. Local.
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
    /// \param out        outlives the report, as do the setup and the machine
    /// \param frequency  of the core, Hz; nothing: not known
    Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine,
           std::optional<double> frequency = std::nullopt);

    void begin(Test const& test, measure::Environment const& environment);
    /// \param record  as `finished` makes it; with the coordinate "copy", 0: all together
    void row(measure::Record const& record);
    /// What is to be said of the rows since `begin`.
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
    std::optional<double> previous_{};      ///< ns of the line before
    std::vector<std::string> unsettled_{};  ///< rows since `begin`
};

/// How the loops of the run were compiled, for an .info file.
[[nodiscard]] llcbench::Fields build(Setup const& setup);

}  // namespace cachebench
