// SPDX-License-Identifier: BSD-3-Clause
/// Fields of records: one line for each name in the file and its member. Writer, reader and schema check use these
/// lists, so a new field needs only a member and a line here.
#pragma once

#include "measure/report.hpp"

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace measure::detail {

/// How a field without a value is written.
enum class Absent {
    null,     ///< written as null; a reader keeps the default
    nan,      ///< written as null; a reader takes it for NaN
    nothing,  ///< written as null; 0 and an empty text count as absent
    left_out  ///< not written if the value is empty or equal to the default
};

/// A field of the struct S. Times are in seconds in the file.
template <class S, class T>
struct Field {
    constexpr Field(char const* n, T S::*m, Absent a = Absent::null) noexcept : name{n}, member{m}, absent{a} {}

    char const* name;
    T S::*member;
    Absent absent;
};

/// The fields of S in the order of the file; nullptr for types that are not described.
template <class S>
inline constexpr auto fields = nullptr;

template <class S>
inline constexpr bool is_described = !std::is_same_v<std::remove_cvref_t<decltype(fields<S>)>, std::nullptr_t>;

template <>
inline constexpr auto fields<Host> = std::tuple{
    Field{"name", &Host::name},
    Field{"ranks", &Host::ranks},
    Field{"cores", &Host::cores, Absent::nothing},
    Field{"cpu", &Host::cpu},
};

template <>
inline constexpr auto fields<TimerInfo> = std::tuple{
    Field{"name", &TimerInfo::name},
    Field{"resolution", &TimerInfo::resolution, Absent::nothing},
    Field{"overhead", &TimerInfo::overhead, Absent::nothing},
    Field{"frequency", &TimerInfo::frequency, Absent::nothing},
};

template <>
inline constexpr auto fields<SyncReport> = std::tuple{
    Field{"algorithm", &SyncReport::algorithm},
    Field{"duration", &SyncReport::duration},
    Field{"bound", &SyncReport::bound},
    Field{"uncertainty", &SyncReport::uncertainty},
    Field{"drift", &SyncReport::drift},
    Field{"closure", &SyncReport::closure},
    Field{"closure_bound", &SyncReport::closure_bound},
    Field{"rtt_min", &SyncReport::rtt_min},
    Field{"rtt_median", &SyncReport::rtt_median},
    Field{"rtt_max", &SyncReport::rtt_max},
    Field{"offset_max", &SyncReport::offset_max},
    Field{"consistent", &SyncReport::consistent},
    Field{"hosts", &SyncReport::hosts},
    Field{"edges", &SyncReport::edges},
    Field{"shared", &SyncReport::shared},
    Field{"poor", &SyncReport::poor},
    Field{"messages", &SyncReport::messages},
    Field{"kept", &SyncReport::kept, Absent::left_out},
};

template <>
inline constexpr auto fields<Campaign> = std::tuple{
    Field{"id", &Campaign::id},
    Field{"launch", &Campaign::launch},
};

/// `mpi`, `mpi_settings` and a suite's own members are written separately.
template <>
inline constexpr auto fields<Environment> = std::tuple{
    Field{"suite", &Environment::suite},
    Field{"program", &Environment::program},
    Field{"version", &Environment::version, Absent::left_out},
    Field{"command", &Environment::command},
    Field{"started", &Environment::started, Absent::nothing},
    Field{"ranks", &Environment::ranks},
    Field{"hosts", &Environment::hosts},
    Field{"oversubscribed", &Environment::oversubscribed},
    Field{"kernel", &Environment::kernel},
    Field{"clocksource", &Environment::clocksource},
    Field{"governor", &Environment::governor},
    Field{"compiler", &Environment::compiler, Absent::nothing},
    Field{"timer", &Environment::timer},
    Field{"clock_sync", &Environment::clock_sync},
    Field{"options", &Environment::options},
    Field{"warnings", &Environment::warnings},
    Field{"campaign", &Environment::campaign, Absent::left_out},
};

template <>
inline constexpr auto fields<Estimate> = std::tuple{
    Field{"mean", &Estimate::value, Absent::nan},
    Field{"standard_error", &Estimate::standard_error},
    Field{"confidence", &Estimate::confidence},
    Field{"interval", &Estimate::interval},
    Field{"median", &Estimate::median, Absent::nan},
    Field{"median_interval", &Estimate::median_interval},
    Field{"min", &Estimate::min, Absent::nan},
    Field{"max", &Estimate::max, Absent::nan},
    Field{"clock_step", &Estimate::clock_step, Absent::left_out},
    Field{"middle", &Estimate::middle, Absent::left_out},
    Field{"quantiles", &Estimate::quantiles, Absent::left_out},
};

template <>
inline constexpr auto fields<InvalidCounts> = std::tuple{
    Field{"late", &InvalidCounts::late, Absent::left_out},
    Field{"overrun", &InvalidCounts::overrun, Absent::left_out},
    Field{"slip", &InvalidCounts::slip, Absent::left_out},
    Field{"failed", &InvalidCounts::failed, Absent::left_out},
    Field{"backward", &InvalidCounts::backward, Absent::left_out},
};

template <>
inline constexpr auto fields<RankSpread> = std::tuple{
    Field{"min", &RankSpread::min, Absent::nan},
    Field{"mean", &RankSpread::mean, Absent::nan},
    Field{"max", &RankSpread::max, Absent::nan},
};

template <>
inline constexpr auto fields<Semantics> = std::tuple{
    Field{"operation", &Semantics::operation}, Field{"kind", &Semantics::kind},         Field{"size", &Semantics::size},
    Field{"share", &Semantics::share},         Field{"messages", &Semantics::messages},
};

template <>
inline constexpr auto fields<Sample> = std::tuple{
    Field{"stage", &Sample::stage},
    Field{"time", &Sample::time, Absent::nan},
    Field{"span", &Sample::span},
    Field{"invalid", &Sample::invalid},
    Field{"iterations", &Sample::iterations, Absent::left_out},
    Field{"ranks", &Sample::ranks, Absent::left_out},
};

/// The unit, which follows from the quantity, and the samples, which only raw records have, are written separately.
template <>
inline constexpr auto fields<Record> = std::tuple{
    Field{"benchmark", &Record::benchmark},
    Field{"semantics", &Record::semantics, Absent::left_out},
    Field{"at", &Record::at},
    Field{"quantity", &Record::quantity},
    Field{"value", &Record::value},
    Field{"status", &Record::status},
    Field{"stop_reason", &Record::stop_reason, Absent::left_out},
    Field{"message", &Record::message, Absent::left_out},
    Field{"estimate", &Record::estimate},
    Field{"attempts", &Record::attempts},
    Field{"valid", &Record::valid},
    Field{"kept", &Record::kept},
    Field{"invalid", &Record::invalid},
    Field{"over_ranks", &Record::over_ranks, Absent::left_out},
    Field{"iterations_per_sample", &Record::iterations_per_sample, Absent::left_out},
    Field{"correction", &Record::correction, Absent::left_out},
    Field{"derived", &Record::derived},
    Field{"flags", &Record::flags},
    Field{"elapsed", &Record::elapsed},
};

template <>
inline constexpr auto fields<Summary> = std::tuple{
    Field{"name", &Summary::name},
    Field{"value", &Summary::value},
    Field{"unit", &Summary::unit},
    Field{"derived", &Summary::derived},
};

template <>
inline constexpr auto fields<EndRecord> = std::tuple{
    Field{"status", &EndRecord::status},
    Field{"exit_code", &EndRecord::exit_code},
    Field{"elapsed", &EndRecord::elapsed},
    Field{"clock_sync_residual", &EndRecord::clock_sync_residual},
    Field{"clock_sync_residual_rms", &EndRecord::clock_sync_residual_rms, Absent::left_out},
    Field{"message", &EndRecord::message, Absent::left_out},
};

/// Calls f(field) for each field of S.
template <class S, class F>
void for_each_field(F&& f) {
    std::apply([&](auto const&... field) { (f(field), ...); }, fields<S>);
}

}  // namespace measure::detail
