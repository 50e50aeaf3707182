// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/process_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>

namespace mpiperf {

namespace {

/// The value of a line "NAME:   123 kB" in bytes.
std::optional<measure::Bytes> field(std::string_view text, std::string_view name) noexcept {
    while (!text.empty()) {
        auto const end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':'))
            continue;
        line.remove_prefix(name.size() + 1);
        auto const digits = line.find_first_of("0123456789");
        if (digits == std::string_view::npos)
            return std::nullopt;
        line.remove_prefix(digits);
        measure::Bytes value = 0;
        auto const [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value);
        return error == std::errc{} ? std::optional{value * measure::kibi} : std::nullopt;
    }
    return std::nullopt;
}

template <std::size_t N>
std::string_view read_into(std::array<char, N>& buffer, char const* path) noexcept {
    int const file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return {};
    std::size_t size = 0;
    for (ssize_t n = 1; n > 0 && size<N; size += n> 0 ? static_cast<std::size_t>(n) : 0)
        n = ::read(file, buffer.data() + size, N - size);
    ::close(file);
    return {buffer.data(), size};
}

}  // namespace

ProcessMemory parse_process_memory(std::string_view status, std::string_view rollup) noexcept {
    auto const either = [&](std::string_view counted, std::string_view said) {
        auto const exact = field(rollup, counted);
        return exact ? *exact : field(status, said).value_or(0);
    };
    ProcessMemory m;
    m.resident = either("Rss", "VmRSS");
    m.peak = field(status, "VmHWM").value_or(0);
    m.anonymous = either("Anonymous", "RssAnon");
    m.file = field(status, "RssFile").value_or(0);
    m.shared = field(status, "RssShmem").value_or(0);
    m.huge = either("Private_Hugetlb", "HugetlbPages");
    for (auto const* const kind : {"Shared_Hugetlb", "AnonHugePages", "ShmemPmdMapped", "FilePmdMapped"})
        m.huge += field(rollup, kind).value_or(0);
    return m;
}

ProcessMemory process_memory() noexcept {
    std::array<char, 8192> status;
    std::array<char, 4096> rollup;
    return parse_process_memory(read_into(status, "/proc/self/status"), read_into(rollup, "/proc/self/smaps_rollup"));
}

measure::Bytes page_size() noexcept { return ::sysconf(_SC_PAGESIZE); }

}  // namespace mpiperf
