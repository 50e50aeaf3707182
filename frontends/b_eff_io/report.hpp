// SPDX-License-Identifier: BSD-3-Clause
/// Report: results as the text of protocol and summary. Pure. MB/s are 10^6 bytes/s, MBytes are 2^20 bytes.
#pragma once

#include "b_eff_io/result.hpp"

#include <measure/environment.hpp>

#include <string>
#include <vector>

namespace b_eff_io {

/// Facts for the head besides the setting.
struct Facts {
    std::string prefix{};
    std::string system{};  ///< system name as of uname
    std::string file_system{};
    measure::Bytes free = 0;
    std::string info{};  ///< file with hints; empty: no hints
    std::vector<std::string> notes{};
    std::vector<std::string> removed{};  ///< removed leftovers of earlier runs
};

/// The head of protocol and summary.
[[nodiscard]] std::string head(Setting const& setting, measure::Environment const& run, Facts const& facts);

/// The line of a pattern. \param name  name of the data file without its stem: "i00_002_2.000"
[[nodiscard]] std::string pattern_line(int processes, Access access, Pattern const& pattern,
                                       PatternResult const& result, std::string const& name);
[[nodiscard]] std::string type_line(Access access, Type type, Volume const& volume, TypeTimes const& times,
                                    measure::Bytes segment);
/// The line after it, which lists the unsettled patterns of the type; empty if there are none.
[[nodiscard]] std::string unsettled_line(AccessResult const& access, Type type);
[[nodiscard]] std::string access_line(PartitionResult const& partition, Access access, Setting const& setting);
[[nodiscard]] std::string partition_line(PartitionResult const& partition);
/// States whose data the processes read; empty without --read-neighbor.
[[nodiscard]] std::string neighbor_line(PartitionResult const& partition, Setting const& setting);

/// The block of one partition in the summary.
[[nodiscard]] std::string block(PartitionResult const& partition, Setting const& setting, std::string const& system);

/// "b_eff_io = ... MB/s on 2 processes with 256 MByte/PE, scheduled time=0.3 Min, on SYSTEM, NOT VALID (see above)"
[[nodiscard]] std::string value_line(PartitionResult const& partition, Setting const& setting,
                                     std::string const& system);
/// A line with the value of release 2.1.
[[nodiscard]] std::string release_line(PartitionResult const& partition, Setting const& setting);

/// Returns ", QUICK T=20, not comparable, DISK-LIMITED"; empty without marks.
[[nodiscard]] std::string marks_text(PartitionResult const& partition, Setting const& setting);

}  // namespace b_eff_io
