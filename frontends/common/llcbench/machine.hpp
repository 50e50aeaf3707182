// SPDX-License-Identifier: BSD-3-Clause
/// Machine: the description of the machine in heads and .info files of the LLCBench programs, and names of result
/// files.
#pragma once

#include "llcbench/table.hpp"

#include <measure/environment.hpp>
#include <measure/units.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace llcbench {

/// A level of the data caches of a core.
struct Cache {
    int level = 1;
    measure::Bytes size = 0;
    measure::Bytes line = 0;  ///< bytes of a cache line; 0: unknown
};

/// Properties of a machine that are not part of `measure::Environment`.
struct Machine {
    std::string os{};    ///< "Linux"
    std::string host{};  ///< host name up to the first dot
    std::string arch{};  ///< "x86_64"
    std::string kernel{};
    std::vector<Cache> caches{};   ///< smallest level first; empty if unknown
    measure::Bytes memory = 0;     ///< 0: unknown
    measure::Bytes available = 0;  ///< memory available without swapping; 0: unknown

    /// Size of the last-level cache; 64 MiB if unknown.
    [[nodiscard]] measure::Bytes last_level_cache() const noexcept;
};

/// Local; loads the topology of the node, which takes about 10 ms.
[[nodiscard]] Machine machine();

/// "L1:49152:64,L2:2097152:64": level, bytes, bytes of a cache line.
[[nodiscard]] std::string text(std::vector<Cache> const& caches);

/// For the record's run line: [{level, size, line}].
[[nodiscard]] measure::Value value(std::vector<Cache> const& caches);

/// Comment lines for the head of a block: host, caches and memory, compiler, timer and date. Suites add their own
/// lines.
[[nodiscard]] std::vector<Fields> head(Machine const& machine, measure::Environment const& environment);

/// The text of an .info file: one "key: value" per line. \param more  the suite's lines, printed after the machine's
[[nodiscard]] std::string info(Machine const& machine, measure::Environment const& environment, Fields const& more);

/// The current time in UTC: "20260131T120000Z".
[[nodiscard]] std::string stamp_now();

/// The path with a time stamp: after the host if the file name contains it ("Linux-kiwi_x.dat"), otherwise before the
/// extension. If that file exists, "-2", "-3", .. follows the stamp.
[[nodiscard]] std::string stamped(std::string const& path, std::string_view host, std::string_view stamp);

/// The path with another extension: "results/x.dat" gives "results/x.info".
[[nodiscard]] std::string beside(std::string const& path, std::string const& extension);

}  // namespace llcbench
