// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/report.hpp"

#include "program/engine/unsettled.hpp"
#include "program/runtime/stderr_line.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

namespace b_eff_io {

using measure::mega;

namespace {

constexpr double failed = -999.999;
/// Number of rows of an access method in the summary.
constexpr int positions = 7;

double in_megabytes(double bytes) { return bytes / static_cast<double>(megabyte); }

/// A value in 10 columns, "-" if nothing was measured.
std::string cell(std::optional<double> rate) {
    return rate ? fmt::format("{:>10.3f}", *rate / mega) : fmt::format("{:>10}", "-");
}

std::string cell(PatternResult const& result) {
    if (!result.measured)
        return cell(std::nullopt);
    return result.errors > 0 || result.io_error ? fmt::format("{:>10.3f}", failed) : cell(result.bandwidth());
}

std::string rate_text(std::optional<double> rate) { return rate ? fmt::format("{:.3f}", *rate / mega) : "-"; }

std::string reached(std::optional<bool> const& criterion) {
    return !criterion ? "unknown" : *criterion ? "reached" : "NOT reached";
}

std::string flags_text(Setting const& s) {
    std::string text;
    auto const add = [&](bool on, std::string_view flag) { text.append(on ? " " : "").append(on ? flag : ""); };
    add(!s.shared_pointer, "-noshared");
    add(s.unique_open, "-unique");
    add(s.rewrite_all, "-rewrite");
    add(s.keep, "-keep");
    add(s.read_neighbor, "--read-neighbor");
    add(s.direct, "--direct");
    add(s.random, "--random");
    add(s.part_modified, "--quick");
    add(s.termination == measure::Termination::classic, "--termination classic");
    if (s.types.size() < all_types.size()) {
        std::vector<std::string_view> names;
        for (Type const type : s.types)
            names.push_back(name(type));
        text += fmt::format(" --types {}", fmt::join(names, ","));
    }
    return text;
}

std::string ranks_text(measure::Environment const& run) {
    std::string text;
    for (auto const& host : run.hosts)
        text += fmt::format("{}{} (ranks {})", text.empty() ? "" : ", ", host.name, host.ranks);
    return text;
}

/// The rows of an access method: its seven positions and the values of the types.
std::string rows(PartitionResult const& partition, Access access) {
    auto const& result = partition.at(access);
    auto const row = [&](std::string const& label, auto const& value_of) {
        auto line = fmt::format("{:>4} PEs {:<25}", partition.processes, label);
        for (Type const type : all_types)
            line += value_of(type);
        return line + "\n";
    };
    std::string text;
    for (int position = 1; position <= positions; ++position) {
        text += row(fmt::format("{} {:>8} {}", position, chunk_at(partition, position), name(access)),
                    [&](Type type) { return cell(result.at(type, position)); });
    }
    return text + row(fmt::format("     total-{}", name(access)), [&](Type type) {
               auto const volume = type_volume(result, type);
               return cell(volume ? volume->known_rate() : std::nullopt);
           });
}

/// Names of the rows for which a condition holds, in the order of all access methods.
std::vector<std::string> rows_that(PartitionResult const& partition, std::span<Type const> types,
                                   bool (PatternResult::*holds)() const noexcept) {
    std::vector<std::string> names;
    for (Access const access : all_accesses)
        for (int position = 1; position <= positions; ++position)
            for (Type const type : types)
                if ((partition.at(access).at(type, position).*holds)())
                    names.push_back(fmt::format("{} {} {}", position, name(access), name(type)));
    return names;
}

/// Remarks about values that do not mean what their rows suggest; empty if there are none.
std::string remarks(PartitionResult const& partition, std::span<Type const> types) {
    auto text = program::unsettled_text(rows_that(partition, types, &PatternResult::unsettled));
    if (!text.empty())
        text += '\n';
    if (auto const bound = rows_that(partition, types, &PatternResult::agreement_bound); !bound.empty())
        text += fmt::format("agreement: {}: barriers and broadcasts take more than a tenth of the time of these "
                            "rows\n",
                            fmt::join(bound, ", "));
    return text;
}

/// The separate table of random access.
std::string random_table(PartitionResult const& partition) {
    auto const row = [&](std::string const& label, auto const& value_of) {
        auto line = fmt::format("{:>4} PEs {:<12}", partition.processes, label);
        for (Access const access : all_accesses)
            line += value_of(partition.at(access));
        return line + "\n";
    };
    auto text = fmt::format("Random access on {} processes, not part of b_eff_io\n"
                            " number pos chunk-        write   rewrite      read\n"
                            " of PEs     size (l)     [MB/s]    [MB/s]    [MB/s]\n"
                            "            [bytes]\n",
                            partition.processes);
    for (int position = 1; position <= positions; ++position)
        text += row(fmt::format("{} {:>8}", position, chunk_at(partition, position)),
                    [&](AccessResult const& access) { return cell(access.at(Type::random, position)); });
    text += row("     total", [](AccessResult const& access) {
        auto const volume = type_volume(access, Type::random);
        return cell(volume ? volume->known_rate() : std::nullopt);
    });
    text += remarks(partition, std::array{Type::random});
    if (!partition.random_stopped.empty())
        text += fmt::format("stopped: {}\n", partition.random_stopped);
    return text + "\n";
}

std::string noise_line(PartitionResult const& partition, Setting const& setting) {
    auto const n = noise(partition, setting.rewrite_all);
    return fmt::format("noise: agreement {:.1f} %, {} of {} patterns bound by it, without that {} MB/s: {}\n",
                       100 * n.agreement, n.bound, n.patterns, rate_text(n.undisturbed),
                       n.reason.empty() ? "trust" : "repeat, " + n.reason);
}

/// "criterion 1: scheduled time reached; criterion 2: ..."
std::string criteria_text(Criteria const& c) {
    return fmt::format(
        "criterion 1: scheduled time {}; criterion 2: shared file pointer {}; criterion 3: no errors {}; "
        "criterion 4: 20 times the cache moved {}; criterion 5: unmodified {}",
        reached(c.time), reached(c.shared_pointer), reached(c.errors), reached(c.cache), reached(c.unmodified));
}

}  // namespace

std::string marks_text(PartitionResult const& partition, Setting const& setting) {
    std::string text;
    for (auto const& mark : marks(partition, setting))
        text += mark == "QUICK" ? fmt::format(", QUICK T={}, not comparable", setting.time) : fmt::format(", {}", mark);
    return text;
}

std::string head(Setting const& s, measure::Environment const& run, Facts const& facts) {
    std::string text = fmt::format("b_eff_io, libmeasure {}\n", run.version);
    auto const line = [&](std::string_view name, std::string const& value) {
        text += fmt::format("{:<27}= {}\n", name, value);
    };
    line("memory per process", fmt::format("{} MBytes (1 MByte = 2^20 bytes; 1 MB/s = 10^6 bytes/s), {}",
                                           s.memory_per_process, s.memory_source));
    line("memory of the system", fmt::format("{} MBytes, {}", s.memory_total, s.total_source));
    line("maximum chunk size", fmt::format("{:.3f} MBytes", in_megabytes(static_cast<double>(s.m_part))));
    text += fmt::format("-N  {} T={}, MT={} MBytes{}\n", fmt::join(s.partitions, ","), s.time, s.memory_total,
                        flags_text(s));
    line("PATH", s.directory);
    line("PREFIX", facts.prefix);
    line("system", facts.system);
    line("date", run.started);
    line("file system",
         fmt::format("{}, {} bytes free, at most {} bytes are used", facts.file_system, facts.free, s.max_bytes));
    line("cache of the file system",
         fmt::format("{} MBytes{}", s.cache / megabyte, s.cache_known ? "" : " (all memory, an upper bound)"));
    line("MPI", fmt::format("{}, standard {}", run.mpi_library.value_or("none"), run.mpi_standard));
    line("processes", ranks_text(run));
    line("hints", facts.info.empty() ? "none" : facts.info);
    if (s.direct)
        line("direct I/O", "files are opened with O_DIRECT; unaligned calls go through the page cache");
    line("timer", run.timer.name);
    line("command", program::printable(fmt::format("{}", fmt::join(run.command, " "))));
    for (auto const& note : facts.notes)
        line("note", note);
    for (auto const& name : facts.removed)
        line("removed from an earlier run", name);
    return text + "\n";
}

std::string pattern_line(int processes, Access access, Pattern const& p, PatternResult const& r,
                         std::string const& name) {
    auto line = fmt::format("n={:<3} a={} type={} p={:>2} Tp={:5.2f} l={:>8} L={:>8} {:<16} r={:>5} S={:8.3f} MB "
                            "t={:5.2f} = {:.3f}+ {:.3f}+{:.3f}+{:.3f} {:.3f} {:.3f} bw={} MB/s",
                            processes, index(access), index(p.type), p.number, r.scheduled, r.chunk, r.length, name,
                            r.repetitions, r.transferred / mega, r.time, r.io, r.barrier, r.broadcast, r.sync,
                            r.last_call, r.last_agreement, cell(r));
    line += fmt::format(" decisions={}", r.decisions);
    if (r.agreement_bound())
        line += fmt::format(" agreement={:.0f}%", 100 * r.agreement());
    for (auto const& [on, word] : {std::pair{r.time_limited, "time_limited"},
                                   {r.disk_limited, "disk_limited"},
                                   {r.is_backward, "clock_went_back"}})
        if (on)
            line.append(" ").append(word);
    if (r.errors > 0)
        line += fmt::format(" {} ERRORS", r.errors);
    if (r.io_error)
        line += " I/O ERROR";
    return line + "\n";
}

std::string type_line(Access access, Type type, Volume const& v, TypeTimes const& times, measure::Bytes segment) {
    auto line =
        fmt::format(" total pattern type:  S={:.3f} MB  t={:.4f} t_op={:.4f} t_cl={:.4f} wbw={:>8} MB/s "
                    "{}{}_{}={:>8} MB/s",
                    v.transferred / mega, v.time, times.open, times.close, rate_text(v.weighted),
                    type == Type::random ? "" : "b_eff_io_", name(access), name(type), rate_text(v.known_rate()));
    if (is_segmented(type))
        line += fmt::format(" Lseg={} MBytes", segment / megabyte);
    if (type == Type::random)
        line += ", not part of b_eff_io";
    return line + "\n";
}

std::string unsettled_line(AccessResult const& access, Type type) {
    std::vector<std::string> names;
    for (Pattern const& p : patterns_of(type))
        if (access.patterns[static_cast<std::size_t>(p.number)].unsettled())
            names.push_back(fmt::format("p={}", p.number));
    auto const text = program::unsettled_text(std::move(names));
    return text.empty() ? text : fmt::format(" {}\n", text);
}

std::string access_line(PartitionResult const& partition, Access access, Setting const& setting) {
    auto const v = access_volume(partition.at(access));
    return fmt::format("total access method:  S={:.3f} MB  t={:.4f} (Tn={} s) bw={:>8} MB/s wbw={:>8} MB/s "
                       "b_eff_io_{}={:>8} MB/s{}\n\n",
                       v.transferred / mega, v.time, setting.partition_time(), rate_text(v.known_rate()),
                       rate_text(v.weighted), name(access),
                       rate_text(access_value(partition, access, setting.rewrite_all)),
                       access == Access::rewrite && !setting.rewrite_all ? " (type 0 only)" : "");
}

std::string partition_line(PartitionResult const& partition) {
    Volume all;
    for (Access const access : all_accesses) {
        auto const v = access_volume(partition.at(access));
        all.transferred += v.transferred;
        all.time += v.time;
        all.is_backward |= v.is_backward;
    }
    return fmt::format("total partition:  n={} S={:.3f} MB  t={:.4f} bw={:>8} MB/s\n", partition.processes,
                       all.transferred / mega, all.time, rate_text(all.known_rate()));
}

std::string neighbor_line(PartitionResult const& partition, Setting const& setting) {
    if (!setting.read_neighbor)
        return {};
    auto const& [shift, elsewhere] = partition.neighbor;
    if (shift == 0)
        return "read by the neighbour: there is no neighbour, the process reads its own data\n";
    return fmt::format(
        "read by the neighbour: process r reads what process r + {} wrote, {} of {} from another node{}\n", shift,
        elsewhere, partition.processes,
        setting.shared_pointer ? "; with the shared pointer each process reads its own data" : "");
}

std::string release_line(PartitionResult const& partition, Setting const& setting) {
    return fmt::format("release 2.1 value = {} MB/s on {} processes = sqrt(WR * read){}\n",
                       rate_text(release_2_1(partition, setting.rewrite_all)), partition.processes,
                       marks_text(partition, setting));
}

std::string value_line(PartitionResult const& partition, Setting const& s, std::string const& system) {
    auto const minutes = static_cast<double>(s.partition_time()) / 60;
    bool const valid = criteria(partition, s).valid();
    return fmt::format(
        "b_eff_io = {:>8} MB/s on {} processes with {} MByte/PE, scheduled time={:.{}f} Min, on {}, {}{}{}\n",
        rate_text(partition_value(partition, s.rewrite_all)), partition.processes, s.memory_per_process, minutes,
        minutes < 0.1 ? 3 : 1, system, valid ? "VALID" : "NOT VALID (see above)",
        s.rewrite_all ? "" : ", rewrite=type0 only", marks_text(partition, s));
}

std::string block(PartitionResult const& partition, Setting const& s, std::string const& system) {
    auto const random = s.random ? random_table(partition) : "";
    auto text = fmt::format("Summary of file I/O bandwidth accumulated on {:>3} processes with {:>4} MByte/PE\n",
                            partition.processes, s.memory_per_process);
    text += " number pos chunk-   access    type=0    type=1    type=2    type=3    type=4\n"
            " of PEs     size (l) method   scatter    shared  separate segmented  seg-coll\n"
            "            [bytes]           [MB/s]    [MB/s]    [MB/s]    [MB/s]    [MB/s]\n";
    for (Access const access : all_accesses)
        text += rows(partition, access);
    text += remarks(partition, all_types) + neighbor_line(partition, s);
    constexpr std::size_t pattern_2 = 2;
    auto const of_pattern_2 = [&](Access a) { return cell(partition.at(a).patterns[pattern_2]); };
    text += fmt::format("bw_pat2={} MB/s write, {} MB/s rewrite, {} MB/s read\n", of_pattern_2(Access::write),
                        of_pattern_2(Access::rewrite), of_pattern_2(Access::read));
    auto const of_access = [&](Access a) { return rate_text(access_value(partition, a, s.rewrite_all)); };
    text += fmt::format("weighted average bandwidth for write {}, rewrite {}{}, read {} MB/s{}\n",
                        of_access(Access::write), of_access(Access::rewrite), s.rewrite_all ? "" : " (type 0 only)",
                        of_access(Access::read), marks_text(partition, s));
    double const moved = in_megabytes(access_volume(partition.at(Access::write)).transferred);
    text +=
        fmt::format("Total amount of data written/read with each access method: {:>8.3f} MBytes = {:.1f} percent of "
                    "the total memory ({} MBytes)\n",
                    moved, 100 * moved / static_cast<double>(s.memory_total), s.memory_total);
    if (!partition.stopped.empty())
        return text + fmt::format("stopped: {}\n\n", partition.stopped) + random;
    auto const value = partition_value(partition, s.rewrite_all);
    if (!value)
        return text + "no b_eff_io value: not all pattern types were measured\n\n" + random;
    double const target = coffee_cup_target(s);
    text += fmt::format("coffee-cup rule: {:.1f} percent of the {:.3f} MB/s that move the total memory in 10 minutes\n",
                        100 * *value / target, target / mega);
    auto const c = criteria(partition, s);
    text += fmt::format("{} for comparison of different systems ({})\n", c.valid() ? "VALID" : "NOT VALID",
                        criteria_text(c));
    text += noise_line(partition, s);
    return text + release_line(partition, s) + value_line(partition, s, system) + "\n" + random;
}

}  // namespace b_eff_io
