// SPDX-License-Identifier: BSD-3-Clause
#include "clock/paired_reading.hpp"
#include "core/mpi_state.hpp"
#include "measure/error.hpp"
#include "measure/timer.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace measure {
namespace {

enum class Source : int { none, cpuid, hypervisor, firmware, calibrated };
constexpr std::array<std::string_view, 5> source_names{"none", "cpuid", "hypervisor", "firmware", "calibrated"};

/// Ticks per second, and the source of the number; hertz = 0: unknown.
struct Frequency {
    double hertz = 0;
    Source source = Source::none;
};

constexpr auto calibration_time = std::chrono::milliseconds{300};  // reproducible within 0.02 ppm
constexpr auto verification_time = std::chrono::milliseconds{20};  // reproducible within about 2 ppm
constexpr double tolerated_deviation = 200e-6;

#if defined(__x86_64__)

struct Registers {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// A basic or extended CPUID leaf; zeros if the processor does not have it.
Registers cpuid(unsigned leaf) noexcept {
    Registers r;
    return __get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx) != 0 ? r : Registers{};
}

/// A CPUID leaf of the hypervisor, counted from 40000000h, which is outside the range that the processor reports.
Registers hypervisor_leaf(unsigned leaf) noexcept {
    constexpr unsigned hypervisor_present = 1U << 31;
    if ((cpuid(1).ecx & hypervisor_present) == 0)
        return {};
    Registers r;
    __cpuid(0x40000000U, r.eax, r.ebx, r.ecx, r.edx);
    if (r.eax < leaf)
        return {};
    __cpuid(leaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
}

bool counter_available() noexcept {
    constexpr unsigned invariant_tsc = 1U << 8;
    constexpr unsigned rdtscp = 1U << 27;
    return (cpuid(0x80000007U).edx & invariant_tsc) != 0 && (cpuid(0x80000001U).edx & rdtscp) != 0;
}

/// Leaf 15h contains the frequency of the crystal (ECX) and the ratio of the TSC to it (EBX / EAX). A hypervisor may
/// report the frequency in kHz.
Frequency claimed_frequency() noexcept {
    if (auto const r = cpuid(0x15U); r.eax != 0 && r.ebx != 0 && r.ecx != 0)
        return {static_cast<double>(r.ecx) * r.ebx / r.eax, Source::cpuid};
    if (auto const r = hypervisor_leaf(0x40000010U); r.eax != 0)
        return {r.eax * 1e3, Source::hypervisor};
    return {};
}

#elif defined(__aarch64__)

Frequency claimed_frequency() noexcept {
    std::uint64_t hertz;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    return {static_cast<double>(hertz), Source::firmware};
}

bool counter_available() noexcept { return true; }

#else

Frequency claimed_frequency() noexcept { return {}; }

bool counter_available() noexcept { return false; }

#endif

double calibrated_hertz(std::chrono::milliseconds duration) {
    auto const counter = TscTimer::with_frequency(1);
    auto const first = detail::bracketed_instant(counter);
    std::this_thread::sleep_for(duration);
    auto const last = detail::bracketed_instant(counter);
    return static_cast<double>(last.stamp - first.stamp) / static_cast<double>(last.raw_ns - first.raw_ns) * 1e9;
}

/// A frequency claimed by processor, hypervisor or firmware is accepted only if a short calibration agrees.
Frequency local_frequency() {
    if (!counter_available())
        return {};
    if (auto const claimed = claimed_frequency(); claimed.hertz > 0)
        if (std::abs(claimed.hertz / calibrated_hertz(verification_time) - 1) <= tolerated_deviation)
            return claimed;
    return {calibrated_hertz(calibration_time), Source::calibrated};
}

/// The frequency found by the first rank of this host; unknown on all ranks if it is unknown on one host. Collective.
Frequency agreed_frequency(Comm const& comm) {
    detail::need_mpi(comm);
    auto const node = comm.node();
    Frequency frequency;
    if (node.is_root())
        frequency = local_frequency();
    node.broadcast(frequency);
    return comm.max(frequency.hertz > 0 ? 0 : 1) > 0 ? Frequency{} : frequency;
}

std::pair<double, std::string_view> usable(Frequency frequency) {
    if (!(frequency.hertz > 0))
        throw UsageError("timer 'tsc' is not available: the processor has no counter with a constant rate");
    return {frequency.hertz, source_names[static_cast<std::size_t>(frequency.source)]};
}

}  // namespace

TscTimer::TscTimer() : TscTimer{Comm::solo()} {}

TscTimer::TscTimer(Comm const& comm) : TscTimer{usable(agreed_frequency(comm))} {}

TscTimer TscTimer::with_frequency(double hertz) {
    if (!(hertz > 0) || !std::isfinite(hertz))
        throw UsageError("the frequency of a counter must be positive");
    return TscTimer{std::pair{hertz, std::string_view{"given"}}};
}

bool TscTimer::available() noexcept { return counter_available(); }

}  // namespace measure
