// SPDX-License-Identifier: BSD-3-Clause
/// Report: the tables of the original on a terminal, blocks for gnuplot in files. Local.
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

/// What stands over a row whose blocks are so short that the clock can hardly see them.
inline constexpr char const* below_resolution = "below timer resolution";

class Report {
public:
    /// \param out       outlives the report, as do the setup and the machine
    /// \param libraries how many there are
    Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine, std::size_t libraries);

    /// The rows that follow are those of a series by a library, both of which outlive them, with so many threads.
    void begin(Series const& series, Blas const& blas, int threads, measure::Environment const& environment);
    /// \param record  as `result` makes it
    void row(measure::Record const& record);
    /// What is to be said of the rows since `begin`.
    void end();

private:
    void begin_on_terminal();
    void row_on_terminal(measure::Record const& record);
    [[nodiscard]] std::vector<llcbench::Fields> head(measure::Environment const& environment) const;
    [[nodiscard]] llcbench::Columns columns(Routine const& routine) const;
    [[nodiscard]] Facts facts() const;
    [[nodiscard]] bool tells_transposed(Routine const& routine) const;  ///< rows say which matrices are transposed

    std::ostream* out_;
    Setup const* setup_;
    llcbench::Machine const* machine_;
    bool several_;
    llcbench::Table table_;
    Series const* series_ = nullptr;
    Blas const* blas_ = nullptr;
    int threads_ = 1;
    std::optional<double> previous_{};      ///< ns of the line before
    std::vector<std::string> unsettled_{};  ///< rows since `begin`
};

/// The libraries, for an .info file.
[[nodiscard]] llcbench::Fields libraries_info(std::span<Blas const> libraries, Setup const& setup);

}  // namespace blasbench
