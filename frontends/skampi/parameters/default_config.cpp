// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/default_config.hpp"

#include "skampi/parameters/default_suite.hpp"

#include <fmt/format.h>

#include <string_view>

namespace skampi {
namespace {

constexpr std::string_view config_head =
    R"(# Parameter file of skampi. Fill in NODE, NETWORK and USER; everything else may stay as it is.
# Lines "@KEY text" come first; the text goes on in lines that begin with a blank, and a '#' in it is text.

# What was measured, and by whom: they stand in the results.
@NODE    FILL_IN
@NETWORK FILL_IN
@USER    FILL_IN
# Found out where they are not given: MACHINE (the name of the first node), MPILIBNAME, MPILIBVERS, OSNAME, OSVERS.
# @MACHINE
# Copied to the results; may be given several times.
# @COMMENT

# The results, and the log from which an interrupted run goes on.
@OUTFILE skampi.out
@LOGFILE skampi.log

# Memory for the buffers of one process; it bounds the lengths of messages. Sizes may have units: 64kB, 4MiB.
@MEMORY 4MiB
# Measuring is repeated until the standard error is below this share of the time, within these bounds.
@STANDARDERRORDEFAULT 0.03
@MINREPDEFAULT 8
@MAXREPDEFAULT 32
# Share of the samples that is left out at each end, the fastest and the slowest.
@CUTQUANTILEDEFAULT 0.25
# Lengths of messages that are varied are multiples of this, in bytes.
@MULTIPLEOFDEFAULT 4
# Factor from one point to the next on logarithmic scales.
@STEPWIDTHDEFAULT 1.414213562
# Most points of a measurement.
@MAXSTEPSDEFAULT 64
# Refinement makes no points closer than this; Default_Value is the measurement's Multiple_of.
@MINDISTDEFAULT Default_Value
@MAXDISTDEFAULT Invalid_Value
# Limits of one point (seconds) and of one measurement (minutes); Invalid_Value: none.
@TIMEMEASUREMENTDEFAULT Invalid_Value
@TIMESUITEDEFAULT Invalid_Value
# Whether the times of the single processes are written too, and of how many at most.
@NODETIMESDEFAULT No
@MAXNODETIMES 16
# Bytes of a message and pieces of work where they are not varied.
@DEFAULTLENGTH 256
@DEFAULTCHUNKS 10
# How processes begin a collective operation together: Barrier, or Window (synchronised clocks).
@SYNC Barrier
# mpi_wtime, gettimeofday, tsc, monotonic or monotonic_raw.
@TIMER mpi_wtime
# Whom the first process exchanges messages with: the one of the largest latency (Max) or of the smallest (Min).
@PARTNER Max

# The measurements, in their order. A name ROUTINE-length, ROUTINE-nodes or ROUTINE-chunks says what is measured and
# varied; other names need Type and Variation. A name that ends in -SM is synchronised by Window. Keys of a block:
#   Type = MPI_Bcast;           the routine (skampi --list shows all)
#   Variation = Length;         Length, Nodes, Chunks or None
#   Scale = Dynamic_log;        Fixed_linear, Fixed_log, Dynamic_linear, Dynamic_log; dynamic: with refinement
#   Start_Argument = 4;         End_Argument = Max_Value;    Stepwidth = 2;    Multiple_of = 4;
#   Max_Steps = 64;             Min_Distance = 8;            Max_Distance = Invalid_Value;
#   Min_Repetition = 8;         Max_Repetition = 32;         Standard_Error = 0.03;    Cut_Quantile = 0.25;
#   Refine_Error = Default_Value;    Noise_Guard = Yes;      (No: refines differences within the noise too)
#   Time_Measurement = 10;      Time_Suite = 2;              (seconds, minutes)
#   Node_Times = Yes;
#   Default_Message_Length = 64kB;    Default_Nodes = 4;     Default_Chunks = 10;
#   Datatype = MPI_INT;         Op = MPI_SUM;    Root = 0;   Sync = Window;    Partner = Min;
# Default_Value stands for the global default, Max_Value and Min_Value for the largest and smallest possible argument.
@MEASUREMENTS

)";

std::string block_text(grammar::Block const& block) {
    std::string entries;
    for (auto const& entry : block.entries)
        entries += fmt::format(" {} = {};", entry.key, entry.values.front().spelled());
    return fmt::format("{} {{{} }}\n", block.name, entries);
}

}  // namespace

std::string default_config() {
    std::string text{config_head};
    for (auto const& block : default_blocks())
        text += block_text(block);
    return text;
}

}  // namespace skampi
