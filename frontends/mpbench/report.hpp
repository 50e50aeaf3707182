// SPDX-License-Identifier: BSD-3-Clause
/// Report: blocks for gnuplot, one for each test. Local.
#pragma once

#include "llcbench/machine.hpp"
#include "llcbench/table.hpp"
#include "options.hpp"
#include "result.hpp"

#include <measure/environment.hpp>

#include <ostream>

namespace mpbench {

class Report {
public:
    /// \param out  outlives the report, as do the setup and the machine
    Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine)
        : out_{&out}, setup_{&setup}, machine_{&machine}, table_{out, setup.output.form()} {}

    void begin(Test const& test, measure::Environment const& environment);
    void row(Row const& row);
    /// What is to be said of the rows since `begin`.
    void end();

private:
    std::ostream* out_;
    Setup const* setup_;
    llcbench::Machine const* machine_;
    llcbench::Table table_;
    Test const* test_ = nullptr;
    std::vector<std::string> unsettled_{};  ///< rows since `begin`
};

/// How the run was made, for an .info file.
[[nodiscard]] llcbench::Fields conditions(Setup const& setup);

}  // namespace mpbench
