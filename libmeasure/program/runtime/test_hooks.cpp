// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/test_hooks.hpp"

#include "program/cli/values.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace program {

std::optional<std::string> read_hook(measure::Comm const& comm, std::string const& name) {
    std::string value;
    if (char const* const text = comm.is_root() ? std::getenv(name.c_str()) : nullptr; text != nullptr)
        value = text;
    comm.broadcast(value);
    return value.empty() ? std::nullopt : std::optional{value};
}

bool obeys_hooks() noexcept {
#ifdef MEASURE_TEST_HOOKS
    return true;
#else
    return false;
#endif
}

std::string hook_warning(std::string const& name, std::string const& value, bool obeyed) {
    return obeyed ? fmt::format("the test hook {}={} is active", name, value)
                  : fmt::format("the test hook {}={} is ignored: this program was built without tests", name, value);
}

Delay delay_from(std::string const& text) {
    std::string const name = "MEASURE_TEST_DELAY";
    std::size_t const first = text.find(':');
    std::size_t const second = first == std::string::npos ? first : text.find(':', first + 1);
    if (second == std::string::npos)
        throw measure::UsageError(name + ": '" + text + "' is not RANK:RUN:DURATION");
    return {as::Int{.low = 0}({name, text.substr(0, first)}),
            as::Integer{.low = 0}({name, text.substr(first + 1, second - first - 1)}),
            as::Duration{}({name, text.substr(second + 1)})};
}

}  // namespace program
