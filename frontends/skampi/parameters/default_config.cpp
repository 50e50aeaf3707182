// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/default_config.hpp"

#include "skampi/parameters/default_suite.hpp"

#include <fmt/format.h>

#include <string_view>

namespace skampi {
namespace {

constexpr std::string_view config_head =
    R"(# Parameter file of skampi. Fill in NODE, NETWORK and USER; all other values have defaults.
# Lines "@KEY text" come first. The text continues in lines that begin with a blank; a '#' in it is part of the text.

# Machine and user. These lines are copied to the results.
@NODE    FILL_IN
@NETWORK FILL_IN
@USER    FILL_IN
# Detected if not given: MACHINE (the name of the first node), MPILIBNAME, MPILIBVERS, OSNAME, OSVERS.
# @MACHINE
# Copied to the results; can be given several times.
# @COMMENT

# The file for the results, and the log with which an interrupted run resumes.
@OUTFILE skampi.out
@LOGFILE skampi.log

# Memory for the buffers of one process. It limits the message lengths. Sizes can have units: 64kB, 4MiB.
@MEMORY 4MiB
# Each point is measured repeatedly until its standard error is below this share of the time,
# at least MINREPDEFAULT and at most MAXREPDEFAULT times.
@STANDARDERRORDEFAULT 0.03
@MINREPDEFAULT 8
@MAXREPDEFAULT 32
# Share of the samples that is dropped at each end (the fastest and the slowest ones).
@CUTQUANTILEDEFAULT 0.25
# Varied message lengths are multiples of this number of bytes.
@MULTIPLEOFDEFAULT 4
# Factor from one point to the next on logarithmic scales.
@STEPWIDTHDEFAULT 1.414213562
# Largest number of points of a measurement.
@MAXSTEPSDEFAULT 64
# Smallest distance between points that refinement adds; Default_Value: Multiple_of of the measurement.
@MINDISTDEFAULT Default_Value
@MAXDISTDEFAULT Invalid_Value
# Time limits of one point (seconds) and of one measurement (minutes); Invalid_Value: no limit.
@TIMEMEASUREMENTDEFAULT Invalid_Value
@TIMESUITEDEFAULT Invalid_Value
# Whether to write the times of single processes too, and of at most how many.
@NODETIMESDEFAULT No
@MAXNODETIMES 16
# Bytes of a message and number of work pieces, if they are not varied.
@DEFAULTLENGTH 256
@DEFAULTCHUNKS 10
# How processes start a collective operation together: Barrier, or Window (synchronised clocks).
@SYNC Barrier
# Clock: mpi_wtime, gettimeofday, tsc, monotonic or monotonic_raw.
@TIMER mpi_wtime
# Partner of the first process: the process with the largest latency (Max) or the smallest (Min).
@PARTNER Max

# The measurements, in the order of execution. A name ROUTINE-length, ROUTINE-nodes or ROUTINE-chunks selects the
# routine and what is varied; other names need Type and Variation. A name that ends in -SM is synchronised by Window.
# Keys of a block:
#   Type = MPI_Bcast;           the routine (skampi --list prints all)
#   Variation = Length;         Length, Nodes, Chunks or None
#   Scale = Dynamic_log;        Fixed_linear, Fixed_log, Dynamic_linear, Dynamic_log; dynamic: with refinement
#   Start_Argument = 4;         End_Argument = Max_Value;    Stepwidth = 2;    Multiple_of = 4;
#   Max_Steps = 64;             Min_Distance = 8;            Max_Distance = Invalid_Value;
#   Min_Repetition = 8;         Max_Repetition = 32;         Standard_Error = 0.03;    Cut_Quantile = 0.25;
#   Refine_Error = Default_Value;    Noise_Guard = Yes;      (No: also refine differences within the noise)
#   Time_Measurement = 10;      Time_Suite = 2;              (seconds, minutes)
#   Node_Times = Yes;
#   Default_Message_Length = 64kB;    Default_Nodes = 4;     Default_Chunks = 10;
#   Datatype = MPI_INT;         Op = MPI_SUM;    Root = 0;   Sync = Window;    Partner = Min;
# Default_Value is the global default; Max_Value and Min_Value are the largest and smallest possible argument.
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
