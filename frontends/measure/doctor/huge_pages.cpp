// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/huge_pages.hpp"

#include "program/cli/values.hpp"

#include <sys/mman.h>

#include <charconv>
#include <cstdlib>

namespace measure::tool::doctor {

namespace {

constexpr int of_a_process = MAP_PRIVATE | MAP_ANONYMOUS;

/// Memory mapped directly from the kernel, because an allocator may have received huge pages earlier.
class Mapping {
public:
    Mapping(std::size_t bytes, int flags)
        : bytes_{bytes}, memory_{::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, of_a_process | flags, -1, 0)} {}
    ~Mapping() {
        if (is_there())
            ::munmap(memory_, bytes_);
    }
    Mapping(Mapping const&) = delete;
    Mapping& operator=(Mapping const&) = delete;
    [[nodiscard]] bool is_there() const noexcept { return memory_ != MAP_FAILED; }
    [[nodiscard]] char* begin() const noexcept { return static_cast<char*>(memory_); }

private:
    std::size_t bytes_;
    void* memory_;
};

/// Whether the address is within the bounds in "7f0000000000-7f0000200000 rw-p ..", the first line of a mapping.
bool has_address(std::string const& line, std::uintptr_t address) {
    std::uintptr_t low = 0;
    std::uintptr_t high = 0;
    char const* const end = line.data() + line.size();
    auto const dash = std::from_chars(line.data(), end, low, 16);
    if (dash.ec != std::errc{} || dash.ptr == end || *dash.ptr != '-')
        return false;
    return std::from_chars(dash.ptr + 1, end, high, 16).ec == std::errc{} && low <= address && address < high;
}

/// Whether the kernel gives a huge page to new memory. \param is_advised  use madvise to ask for it
std::optional<bool> gets_huge_page(machine::Tree const& tree, std::size_t page, bool is_advised) {
    Mapping const memory{2 * page, 0};
    if (!memory.is_there())
        return std::nullopt;
    if (is_advised && ::madvise(memory.begin(), 2 * page, MADV_HUGEPAGE) != 0)
        return false;
    auto const begin = reinterpret_cast<std::uintptr_t>(memory.begin());
    auto const aligned = (page - begin % page) % page;
    // The kernel may have merged the mapping with a neighbour that has huge pages.
    auto const held = [&] { return huge_bytes_at(tree.text("/proc/self/smaps").value_or(""), begin + aligned); };
    auto const before = held();
    char volatile* const byte = memory.begin() + aligned;
    *byte = 1;
    auto const after = held();
    return before && after ? std::optional{*after - *before >= static_cast<double>(page)} : std::nullopt;
}

}  // namespace

std::optional<double> huge_bytes_at(std::string_view text, std::uintptr_t address) {
    bool is_found = false;
    for (std::string const& line : program::split(text, '\n')) {
        // Lines "Name:  1 kB" follow the line with the bounds.
        if (auto const value = program::field(line, "AnonHugePages"); value && is_found)
            return std::atof(value->c_str()) * 1024;
        is_found = is_found ? line.find(':') < line.find(' ') : has_address(line, address);
    }
    return std::nullopt;
}

machine::Facts page_facts(machine::Tree const& tree) {
    machine::Facts facts;
    constexpr std::size_t largest = std::size_t{1} << 30;
    auto const size =
        program::number_from<std::size_t>(tree.line("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").value_or(""));
    if (!tree.is_real() || !size || *size == 0 || *size > largest)
        return facts;
    facts.set("huge_page", static_cast<double>(*size));
    auto const unasked = gets_huge_page(tree, *size, false);
    auto const asked = gets_huge_page(tree, *size, true);
    if (unasked && asked)
        facts.set("huge_given", std::string{*unasked ? "always" : *asked ? "advised" : "never"});
    facts.set("huge_explicit", std::string{Mapping{*size, MAP_HUGETLB}.is_there() ? "yes" : "no"});
    return facts;
}

}  // namespace measure::tool::doctor
