// SPDX-License-Identifier: BSD-3-Clause
/// Machine: what heads and .info files of the LLCBench programs say of the machine, and how result files are named.
#pragma once

#include "llcbench/table.hpp"

#include <measure/environment.hpp>
#include <measure/units.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace llcbench {

/// A level of data cache as one core sees it.
struct Cache {
    int level = 1;
    measure::Bytes size = 0;
    measure::Bytes line = 0;  ///< 0: not known
};

/// What `measure::Environment` does not say of a machine.
struct Machine {
    std::string os{};    ///< "Linux"
    std::string host{};  ///< up to the first dot
    std::string arch{};  ///< "x86_64"
    std::string kernel{};
    std::vector<Cache> caches{};   ///< smallest level first; empty where the machine does not say
    measure::Bytes memory = 0;     ///< 0: not known
    measure::Bytes available = 0;  ///< without swapping; 0: not known

    /// 64 MiB where the machine does not say.
    [[nodiscard]] measure::Bytes last_level_cache() const noexcept;
};

/// Local; loads the topology of the node (some 10 ms).
[[nodiscard]] Machine machine();

/// "L1:49152:64,L2:2097152:64": level, bytes, bytes of a line.
[[nodiscard]] std::string text(std::vector<Cache> const& caches);

/// For the record's run line: [{level, size, line}].
[[nodiscard]] measure::Value value(std::vector<Cache> const& caches);

/// Comment lines for the head of a block: host, caches and memory, compiler, timer and date. A suite adds its own.
[[nodiscard]] std::vector<Fields> head(Machine const& machine, measure::Environment const& environment);

/// The text of an .info file: one "key: value" per line. \param more  the suite's own, behind the machine's
[[nodiscard]] std::string info(Machine const& machine, measure::Environment const& environment, Fields const& more);

/// Now, UTC: "20260131T120000Z".
[[nodiscard]] std::string stamp_now();

/// The path with a stamp: behind the host where the file's name has it ("Linux-kiwi_x.dat"), otherwise before its
/// extension. Where that file exists, "-2", "-3", .. follows the stamp.
[[nodiscard]] std::string stamped(std::string const& path, std::string_view host, std::string_view stamp);

/// The path with another extension: "results/x.dat" gives "results/x.info".
[[nodiscard]] std::string beside(std::string const& path, std::string const& extension);

}  // namespace llcbench
