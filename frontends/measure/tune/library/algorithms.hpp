// SPDX-License-Identifier: BSD-3-Clause
/// Algorithms: what an MPI library offers for each collective, by its own words. Pure, local.
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
/// By its short name, "MPICH 4.0.2"; nothing for others.
[[nodiscard]] std::optional<LibraryFamily> family_of(std::string_view library) noexcept;

/// A value of a library's control variable.
struct Algorithm {
    std::string name{};       ///< as the environment takes it: "binomial"
    int value = 0;            ///< as MPI_T takes it; 0 is the library's own choice
    bool is_writable = true;  ///< MPI_T takes it
    friend bool operator==(Algorithm const&, Algorithm const&) = default;
};

/// The library's own choice, which wins every tie.
inline constexpr std::string_view default_name = "auto";

/// What a description says.
struct NamesFound {
    std::vector<Algorithm> known{};      ///< in the order of the description
    std::vector<std::string> unknown{};  ///< what stands where a name should, with the words before it
};

/// The names of the values in the description of a control variable of MPICH, which has no enumeration for them: each
/// is a word before " - ", and its place in the text is its number. Line breaks are lost, so that a name follows the
/// last word of the text before it ("algorithmbinomial - Force"): it is the longest known name behind a word with which
/// such texts are known to end. Anything else is unknown, not guessed; it keeps its number.
[[nodiscard]] NamesFound names_in(std::string_view description);

/// A collective, and how many ranks call it.
struct Place {
    std::string collective{};  ///< as MPI's, without the prefix: "Reduce_scatter"
    int ranks = 0;
    friend auto operator<=>(Place const&, Place const&) = default;
};

/// "Bcast on 16 ranks"
[[nodiscard]] std::string text_of(Place const& place);

/// A collective, and what selects its algorithm.
struct Collective {
    std::string name{};                   ///< as MPI's, without the prefix: "Reduce_scatter"
    std::string variable{};               ///< MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM
    std::vector<Algorithm> algorithms{};  ///< the default too
    std::vector<std::string> unknown{};   ///< values that are offered, but of unknown name
};

/// The control variable that selects the algorithm of a collective on intracommunicators.
[[nodiscard]] std::string variable_of(LibraryFamily family, std::string_view collective);

/// Where an algorithm may be used, as the library's source states it: "parent-comm", "power-of-two"; empty: anywhere.
[[nodiscard]] std::string_view restriction(LibraryFamily family, std::string_view collective,
                                           std::string_view algorithm) noexcept;

/// Whether another algorithm takes its place there, and the library cannot be told to say so.
[[nodiscard]] bool falls_back(LibraryFamily family, Place const& place, std::string_view algorithm) noexcept;

/// The collectives that are tuned, in the order of `--list`.
[[nodiscard]] std::span<std::string_view const> tuned_collectives() noexcept;

}  // namespace measure::tool::tune
