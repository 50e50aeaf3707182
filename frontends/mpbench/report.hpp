// SPDX-License-Identifier: BSD-3-Clause
/// Report: prints blocks for gnuplot, one for each test. Local.
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

/// The unit of the values: "MB/s (1 MB = 1048576 bytes)", "transactions/s" or "us".
[[nodiscard]] std::string unit(Figure figure, Units units);

/// The columns of a test. They format records made by `result`.
[[nodiscard]] llcbench::Columns columns(Test const& test, Setup const& setup);

class Report final : public llcbench::Text {
public:
    /// \param out  must outlive the report, as must the setup and the machine
    Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine);

    void begin(measure::Benchmark const& benchmark, measure::Environment const& run) override;
    void row(measure::Record const& record) override;
    void end() override;

private:
    std::ostream* out_;
    Setup const* setup_;
    llcbench::Machine const* machine_;
    llcbench::Table table_;
    llcbench::Columns columns_{};           ///< columns of the current test
    std::vector<std::string> unsettled_{};  ///< rows since `begin`
};

/// The settings of the run, for the .info file.
[[nodiscard]] llcbench::Fields conditions(Setup const& setup);

}  // namespace mpbench
