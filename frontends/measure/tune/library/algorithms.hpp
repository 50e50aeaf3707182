// SPDX-License-Identifier: BSD-3-Clause
/// Algorithms: the algorithms that an MPI library has for each collective, from its own descriptions. Pure, local.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

/// Libraries whose algorithms can be chosen.
enum class LibraryFamily { mpich, open_mpi };
/// The family of a library with this short name, such as "MPICH 4.0.2"; empty for other libraries.
[[nodiscard]] std::optional<LibraryFamily> family_of(std::string_view library) noexcept;

/// A value of a library's control variable.
struct Algorithm {
    std::string name{};       ///< name in environment variables: "binomial"
    int value = 0;            ///< value in MPI_T; 0 is the library's own choice
    bool is_writable = true;  ///< MPI_T accepts the value
    friend bool operator==(Algorithm const&, Algorithm const&) = default;
};

/// The library's own choice. It is preferred in a tie.
inline constexpr std::string_view default_name = "auto";

/// Names in the description of a control variable.
struct NamesFound {
    std::vector<Algorithm> known{};      ///< known names, in the order of the description
    std::vector<std::string> unknown{};  ///< words in place of a name, with the text that precedes them
};

/// The names of the values in the description of a control variable of MPICH, which has no enumeration for them. Each
/// name is the word before " - ", and its position among the names is its value. Line breaks are lost, so a name
/// directly follows the last word of the previous text ("algorithmbinomial - Force"). It is the longest known name
/// after one of the known last words. Any other word is reported as unknown; it still counts for the values of later
/// names.
[[nodiscard]] NamesFound names_in(std::string_view description);

/// A collective on a number of ranks.
struct Place {
    std::string collective{};  ///< MPI name without the prefix: "Reduce_scatter"
    int ranks = 0;             ///< number of ranks that call it
    friend auto operator<=>(Place const&, Place const&) = default;
};

/// "Bcast on 16 ranks"
[[nodiscard]] std::string text_of(Place const& place);

/// A collective with its algorithms and the variable that selects one.
struct Collective {
    std::string name{};                   ///< MPI name without the prefix: "Reduce_scatter"
    std::string variable{};               ///< control variable: MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM
    std::vector<Algorithm> algorithms{};  ///< all algorithms, including the default
    std::vector<std::string> unknown{};   ///< values with unknown names
};

/// The control variable that selects the algorithm of a collective on intracommunicators.
[[nodiscard]] std::string variable_of(LibraryFamily family, std::string_view collective);

/// Conditions for using an algorithm, from the library's source: "parent-comm", "power-of-two"; empty without
/// conditions.
[[nodiscard]] std::string_view restriction(LibraryFamily family, std::string_view collective,
                                           std::string_view algorithm) noexcept;

/// Whether the library silently replaces the algorithm at this place, and has no setting to report an error instead.
[[nodiscard]] bool falls_back(LibraryFamily family, Place const& place, std::string_view algorithm) noexcept;

/// The collectives that are tuned, in the order of `--list`.
[[nodiscard]] std::span<std::string_view const> tuned_collectives() noexcept;

}  // namespace measure::tool::tune
