/* SPDX-License-Identifier: BSD-3-Clause */
/* To be preloaded: memcpy of 32 KiB and more takes three times as long. Compiled without built-in functions, or memmove
   would become memcpy. */
#include <stddef.h>
#include <string.h>

void* memcpy(void* to, void const* from, size_t bytes) {
    enum { large = 32768 };
    for (int i = 0; i < 2 && bytes >= large; ++i)
        memmove(to, from, bytes);
    return memmove(to, from, bytes);
}
