// SPDX-License-Identifier: BSD-3-Clause
/// What C cannot do: callbacks that throw, and an operator new that throws.
#include "c_api_test.h"

#include <cstdlib>
#include <new>
#include <stdexcept>

namespace {
int thrown_by_new = 0;
}  // namespace

void* operator new(std::size_t size) {
    switch (thrown_by_new) {
    case 1:
        throw std::bad_alloc{};
    case 2:
        thrown_by_new = 0;
        throw std::runtime_error("memory with a text");
    case 3:
        throw 3;
    default:
        break;
    }
    if (void* const memory = std::malloc(size > 0 ? size : 1))
        return memory;
    throw std::bad_alloc{};
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return std::malloc(size > 0 ? size : 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

void new_throws(int what) { thrown_by_new = what; }

/// Throws unless the context is NULL.
int throwing_body(void* context, measure_iteration) {
    if (context != nullptr)
        throw std::runtime_error("thrown by the body");
    return 0;
}

int throwing_finish(void* context) {
    if (context != nullptr)
        throw 7;
    return 0;
}

void throwing_prepare(void* context, measure_iteration) {
    if (context != nullptr)
        throw std::bad_alloc{};
}
