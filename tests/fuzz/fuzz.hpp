// SPDX-License-Identifier: BSD-3-Clause
/// Fuzz: what all targets have in common. A target defines `parse`, and is given any bytes.
#pragma once

#include <measure/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace fuzz {

/// Ends the process where something does not hold that must; libFuzzer keeps the input.
inline void demand(bool holds, char const* what) {
    if (holds)
        return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
}

/// Reads the text. Proper ends are a value, and measure::UsageError or what is derived from it; any other exception
/// ends the process.
template <class Parse>
void properly(Parse const& parse) {
    try {
        parse();
    } catch (measure::UsageError const& error) {
        demand(*error.what() != '\0', "an error without a text");
    }
}

/// The target.
void parse(std::string_view text);

/// Of the processor, which competitors do not take.
[[nodiscard]] inline double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
    constexpr double longest = 2;
    double const begin = fuzz::processor_seconds();
    fuzz::parse({reinterpret_cast<char const*>(bytes), size});  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
    fuzz::demand(fuzz::processor_seconds() - begin < longest, "more than 2 s for a text");
    return 0;
}
