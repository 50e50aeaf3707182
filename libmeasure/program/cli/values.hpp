// SPDX-License-Identifier: BSD-3-Clause
/// Values: converts text of a command line or input file to sizes, durations, numbers and names. Pure and local.
///
/// Every conversion is a small callable object that holds the allowed range: `as::Size{.low = 1}(argument)`. It throws
/// measure::UsageError for an invalid text. The message has the option, the value and the allowed form:
/// "-x: 'abc' is not a size (a number with B, k, M, G, KiB, MiB or GiB)".
#pragma once

#include "analysis/core/number_text.hpp"
#include "analysis/core/text.hpp"

#include <measure/error.hpp>
#include <measure/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace program {

/// A text, and the option (or word of a file) that it belongs to, for error messages.
struct Argument {
    std::string option;
    std::string value;
    std::size_t place = 0;  ///< position among all values of the command line, for options whose order matters
};

using measure::detail::add_once;
using measure::detail::alternatives;
using measure::detail::duration_text;
using measure::detail::lower;
using measure::detail::number_from;
using measure::detail::split;
using measure::detail::trimmed;
using measure::detail::wrapped;

/// Splits a value at the separators. Each part is a value of the same option.
[[nodiscard]] std::vector<Argument> split(Argument const& list, char separator);

/// Throws the measure::UsageError for an invalid value: "-x: 'abc' is not MIN:MAX".
[[noreturn]] void refuse(Argument const& argument, std::string_view fault);

/// The name that is most similar to a misspelled text: the fewest letters changed, added or omitted; letter case is
/// ignored. A name is similar if at most two letters, or at most a third of them, differ. Without a similar name the
/// result is the first name that begins with the text (at least four letters), or an empty text.
[[nodiscard]] std::string closest(std::string_view text, std::vector<std::string> const& names);

/// "2026-01-31T12:00:00Z". \param time  seconds since 1970
[[nodiscard]] std::string utc_text(std::time_t time);

/// Position of the argument's value among the names; letter case is ignored.
/// \throws measure::UsageError for an unknown value; the message lists the names
[[nodiscard]] std::size_t position(Argument const& argument, std::vector<std::string> const& names);

namespace as {

/// The unchanged text, which must not be empty.
struct Text {
    [[nodiscard]] std::string operator()(Argument const& argument) const;
};

/// For an option of another program that this program cannot support: always an error, which gives the reason.
struct Refused {
    std::string why;
    [[noreturn]] std::string operator()(Argument const& argument) const;
};

/// A file name that generated scripts contain: any non-empty text without control characters.
struct ScriptName {
    [[nodiscard]] std::string operator()(Argument const& argument) const;
};

/// A decimal integer in [low, high].
struct Integer {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    [[nodiscard]] std::int64_t operator()(Argument const& argument) const;
};

/// A decimal integer in [low, high] that fits an int.
struct Int {
    int low = std::numeric_limits<int>::min();
    int high = std::numeric_limits<int>::max();
    [[nodiscard]] int operator()(Argument const& argument) const;
};

/// A finite decimal number in [low, high], or in (low, high] with `above_low`.
struct Number {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool above_low = false;
    [[nodiscard]] double operator()(Argument const& argument) const;
};

/// A percentage in [low, high], or in (low, high] with `above_low`, "5", "0.5" or "5%". The result is the fraction:
/// "5" gives 0.05.
struct Percentage {
    double low = 0;     ///< per cent
    double high = 100;  ///< per cent
    bool above_low = false;
    [[nodiscard]] double operator()(Argument const& argument) const;
    [[nodiscard]] std::string text(double fraction) const;  ///< "5" for 0.05
};

/// A size in bytes in [low, high]. Units B k M G KiB MiB GiB in any letter case; k M G are KiB MiB GiB; kB MB GB are
/// refused as ambiguous. A fraction is accepted if the result is a whole number of bytes: "1.5MiB".
struct Size {
    measure::Bytes low = 0;
    measure::Bytes high = std::numeric_limits<measure::Bytes>::max();
    measure::Bytes bare = 1;  ///< unit of a number without unit, in bytes
    [[nodiscard]] measure::Bytes operator()(Argument const& argument) const;
    [[nodiscard]] std::string text(measure::Bytes size) const;  ///< "100", "4k", "16M": in the largest exact unit
};

/// A duration of at least 0, or greater than 0 with `above_zero`. Units ns us ms s min h; a bare number is in seconds.
struct Duration {
    bool above_zero = false;
    [[nodiscard]] measure::seconds operator()(Argument const& argument) const;
    [[nodiscard]] std::string text(measure::seconds duration) const;  ///< "2 s"; empty for a zero that is not allowed
};

/// One of several names; letter case is ignored. The result has the spelling of `names`.
struct Name {
    std::vector<std::string> names;
    [[nodiscard]] std::string operator()(Argument const& argument) const { return names[position(argument, names)]; }
};

/// One of several names; letter case is ignored. The result is the value paired with the name.
template <class T>
struct Choice {
    std::vector<std::pair<std::string, T>> choices;
    [[nodiscard]] T operator()(Argument const& argument) const {
        std::vector<std::string> names;
        for (auto const& [name, value] : choices)
            names.push_back(name);
        return choices[position(argument, names)].second;
    }
    [[nodiscard]] std::string text(T const& value) const {
        for (auto const& [name, each] : choices)
            if (each == value)
                return name;
        return {};
    }
};

/// Values separated by commas, in the order given, without duplicates.
template <class Each>
struct List {
    Each each;
    [[nodiscard]] auto operator()(Argument const& argument) const {
        std::vector<decltype(each(argument))> values;
        for (auto const& part : split(argument, ','))
            add_once(values, each(part));
        return values;
    }
};
template <class Each>
[[nodiscard]] List<Each> list_of(Each each) {
    return {std::move(each)};
}

}  // namespace as
}  // namespace program
