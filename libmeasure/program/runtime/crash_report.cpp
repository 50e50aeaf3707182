// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/crash_report.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace program::crash_report {
namespace {

/// A text of fixed capacity that a handler can read while it is being replaced: the writer fills a second buffer and
/// then switches to it.
template <std::size_t Capacity>
class SharedText {
public:
    void set(std::string_view text) noexcept {
        int const other = 1 - current_.load(std::memory_order_relaxed);
        auto& buffer = buffers_[static_cast<std::size_t>(other)];
        std::size_t const n = std::min(text.size(), Capacity);
        std::memcpy(buffer.data(), text.data(), n);
        buffer[n] = '\0';
        current_.store(other, std::memory_order_release);
    }
    [[nodiscard]] char const* get() const noexcept {
        return buffers_[static_cast<std::size_t>(current_.load(std::memory_order_acquire))].data();
    }

private:
    std::array<std::array<char, Capacity + 1>, 2> buffers_{};
    std::atomic<int> current_{0};
};

SharedText<63> program;
SharedText<63> limit_text;
SharedText<255> place_text;
std::atomic<int> own_rank{0};
std::atomic<int> record{-1};
std::atomic<bool> writing{false};
std::atomic<bool> inside_body{false};
std::atomic<std::int64_t> started_us{0};

std::int64_t now_us() noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000;
}

/// A line composed without allocation or stdio. Text that does not fit is dropped.
class Line {
public:
    Line& text(char const* s) noexcept {
        for (; *s != '\0'; ++s)
            put(*s);
        return *this;
    }
    /// Appends the text escaped for a JSON string. Control characters become blanks.
    Line& json(char const* s) noexcept {
        for (; *s != '\0'; ++s) {
            if (*s == '"' || *s == '\\')
                put('\\');
            put(static_cast<unsigned char>(*s) < 0x20 ? ' ' : *s);
        }
        return *this;
    }
    /// Appends a non-negative number with at least `digits` digits.
    Line& number(std::int64_t value, int digits = 1) noexcept {
        std::array<char, 20> reversed{};
        std::size_t n = 0;
        for (; value > 0 || static_cast<int>(n) < digits; value /= 10)
            reversed[n++] = static_cast<char>('0' + value % 10);
        while (n > 0)
            put(reversed[--n]);
        return *this;
    }
    [[nodiscard]] char const* c_str() const noexcept { return buffer_.data(); }
    void write_to(int descriptor) const noexcept {
        for (std::size_t done = 0; done < size_;) {
            ssize_t const n = ::write(descriptor, buffer_.data() + done, size_ - done);
            if (n <= 0)
                return;
            done += static_cast<std::size_t>(n);
        }
    }

private:
    void put(char c) noexcept {
        if (size_ + 1 < buffer_.size())
            buffer_[size_++] = c;
    }
    std::array<char, 1536> buffer_{};
    std::size_t size_ = 0;
};

void write_end(char const* status, int code, Line const& message) noexcept {
    int const descriptor = record.exchange(-1);
    if (descriptor < 0 || writing.load())
        return;
    std::int64_t const elapsed = now_us() - started_us.load();
    Line line;
    line.text(R"({"record":"end","status":")").text(status).text(R"(","exit_code":)").number(code);
    line.text(R"(,"elapsed":)").number(elapsed / 1'000'000).text(".").number(elapsed % 1'000'000, 6);
    line.text(R"(,"clock_sync_residual":null,"message":")").json(message.c_str()).text("\"}\n");
    line.write_to(descriptor);
}

/// Writes the line to stderr and, on the root, the same text to the record.
void stderr_line(Line& message, char const* status, int code, bool root) noexcept {
    Line line = message;
    line.text("\n").write_to(STDERR_FILENO);
    if (root)
        write_end(status, code, message);
}

}  // namespace

void introduce(std::string_view name, int rank) noexcept {
    program.set(name);
    own_rank = rank;
    started_us = now_us();
}

void record_to(int descriptor) noexcept { record = descriptor; }

bool take_record() noexcept { return record.exchange(-1) >= 0; }

bool WritingRecord::open() noexcept { return record >= 0; }
WritingRecord::WritingRecord() noexcept { writing = true; }
WritingRecord::~WritingRecord() { writing = false; }

void place(std::string_view text) noexcept { place_text.set(text); }
void in_body(bool inside) noexcept { inside_body = inside; }

bool waits_for_root() noexcept { return own_rank != 0 && !inside_body; }
void limit(std::string_view text) noexcept { limit_text.set(text); }

double exit_grace_seconds() noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    double const into_second = static_cast<double>(now.tv_nsec) * 1e-9;
    return into_second < 0.5 ? 1 - into_second : 2 - into_second;
}

char const* signal_name(int signal) noexcept {
    switch (signal) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return "a signal";
    }
}

void interrupted(int signal) noexcept {
    if (own_rank != 0)
        return;
    Line message;
    message.text(program.get()).text(": error: interrupted by ").text(signal_name(signal));
    stderr_line(message, "interrupted", 128 + signal, true);
}

void failed(char const* text) noexcept {
    Line message;
    message.text(program.get()).text(": error: ").text(text);
    stderr_line(message, "failed", 1, own_rank == 0);
}

void ended_by_exit() noexcept {
    Line message;
    message.text(program.get()).text(": error: the MPI library has called exit: rank ").number(own_rank);
    char const* const at = place_text.get();
    message.text(*at != '\0' ? " at " : " before the first point").text(at);
    stderr_line(message, "failed", 1, own_rank == 0);
}

void no_progress() noexcept {
    bool const inside = inside_body;
    int const rank = own_rank;
    if (waits_for_root())
        return;
    Line message;
    message.text(program.get()).text(": error: no progress for ").text(limit_text.get()).text(": rank ").number(rank);
    char const* const at = place_text.get();
    message.text(inside        ? " in the body of "
                 : *at != '\0' ? " outside of a body, at "
                               : " before the first point")
        .text(at)
        .text("; --watchdog sets the limit");
    stderr_line(message, "failed", 1, rank == 0);
}

void not_finalized() noexcept {
    if (own_rank != 0)
        return;
    Line line;
    line.text(program.get()).text(": warning: the run is over and its results are written, but MPI_Finalize does not ");
    line.text("return: the program exits without it\n").write_to(STDERR_FILENO);
}

}  // namespace program::crash_report
