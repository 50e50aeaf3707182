// SPDX-License-Identifier: BSD-3-Clause
/// Keys: the meaning of the keys in a parameter file. Used by `parameters` only.
#pragma once

#include "program/cli/values.hpp"
#include "skampi/parameters/grammar.hpp"
#include "skampi/setup.hpp"

#include <measure/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace skampi::keys {

/// The largest accepted size. It exceeds any memory, and sums of such sizes fit in 64 bits.
inline constexpr measure::Bytes largest = measure::Bytes{1} << 40;

/// The errors found in a file so far.
class Faults {
public:
    Faults(std::string path, std::vector<program::ParseError> found) : path_{std::move(path)}, all_{std::move(found)} {}

    void add(grammar::Place place, std::string text) {
        all_.push_back({path_, place.line, place.column, std::move(text)});
    }

    /// Converts an argument, or records the error and returns nothing.
    template <class Convert>
    [[nodiscard]] auto converted(Convert const& convert, program::Argument const& argument, grammar::Place place)
        -> std::optional<std::invoke_result_t<Convert const&, program::Argument const&>> {
        try {
            return convert(argument);
        } catch (measure::UsageError const& error) {
            add(place, error.what());
            return std::nullopt;
        }
    }

    /// \throws program::ParseErrors if there are errors, in the order of the file
    void raise();

private:
    std::string path_;
    std::vector<program::ParseError> all_;
};

/// The values of the header lines.
struct Sheet {
    Globals globals{};
    std::int64_t multiple_of = 4;  ///< in bytes
    double step = 1.414213562;
    std::size_t max_steps = 64;
    std::optional<std::int64_t> min_distance{};  ///< not given: Multiple_of of the measurement
    std::optional<measure::seconds> time_measurement{};
    std::optional<measure::seconds> time_suite{};
    bool node_times = false;
    measure::Bytes length = 256;
    std::int64_t chunks = 10;
};

[[nodiscard]] Sheet read_globals(std::vector<grammar::Header> const& headers, Faults& faults);

/// Reads one measurement. Returns nothing if an error makes it undecidable.
[[nodiscard]] std::optional<Task> read_task(grammar::Block const& block, Sheet const& sheet, int processes,
                                            Faults& faults);

// Conversions for both kinds of keys. Each throws measure::UsageError as the conversions of `program::as` do.

/// A number of bytes in [low, 2^40]. The units kB, MB and GB are powers of 1024 here.
struct Size {
    measure::Bytes low = 0;
    [[nodiscard]] measure::Bytes operator()(program::Argument const& argument) const;
};
/// A relative error with 0 < epsilon < 1.
[[nodiscard]] double standard_error(program::Argument const& argument);
/// A quantile with 0 <= q < 0.5.
[[nodiscard]] double cut(program::Argument const& argument);
/// A factor > 1.
[[nodiscard]] double factor(program::Argument const& argument);
[[nodiscard]] std::int64_t repetitions(program::Argument const& argument);
[[nodiscard]] measure::seconds seconds(program::Argument const& argument);
[[nodiscard]] measure::seconds minutes(program::Argument const& argument);
[[nodiscard]] bool yes_or_no(program::Argument const& argument);
[[nodiscard]] Sync sync(program::Argument const& argument);
[[nodiscard]] PartnerChoice partner(program::Argument const& argument);

/// Returns "; did you mean 'Scale'?", or an empty text if no name is similar.
[[nodiscard]] std::string hint(std::string_view text, std::vector<std::string> const& names);

[[nodiscard]] bool is_word(std::string_view text, std::string_view word);
inline constexpr std::string_view default_value = "Default_Value";
inline constexpr std::string_view invalid_value = "Invalid_Value";
inline constexpr std::string_view max_value = "Max_Value";
inline constexpr std::string_view min_value = "Min_Value";

}  // namespace skampi::keys
