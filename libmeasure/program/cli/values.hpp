// SPDX-License-Identifier: BSD-3-Clause
/// Values: text of a command line or input file to sizes, durations, numbers and names. Pure and local.
///
/// Every conversion is a small callable value that holds what is allowed: `as::Size{.low = 1}(argument)`. A text that
/// does not fit throws measure::UsageError, whose text names the option, the value and what is allowed:
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

/// A text and the option (or the word before it in a file) that it was given to, for the message.
struct Argument {
    std::string option;
    std::string value;
    std::size_t place = 0;  ///< among all values of the command line, where their order counts
};

using measure::detail::add_once;
using measure::detail::alternatives;
using measure::detail::duration_text;
using measure::detail::lower;
using measure::detail::number_from;
using measure::detail::split;
using measure::detail::trimmed;
using measure::detail::wrapped;

/// The parts of a value between separators, each as a value of that option.
[[nodiscard]] std::vector<Argument> split(Argument const& list, char separator);

/// Throws what a user reads of a value that does not fit: "-x: 'abc' is not MIN:MAX".
[[noreturn]] void refuse(Argument const& argument, std::string_view fault);

/// The name that is nearest to a misspelled one: fewest letters changed, added or left out; letter case ignored. None
/// is near where more than a third of the letters, at least two, would have to change: then it is the first name that
/// begins with the text (four letters at least), or an empty text.
[[nodiscard]] std::string closest(std::string_view text, std::vector<std::string> const& names);

/// "2026-01-31T12:00:00Z". \param time  seconds since 1970
[[nodiscard]] std::string utc_text(std::time_t time);

/// Position of the argument's value among the names, letter case ignored.
/// \throws measure::UsageError that lists the names
[[nodiscard]] std::size_t position(Argument const& argument, std::vector<std::string> const& names);

namespace as {

/// The text as it is.
struct Text {
    [[nodiscard]] std::string operator()(Argument const& argument) const;
};

/// Of a word that another program has and this one cannot follow: always an error, which says why.
struct Refused {
    std::string why;
    [[noreturn]] std::string operator()(Argument const& argument) const;
};

/// The name of files that scripts name too: any text but the empty one, without control characters.
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
/// refused as ambiguous. A fraction is accepted where the result is a whole number of bytes: "1.5MiB".
struct Size {
    measure::Bytes low = 0;
    measure::Bytes high = std::numeric_limits<measure::Bytes>::max();
    measure::Bytes bare = 1;  ///< bytes that a number without unit counts
    [[nodiscard]] measure::Bytes operator()(Argument const& argument) const;
    [[nodiscard]] std::string text(measure::Bytes size) const;  ///< "100", "4k", "16M": units where they divide it
};

/// A duration, not negative; greater than zero with `above_zero`. Units ns us ms s min h; a bare number is seconds.
struct Duration {
    bool above_zero = false;
    [[nodiscard]] measure::seconds operator()(Argument const& argument) const;
    [[nodiscard]] std::string text(measure::seconds duration) const;  ///< "2 s"; nothing for a zero that is not allowed
};

/// One of several names, letter case ignored; the result is the name as it is spelled here.
struct Name {
    std::vector<std::string> names;
    [[nodiscard]] std::string operator()(Argument const& argument) const { return names[position(argument, names)]; }
};

/// One of several names, letter case ignored; the result is the value beside the name.
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

/// Values between commas, in the order given, each once.
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
