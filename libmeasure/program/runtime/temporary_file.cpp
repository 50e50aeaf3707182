// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/temporary_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace program {
namespace {

/// Static storage, because a signal handler reads it. A slot's path is written before `used` is set.
struct Slot {
    std::atomic<bool> used{false};
    std::array<char, TemporaryFile::longest_path + 1> path{};
};
std::array<Slot, 128> slots;

int take_slot(std::string const& path) {
    if (path.size() > TemporaryFile::longest_path)
        throw std::length_error("the path of a temporary file is too long: " + path);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].used.load(std::memory_order_relaxed))
            continue;
        std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
        slots[i].used.store(true, std::memory_order_release);
        return static_cast<int>(i);
    }
    throw std::runtime_error("too many temporary files");
}

}  // namespace

TemporaryFile::TemporaryFile(std::string path, Unlinks unlinks)
    : path_{std::move(path)}, unlinks_{unlinks}, slot_{take_slot(path_)} {}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_{std::move(other.path_)}, unlinks_{other.unlinks_}, slot_{std::exchange(other.slot_, -1)} {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
    if (this != &other) {
        release();
        path_ = std::move(other.path_);
        unlinks_ = other.unlinks_;
        slot_ = std::exchange(other.slot_, -1);
    }
    return *this;
}

TemporaryFile::~TemporaryFile() { release(); }

void TemporaryFile::release() noexcept {
    if (slot_ < 0)
        return;
    if (unlinks_ == Unlinks::here && ::unlink(path_.c_str()) != 0)
        ::rmdir(path_.c_str());
    keep();
}

void TemporaryFile::keep() noexcept {
    if (slot_ < 0)
        return;
    slots[static_cast<std::size_t>(slot_)].used.store(false, std::memory_order_release);
    slot_ = -1;
}

void check_length(std::string_view complaint, std::string_view path, std::size_t more) {
    if (path.size() + more > TemporaryFile::longest_path)
        throw measure::UsageError(fmt::format("{}: {}", complaint, std::strerror(ENAMETOOLONG)));
}

void unlink_temporary_files() noexcept {
    for (Slot& slot : slots)
        if (slot.used.load(std::memory_order_acquire))
            ::unlink(slot.path.data());
    // The folders are empty now.
    for (Slot& slot : slots)
        if (slot.used.load(std::memory_order_acquire))
            ::rmdir(slot.path.data());
}

}  // namespace program
