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
    sync,  ///< the library's: synchronised starts, the slowest rank
    both,  ///< one after the other at each size
};

enum class Format { v7_4, v5_3 };

/// [MIN:]MAX; nothing: the program's own.
struct SizeRange {
    std::optional<measure::Bytes> low{};
    std::optional<measure::Bytes> high{};
};

/// What messages and reductions are made of.
enum class Type {
    mpi_char,
    mpi_int,
    mpi_float,
    mpi_long_long,  ///< not by name: the atomics of version 5.3
};
/// The same as MPI has it.
struct MpiType {
    char const* name;
    MPI_Datatype handle;
    bodies::NumberKind number;
    [[nodiscard]] measure::Bytes size() const noexcept { return bodies::number_size(number); }
};
[[nodiscard]] MpiType mpi(Type type) noexcept;

/// Threads or processes of the sender and the receiver.
struct Teams {
    int sender = 1;
    int receiver = 2;
};

/// The neighbours of a process: those that a file names, or all others within `radius` in each dimension of a periodic
/// grid.
struct Neighbourhood {
    int dimensions = 1;
    int radius = 1;
    std::string file{};  ///< of a graph; empty: the grid
};

/// Types that one option names.
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
    bool own_buffers = false;  ///< each message of a window its own
    std::optional<int> pairs{};
    bool rate = true;
    bool vary_window = false;
    int tests = 0;  ///< calls of MPI_Test
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
    bool session = false;              ///< of osu_init; elsewhere refused
    std::string reserved{};            ///< words that are refused
    std::vector<std::string> words{};  ///< where buffers lie
    bool path = false;                 ///< of measure-osu itself: print where the programs are

    /// Each once; none: that of the format.
    [[nodiscard]] std::vector<Type> types() const;
    [[nodiscard]] bool validates() const noexcept { return !validation.empty(); }
    /// Where faults are logged; empty: nowhere.
    [[nodiscard]] std::string log_folder() const {
        return validation.starts_with("log:") ? validation.substr(4) : std::string{};
    }
    [[nodiscard]] bool keeps_7_4() const noexcept { return format == Format::v7_4; }
    [[nodiscard]] std::string sync_name(Row const& row) const {
        return synchronisation.value_or(row.is(both_ways) ? "pscw" : "flush");
    }
};

/// As the option has it: "vect:8:4".
[[nodiscard]] std::string option_text(Derivation const& derivation);

/// As the option has it: "allocate".
[[nodiscard]] std::string window_name(bodies::WindowKind kind);

/// The options of a program. \param row  null: those of all programs
[[nodiscard]] program::OptionTable<Options> option_table(Row const* row);

/// The common options that a program has.
[[nodiscard]] program::CommonUse common_use(Row const& row);

/// Declares options, words and checks. `options` must outlive the parser.
void declare(program::Parser& parser, Row const& row, Options& options);

/// Refuses what cannot be measured by so many processes. \throws measure::UsageError
void check(Row const& row, Options const& options, int processes);

}  // namespace osu
