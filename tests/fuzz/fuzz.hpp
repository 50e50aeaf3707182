// SPDX-License-Identifier: BSD-3-Clause
/// Fuzz: common code of all targets. A target defines `parse`, which gets arbitrary bytes.
#pragma once

#include <measure/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace fuzz {

/// Aborts the process if a condition does not hold; libFuzzer then keeps the input.
inline void demand(bool holds, char const* what) {
    if (holds)
        return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
}

/// Calls the parser. It must succeed, or throw measure::UsageError or a derived exception. Any other exception ends the
/// process.
template <class Parse>
void properly(Parse const& parse) {
    try {
        parse();
    } catch (measure::UsageError const& error) {
        demand(*error.what() != '\0', "an error without a message");
    }
}

/// Parses the text. Defined by each target.
void parse(std::string_view text);

/// Processor time of this process in seconds, which does not depend on other processes.
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
    fuzz::demand(fuzz::processor_seconds() - begin < longest, "an input took more than 2 s");
    return 0;
}
