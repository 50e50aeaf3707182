// SPDX-License-Identifier: BSD-3-Clause
/// Options: the words of a program's command line. Pure.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/numbers.hpp"
#include "bodies/rma.hpp"
#include "osu/catalogue.hpp"
#include "osu/derived.hpp"
#include "program/cli/option_table.hpp"
#include "program/cli/options.hpp"

#include <measure/units.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace osu {

enum class Method {
    osu,   ///< the published loop
    sync,  ///< the library's method: synchronised starts, time of the slowest rank
    both,  ///< both methods at each size
};

enum class Format { v7_4, v5_3 };

/// [MIN:]MAX. A missing bound is the program's default.
struct SizeRange {
    std::optional<measure::Bytes> low{};
    std::optional<measure::Bytes> high{};
};

/// Element types of messages and reductions.
enum class Type {
    mpi_char,
    mpi_int,
    mpi_float,
    mpi_long_long,  ///< only for the atomics of version 5.3; cannot be chosen by name
};
/// The MPI type of an element type.
struct MpiType {
    char const* name;
    MPI_Datatype handle;
    bodies::NumberKind number;
    [[nodiscard]] measure::Bytes size() const noexcept { return bodies::number_size(number); }
};
[[nodiscard]] MpiType mpi(Type type) noexcept;

/// Number of threads or processes of the sender and the receiver.
struct Teams {
    int sender = 1;
    int receiver = 2;
};

/// The neighbours of a process: either read from a file, or all others within `radius` in each dimension of a periodic
/// grid.
struct Neighbourhood {
    int dimensions = 1;
    int radius = 1;
    std::string file{};  ///< file with a graph; empty for a grid
};

/// The types given in one option.
struct TypeList {
    std::vector<Type> types{};
};

struct Options {
    SizeRange sizes{};
    std::optional<int> iterations{};
    std::optional<int> warm_up{};
    bool full = false;
    std::vector<int> tails{};  ///< percentiles
    std::string validation{};  ///< empty, "on", "log:DIR"
    int validation_warm_up = 5;
    std::vector<TypeList> type_lists{};
    Derivation derivation{};
    int window = 64;
    bool own_buffers = false;  ///< each message of a window has its own buffer
    std::optional<int> pairs{};
    bool rate = true;
    bool vary_window = false;
    int tests = 0;  ///< calls of MPI_Test while computing
    Teams teams{};
    measure::Bytes memory = 512 * measure::mebi;
    bodies::Root root{};
    bool in_place = false;
    bodies::WindowKind window_kind = bodies::WindowKind::allocate;
    std::optional<std::string> synchronisation{};
    Neighbourhood neighbourhood{};
    Method method = Method::osu;
    Format format = Format::v7_4;
    bool plain = false;
    bool session = false;              ///< osu_init only; refused elsewhere
    std::string reserved{};            ///< options that are refused
    std::vector<std::string> words{};  ///< location of the buffers
    bool path = false;                 ///< measure-osu itself: print the folders of the programs

    /// The distinct types; empty for the default of the format.
    [[nodiscard]] std::vector<Type> types() const;
    [[nodiscard]] bool validates() const noexcept { return !validation.empty(); }
    /// Folder of the logs of faults; empty without logs.
    [[nodiscard]] std::string log_folder() const {
        return validation.starts_with("log:") ? validation.substr(4) : std::string{};
    }
    [[nodiscard]] bool keeps_7_4() const noexcept { return format == Format::v7_4; }
    [[nodiscard]] std::string sync_name(Row const& row) const {
        return synchronisation.value_or(row.is(both_ways) ? "pscw" : "flush");
    }
};

/// The text of the option: "vect:8:4".
[[nodiscard]] std::string option_text(Derivation const& derivation);

/// The text of the option: "allocate".
[[nodiscard]] std::string window_name(bodies::WindowKind kind);

/// The options of a program. \param row  null for the options of all programs
[[nodiscard]] program::OptionTable<Options> option_table(Row const* row);

/// The common options that a program supports.
[[nodiscard]] program::CommonUse common_use(Row const& row);

/// Declares options, words and checks. `options` must outlive the parser.
void declare(program::Parser& parser, Row const& row, Options& options);

/// Checks whether this number of processes can measure the program. \throws measure::UsageError
void check(Row const& row, Options const& options, int processes);

}  // namespace osu
