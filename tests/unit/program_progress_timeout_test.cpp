// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/progress_timeout.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <thread>

using std::chrono::milliseconds;

TEST_CASE("a progress timeout ends after its limit", "[patience]") {
    auto const begin = std::chrono::steady_clock::now();
    program::ProgressTimeout patience{milliseconds{20}};
    while (patience.lasts())
        std::this_thread::yield();
    CHECK(std::chrono::steady_clock::now() - begin >= milliseconds{20});
    CHECK_FALSE(patience.lasts());
}

TEST_CASE("a long time between two checks counts only as a short one", "[patience]") {
    program::ProgressTimeout patience{milliseconds{120}};
    std::this_thread::sleep_for(milliseconds{300});
    CHECK(patience.lasts());
    std::this_thread::sleep_for(milliseconds{300});
    CHECK(patience.lasts());
    std::this_thread::sleep_for(milliseconds{300});
    CHECK_FALSE(patience.lasts());
}
