// SPDX-License-Identifier: BSD-3-Clause
/// Report: prints the tables of the original on a terminal and blocks for gnuplot into files. Local.
#pragma once

#include "blasbench/blas.hpp"
#include "blasbench/options.hpp"
#include "blasbench/result.hpp"
#include "llcbench/machine.hpp"
#include "llcbench/table.hpp"

#include <measure/environment.hpp>
#include <measure/record.hpp>

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace blasbench {

/// Comment above a row whose blocks are too short for the clock.
inline constexpr char const* below_resolution = "below timer resolution";

class Report {
public:
    /// \param out       must outlive the report, as must the setup and the machine
    /// \param libraries number of measured libraries
    Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine, std::size_t libraries);

    /// Starts the rows of a series, measured with a library and a number of threads. Series and library must outlive
    /// them.
    void begin(Series const& series, Blas const& blas, int threads, measure::Environment const& environment);
    /// Prints a row. \param record  made by `result`
    void row(measure::Record const& record);
    /// Prints the remarks about the rows since `begin`.
    void end();

private:
    void begin_on_terminal();
    void row_on_terminal(measure::Record const& record);
    [[nodiscard]] std::vector<llcbench::Fields> head(measure::Environment const& environment) const;
    [[nodiscard]] llcbench::Columns columns(Routine const& routine) const;
    [[nodiscard]] Facts facts() const;
    /// Whether rows have a column for the transposed matrices.
    [[nodiscard]] bool tells_transposed(Routine const& routine) const;

    std::ostream* out_;
    Setup const* setup_;
    llcbench::Machine const* machine_;
    bool several_;
    llcbench::Table table_;
    Series const* series_ = nullptr;
    Blas const* blas_ = nullptr;
    int threads_ = 1;
    std::optional<double> previous_{};      ///< ns per reference of the previous row
    std::vector<std::string> unsettled_{};  ///< unsettled rows since `begin`
};

/// The libraries and their threads, for the .info file.
[[nodiscard]] llcbench::Fields libraries_info(std::span<Blas const> libraries, Setup const& setup);

}  // namespace blasbench
