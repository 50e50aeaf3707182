// SPDX-License-Identifier: BSD-3-Clause
/// Report: blocks for gnuplot, one for each test. Local.
#pragma once

#include "llcbench/machine.hpp"
#include "llcbench/page.hpp"
#include "llcbench/table.hpp"
#include "mpbench/options.hpp"

#include <measure/environment.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace mpbench {

/// "MB/s (1 MB = 1048576 bytes)", "transactions/s", "us"
[[nodiscard]] std::string unit(Figure figure, Units units);

/// Of a test's rows. Cells follow from records that `result` made.
[[nodiscard]] llcbench::Columns columns(Test const& test, Setup const& setup);

class Report final : public llcbench::Text {
public:
    /// \param out  outlives the report, as do the setup and the machine
    Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine);

    void begin(measure::Benchmark const& benchmark, measure::Environment const& run) override;
    void row(measure::Record const& record) override;
    void end() override;

private:
    std::ostream* out_;
    Setup const* setup_;
    llcbench::Machine const* machine_;
    llcbench::Table table_;
    llcbench::Columns columns_{};           ///< since `begin`
    std::vector<std::string> unsettled_{};  ///< rows since `begin`
};

/// How the run was made, for an .info file.
[[nodiscard]] llcbench::Fields conditions(Setup const& setup);

}  // namespace mpbench
