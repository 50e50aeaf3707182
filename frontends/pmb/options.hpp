// SPDX-License-Identifier: BSD-3-Clause
/// Options: what a user may choose, beside the common options. Pure, no MPI.
#pragma once

#include "catalogue.hpp"
#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"
#include "program/cli/values.hpp"
#include "rules.hpp"

#include <measure/units.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pmb {

enum class Policy { off, dynamic, standard_error, multiple_np, automatic };
enum class Format { table, csv };
/// By IMB's loops, by single calls with synchronised starts, or by one after the other.
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
    bool automatic = false;  ///< the cache is the machine's last level
};

/// -map PxQ
struct Grid {
    int rows = 1;
    int columns = 1;
};

/// As given: what has no value was not named.
struct Options {
    Options() = default;
    /// With the part's own defaults.
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
    std::optional<measure::seconds> time{};  ///< per length
    std::optional<Policy> policy{};
    std::optional<double> standard_error{};  ///< relative
    std::optional<double> refine{};
    std::optional<std::string> start{};
    std::optional<std::string> sync{};
    std::optional<int> warm_up_repetitions{};
    std::optional<int> barriers{};
    std::optional<bool> warm_up{};
    std::optional<bool> root_shift{};
    std::optional<measure::seconds> cpu{};
    std::optional<bool> zero{};
    std::optional<bool> check{};
    int rounds = 1;

    // Of IMB.
    std::optional<bool> sync_behind{};
    std::optional<bool> dissemination{};
    std::optional<int> window{};
    std::optional<OffCache> off_cache{};
    std::optional<ElementType> moved{};
    std::optional<ElementType> reduced{};
    std::optional<Packing> packing{};
    std::optional<Grid> map{};
    std::optional<Mode> mode{};
    bool pauses = false;
    bool show_tail = false;
    std::string dump{};  ///< -dumpfile
    Method method = Method::imb;

    // Of IMB-MT.
    Threads threads{};
    std::vector<std::int64_t> counts{1, 2, 4, 8};
    bool no_header = false;

    // Of IMB-P2P.
    std::vector<measure::Bytes> message_sizes{};
    std::optional<measure::seconds> pause{};
    std::optional<bool> writes{};
    std::optional<bool> reads{};

    double memory = 1;  ///< GByte of 2^30 bytes per process
    std::string file = "pmb_out";
    bool keep = false;
    std::string output{};
    Format format = Format::table;
    double megabyte = 1048576;
    bool list = false;
};

/// As -iter_policy has it.
[[nodiscard]] std::string name(Policy policy);

/// The words of -data_type, -red_data_type, -contig_type.
/// \{
[[nodiscard]] program::as::Choice<ElementType> moved_types();
[[nodiscard]] program::as::Choice<ElementType> reduced_types();
[[nodiscard]] program::as::Choice<Packing> packings();
/// \}

/// The words of IMB-MT's options.
/// \{
[[nodiscard]] program::as::Choice<TeamBarrier> team_barriers();
[[nodiscard]] program::as::Choice<Allocation> allocations();
[[nodiscard]] program::as::Choice<measure::Bytes> elements();
/// \}

void declare(program::Parser& parser, Options& options);

/// A choice that leaves the standard mode, as the header shows it.
struct Change {
    std::string flag;
    std::string value;
    std::string standard;
};

/// The options resolved: what is to be done. The same on all ranks.
struct Setup {
    Part part = Part::mpi1;
    std::vector<Benchmark const*> benchmarks{};
    int at_least = 2;
    std::optional<int> multi{};
    Parameters parameters{};
    bool rotate_root = true;
    bool check = false;
    std::optional<std::vector<measure::Bytes>> lengths{};  ///< given explicitly, in their order
    std::optional<measure::seconds> time{};
    Policy policy = Policy::off;
    double standard_error = 0.05;
    std::optional<double> refine{};
    std::optional<std::string> start{};  ///< of single calls; otherwise the loop
    std::string sync = "linear";
    double memory_gbytes = 1;               ///< as given
    measure::Bytes memory = measure::gibi;  ///< the same in bytes
    std::vector<Change> changes{};
    std::optional<Grid> map{};
    std::optional<Mode> mode{};  ///< of benchmarks that have several; nothing: all
    bool pauses = false;         ///< behind each row
    bool show_tail = false;      ///< quantiles of the repetitions behind each row
    bool header = true;
    bool adds_synchronised = false;  ///< each row is measured with synchronised starts too
    int rounds = 1;                  ///< over all lengths of a table; the standard columns are those of the first one

    [[nodiscard]] bool optional_mode() const noexcept { return !is_imb(part) && !changes.empty(); }
    /// Whether rows are measured by a plan of the library, with an error and discarded samples.
    [[nodiscard]] bool by_plan() const noexcept { return start || policy == Policy::standard_error; }
};

/// \param read  gives the text of a file
/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, program::CommonOptions const& common,
                            std::function<std::string(std::string const&)> const& read);

/// A table each.
[[nodiscard]] std::vector<Mode> modes_of(Benchmark const& benchmark, Setup const& setup);

/// A word of an input file; lines and columns count from 1.
struct Word {
    std::string text;
    int line = 1;
    int column = 1;
};

/// The first word of each line that is neither empty nor begins with '#'.
[[nodiscard]] std::vector<Word> first_words(std::string const& text);

}  // namespace pmb
