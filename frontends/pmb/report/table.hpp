// SPDX-License-Identifier: BSD-3-Clause
/// Table: the text layout of PMB 2.2 and of IMB 2021: header, table heads, rows, comments. Pure.
#pragma once

#include "pmb/setup.hpp"

#include <measure/environment.hpp>
#include <measure/record.hpp>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pmb {

/// Decides which columns a table has.
struct Shape {
    enum class Times { one, three, overlap, passive, mean, none };
    bool group = false;
    bool length = true;
    Times times = Times::one;
    bool throughput = false;
    bool rate = false;   ///< messages per second
    bool error = false;  ///< standard error and discarded samples
    bool defects = false;
    bool rounds = false;
    bool calls = false;  ///< the repetitions are single calls with a common start
};

/// Name of the executable.
[[nodiscard]] std::string program_name(Part part);

/// Name of the part in the title, such as "MPI-1 part".
[[nodiscard]] std::string_view part_text(Part part);

[[nodiscard]] Shape shape(Benchmark const& benchmark, Setup const& setup);

/// The facts for the head of a table.
struct Head {
    Benchmark const& benchmark;
    Mode mode = Mode::single;
    std::vector<std::vector<int>> groups{};  ///< world ranks of each group; at least one
    int idle = 0;
    std::optional<Threads> threads{};  ///< of IMB-MT
    int window = 0;                    ///< messages in flight, for rates
    [[nodiscard]] int all() const { return static_cast<int>(groups.front().size()) + idle; }
    int columns = 0;  ///< columns of the grid that orders the processes; 0: no grid
};

/// "PingPong", or "Multi-PingPong" if it runs in several groups.
[[nodiscard]] std::string title(Head const& head);

/// The flags that are listed below a table, in this order.
inline constexpr std::array row_flags{"unsettled", "disturbed", "shortened", "near_timer_floor"};

/// The line below a table whose rows have that flag; see program::unsettled_text.
[[nodiscard]] std::string flagged_text(std::string_view flag, Head const& head, Shape const& shape,
                                       std::vector<measure::Point> const& rows);

class Table {
public:
    /// \param megabyte  bytes per MByte
    Table(Format format, double megabyte, Part part = Part::mpi1) : format_{format}, megabyte_{megabyte}, part_{part} {}

    /// The text at the beginning of the run.
    [[nodiscard]] std::string header(measure::Environment const& run, Setup const& setup,
                                     std::optional<double> cpu_mflops) const;
    [[nodiscard]] std::string head(Head const& head, Shape const& shape) const;
    /// The rows of one length: one row, or one per group.
    [[nodiscard]] std::string rows(Shape const& shape, std::vector<measure::Record> const& rows) const;
    /// The line after a row: the shortest time, quantiles of 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9 and 99.99 %, and
    /// the longest time. \param times  in us, at least one
    [[nodiscard]] static std::string tail(std::span<double const> times);
    /// A comment line; empty in csv.
    [[nodiscard]] std::string comment(std::string_view text) const;
    /// A comment line between blank lines; empty in csv.
    [[nodiscard]] std::string notice(std::string_view text) const;
    /// Replaces the tables of a benchmark that cannot run on this number of processes.
    [[nodiscard]] std::string refusal(Benchmark const& benchmark, int processes) const;
    /// Replaces the table of a benchmark of IMB-MT in which no process has a partner.
    [[nodiscard]] std::string nobody(Head const& head) const;
    /// The last lines of the run.
    [[nodiscard]] std::string closing(std::string_view program, int exit_code) const;
    /// \param end  how the run ended  \param whole  whether everything possible was measured
    [[nodiscard]] std::string closing(std::string_view program, std::string const& end, bool whole) const;

private:
    Format format_;
    double megabyte_;
    Part part_;
};

}  // namespace pmb
