// SPDX-License-Identifier: BSD-3-Clause
/// Options: the user's choices in addition to the common options. Pure, no MPI.
#pragma once

#include "pmb/catalogue.hpp"
#include "pmb/rules.hpp"
#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"
#include "program/cli/values.hpp"

#include <measure/units.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pmb {

enum class Policy { off, dynamic, standard_error, multiple_np, automatic };
enum class Format { table, csv };
/// How rows are measured: by IMB's loops, by single calls with synchronised starts, or by both in turn.
enum class Method { imb, sync, both };

/// -iter S[,V[,SN]]
struct Iterations {
    std::int64_t repetitions = 1;
    std::optional<measure::Bytes> volume{};
    std::optional<std::int64_t> non_aggregate{};
};

/// -off_cache C[,L]
struct OffCache {
    measure::Bytes cache = 0;
    measure::Bytes line = 64;
    bool automatic = false;  ///< use the size of the machine's last-level cache
};

/// -map PxQ
struct Grid {
    int rows = 1;
    int columns = 1;
};

/// The options as given. Members without a value were not given.
struct Options {
    Options() = default;
    /// Sets the part's own defaults.
    explicit Options(Part of);

    Part part = Part::mpi1;
    std::vector<program::Argument> names{};
    std::vector<program::Argument> inputs{};
    std::vector<program::Argument> includes{};
    std::vector<program::Argument> excludes{};
    std::optional<int> at_least{};  ///< -npmin
    std::optional<int> multi{};

    std::optional<Iterations> iterations{};
    std::optional<std::pair<int, int>> length_logs{};
    std::string length_file{};
    std::optional<std::vector<measure::Bytes>> sizes{};
    std::optional<measure::seconds> time{};  ///< limit for each length
    std::optional<Policy> policy{};
    std::optional<double> standard_error{};  ///< relative standard error to reach
    std::optional<double> refine{};
    std::optional<std::string> start{};
    std::optional<std::string> sync{};
    std::optional<int> warm_up_repetitions{};
    std::optional<int> barriers{};
    std::optional<bool> warm_up{};
    std::optional<bool> root_shift{};
    std::optional<measure::seconds> cpu{};
    std::optional<WriteSync> write_sync{};
    std::optional<bool> zero{};
    std::optional<bool> check{};
    int rounds = 1;

    // Options of IMB.
    std::optional<bool> sync_behind{};
    std::optional<bool> dissemination{};
    std::optional<int> tests{};  ///< -tests_per_compute
    std::optional<int> window{};
    std::optional<OffCache> off_cache{};
    std::optional<ElementType> moved{};
    std::optional<ElementType> reduced{};
    std::optional<Packing> packing{};
    std::optional<Grid> map{};
    std::optional<Mode> mode{};
    bool pauses = false;
    bool show_tail = false;
    std::string dump{};      ///< -dumpfile
    std::string reserved{};  ///< value of an unsupported option; always refused
    Method method = Method::imb;

    // Options of IMB-MT.
    Threads threads{};
    std::vector<std::int64_t> counts{1, 2, 4, 8};
    bool no_header = false;

    // Options of IMB-P2P.
    std::vector<measure::Bytes> message_sizes{};
    std::optional<measure::seconds> pause{};
    std::optional<bool> writes{};
    std::optional<bool> reads{};

    double memory = 1;  ///< limit per process, in GByte of 2^30 bytes
    std::string file = "pmb_out";
    bool keep = false;
    std::string output{};
    Format format = Format::table;
    double megabyte = 1048576;
    bool list = false;
};

/// Values as written on a command line.
/// \{
[[nodiscard]] std::string text(bool on);
[[nodiscard]] std::string text(Policy policy);
[[nodiscard]] std::string text(double x);
[[nodiscard]] std::string iterations_text(Parameters const& p);
[[nodiscard]] std::string logs_text(Parameters const& p);
/// \}

/// MPI counts bytes with an int.
inline constexpr measure::Bytes largest_length = std::numeric_limits<int>::max();

/// The values of -data_type, -red_data_type, -contig_type.
/// \{
[[nodiscard]] program::as::Choice<ElementType> moved_types();
[[nodiscard]] program::as::Choice<ElementType> reduced_types();
[[nodiscard]] program::as::Choice<Packing> packings();
/// \}

/// The values of -sync_writes and -thread_level.
/// \{
[[nodiscard]] program::as::Choice<WriteSync> write_syncs();
[[nodiscard]] program::as::Choice<ThreadLevel> thread_levels();
/// \}

/// The values of IMB-MT's options.
/// \{
[[nodiscard]] program::as::Choice<TeamBarrier> team_barriers();
[[nodiscard]] program::as::Choice<Allocation> allocations();
[[nodiscard]] program::as::Choice<measure::Bytes> elements();
/// \}

void declare(program::Parser& parser, Options& options);

}  // namespace pmb
