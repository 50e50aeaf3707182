// SPDX-License-Identifier: BSD-3-Clause
/// Setup: the measurements that a parameter file requests, with all defaults resolved.
#pragma once

#include "skampi/routines/catalogue.hpp"
#include "skampi/routines/elements.hpp"

#include <measure/units.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skampi {

/// The varied parameter of a measurement.
enum class Variation { none, length, nodes, chunks };
/// The choice of its values; "dynamic" means adaptive refinement.
enum class Scale { fixed_linear, fixed_log, dynamic_linear, dynamic_log };
/// The synchronisation at the start of a collective operation.
enum class Sync { barrier, window };
/// The partner of rank 0: the process with the largest or the smallest latency.
enum class PartnerChoice { max, min };

// The names in lower case, as in the output file: "length", "dynamic_log", "barrier", "max".
[[nodiscard]] std::string_view name(Variation v) noexcept;
[[nodiscard]] std::string_view name(Scale s) noexcept;
[[nodiscard]] std::string_view name(Sync s) noexcept;
[[nodiscard]] std::string_view name(PartnerChoice p) noexcept;

[[nodiscard]] constexpr bool is_dynamic(Scale s) noexcept {
    return s == Scale::dynamic_linear || s == Scale::dynamic_log;
}
[[nodiscard]] constexpr bool is_log(Scale s) noexcept { return s == Scale::fixed_log || s == Scale::dynamic_log; }

/// One measurement: a named curve.
struct Task {
    std::string name{};
    Routine const* routine = nullptr;  ///< never null in a Setup
    Variation variation = Variation::none;
    Scale scale = Scale::fixed_linear;
    std::int64_t start = 0;  ///< first argument: bytes, processes or chunks; 0 without variation
    std::int64_t end = 0;    ///< last argument, >= start unless `skip` has a reason
    double step = 1;         ///< a factor > 1 on a logarithmic scale, otherwise an increment > 0
    std::int64_t multiple_of = 1;
    std::size_t max_steps = 64;
    std::int64_t min_distance = 1;
    double standard_error = 0.03;  ///< epsilon for stopping repetitions and refinement
    bool noise_guard = true;
    std::int64_t min_repetition = 8;
    std::int64_t max_repetition = 32;
    double cut = 0.25;                                   ///< share of the samples that is dropped at each end
    std::optional<measure::seconds> time_measurement{};  ///< time limit of one point
    std::optional<measure::seconds> time_suite{};        ///< time limit of the measurement
    bool node_times = false;
    measure::Bytes length = 0;           ///< message length if not varied; 0 for routines without a length
    int nodes = 1;                       ///< number of processes if not varied
    std::int64_t chunks = 1;             ///< chunks of the master-worker pattern if not varied
    Datatype const* datatype = nullptr;  ///< never null in a Setup
    Reduction const* op = nullptr;       ///< reduction operation, or null if the routine does not reduce
    int root = 0;
    Sync sync = Sync::barrier;
    PartnerChoice partner = PartnerChoice::max;
    std::string skip{};  ///< reason for skipping it ("needs 2 processes", "memory"); empty: it is measured
};

/// The global keys. Texts are unchanged; `machine` is empty if the file does not name it.
struct Globals {
    std::string node{}, network{}, user{}, machine{};
    std::string mpi_library{}, mpi_version{}, os_name{}, os_version{};  ///< empty: detected automatically
    std::vector<std::string> comments{};
    std::string output = "skampi.out";
    std::string log = "skampi.log";
    measure::Bytes memory = 4 << 20;  ///< bytes for the buffers of one process
    double standard_error = 0.03;
    std::int64_t min_repetition = 8;
    std::int64_t max_repetition = 32;
    double cut = 0.25;
    std::size_t max_node_times = 16;
    Sync sync = Sync::barrier;
    std::string timer = "mpi_wtime";  ///< name of a timer of the library, in lower case
    PartnerChoice partner = PartnerChoice::max;
    std::string cost_model{};  ///< as given on the command line; empty: times are measured
};

struct Setup {
    Globals globals{};
    std::vector<Task> tasks{};  ///< in the order of the file, or of the default suite
};

}  // namespace skampi
