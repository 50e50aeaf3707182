// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/setup.hpp"

#include "program/runtime/files.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace pmb {

using measure::Bytes;
using measure::UsageError;
namespace as = program::as;

namespace {

std::vector<Bytes> lengths_in(std::string const& path, std::string const& text) {
    std::vector<Bytes> result;
    std::vector<program::ParseError> faults;
    for (auto const& word : first_words(text))
        try {
            result.push_back(as::Size{.high = largest_length}({"-msglen", word.text}));
            if (!word.is_alone)
                throw UsageError(
                    fmt::format("-msglen: unexpected text after '{}'; write one length per line", word.text));
        } catch (UsageError const& error) {
            faults.push_back({path, word.line, word.column, error.what()});
        }
    program::throw_any(std::move(faults));
    if (result.empty())
        throw UsageError(fmt::format("-msglen: there is no length in '{}'", path));
    return result;
}

/// Whether the time of each repetition is kept.
bool keeps_times(Options const& o) { return o.part == Part::imb_mpi1 && (o.show_tail || !o.dump.empty()); }

void check(Options const& o, program::CommonOptions const& common) {
    // For a folder the usual name is appended. Files of groups and processes, and the lock file, have longer names.
    constexpr std::size_t more = 64;
    if (is_io(o.part))
        program::check_length(fmt::format("-file: cannot use '{}'", o.file), o.file, more);
    bool const synchronises = o.start ? *o.start == "slot" || *o.start == "roundtime" : o.method != Method::imb;
    if (o.sync && !synchronises)
        throw UsageError(is_imb(o.part)
                             ? "-sync_alg: only works with -start slot, -start roundtime, -method sync or -method both"
                             : "-sync_alg: only works with -start slot or -start roundtime");
    if (o.standard_error && o.policy && *o.policy != Policy::standard_error)
        throw UsageError("-stderr: only works with -iter_policy stderr");
    if (o.check.value_or(false) && o.threads.element == 1)
        throw UsageError("-check: only supports -datatype int");
    if (o.check.value_or(false) && o.reduced.value_or(ElementType::real32) != ElementType::real32)
        throw UsageError("-check: only supports -red_data_type float");
    if (o.check.value_or(false) && o.packing.value_or(Packing{}) != Packing{})
        throw UsageError("-check: only supports -contig_type base");
    bool const by_plan = o.start || o.standard_error || o.policy == Policy::standard_error;
    if ((common.stop || common.trim || common.confidence || common.strict) && !o.start && o.method == Method::imb)
        throw UsageError(
            is_imb(o.part)
                ? "-stop, -trim, -confidence and -strict: only work with -start, -method sync or -method both"
                : "-stop, -trim, -confidence and -strict: only work with -start");
    if (common.stop && (o.standard_error || o.policy == Policy::standard_error))
        throw UsageError("-stop: cannot be combined with -stderr or -iter_policy stderr");
    if (keeps_times(o) && (by_plan || o.check.value_or(false) || o.rounds > 1 || o.multi == 1 ||
                           o.method == Method::sync || o.format == Format::csv))
        throw UsageError(
            "-show_tail and -dumpfile: show single repetitions of one loop over all groups, so they cannot be combined "
            "with -start, -stderr, -iter_policy stderr, -check, -rounds, -multi 1, -method sync or "
            "-format csv");
    if (o.method != Method::imb && (by_plan || o.rounds > 1 || o.check.value_or(false)))
        throw UsageError("-method: cannot be combined with -start, -stderr, -iter_policy stderr, -rounds or -check");
    if (o.part == Part::imb_nbc && by_plan)
        throw UsageError("-stderr and -iter_policy stderr: not supported by IMB-NBC, which computes during a call");
    if (o.check.value_or(false) && by_plan)
        throw UsageError("-check: checks the repetitions of one loop, so it cannot be combined with -start, "
                         "-stderr or -iter_policy stderr");
    if (o.length_logs && !is_imb(o.part) && o.length_logs->first == o.length_logs->second)
        throw UsageError(fmt::format("-msglog: '{}:{}' is not [A:]B with 0 <= A < B <= 30", o.length_logs->first,
                                     o.length_logs->second));
    bool const listed = !o.length_file.empty() || o.sizes || !o.message_sizes.empty();
    if (o.length_logs && listed)
        throw UsageError(is_apart(o.part) ? "-msglog: cannot be combined with -msglen or -msgsz"
                                          : "-msglog: cannot be combined with -msglen or -msgsize");
    if (o.zero && listed)
        throw UsageError("-zero_size: cannot be combined with -msglen or -msgsize; add 0 to the list or leave it out");
    if (o.rounds > 1 && (by_plan || o.refine))
        throw UsageError(
            "-rounds: repeats the loops of the standard lengths and cannot be combined with -start, -stderr, "
            "-iter_policy stderr or -refine");
    if (o.barriers && o.start)
        throw UsageError("-n_barr: sets the barriers of the loop and cannot be combined with -start");
}

/// Applies the given options and notes each as a change.
class Resolver {
public:
    Resolver(Options const& o, Setup& s) : o_{o}, s_{s}, usual_{s} {}

    void numbers() {
        auto& p = s_.parameters;
        if (o_.iterations) {
            p.repetitions = o_.iterations->repetitions;
            p.volume = o_.iterations->volume.value_or(p.volume);
            p.non_aggregate = o_.iterations->non_aggregate.value_or(p.non_aggregate);
            change("-iter", iterations_text(p), iterations_text(standard_));
        }
        if (o_.length_logs) {
            std::tie(p.min_log, p.max_log) = *o_.length_logs;
            if (is_apart(o_.part))
                p.zero = p.min_log < 0;
            p.min_log = std::max(0, p.min_log);
            change("-msglog", logs_text(p), logs_text(standard_));
        }
        take(o_.zero, p.zero, "-zero_size", standard_.zero);
        take(o_.warm_up_repetitions, p.warm_up, "-n_warmup", standard_.warm_up);
        if (o_.warm_up) {
            p.warm_up = !*o_.warm_up ? 0 : std::max(p.warm_up, standard(Part::mpi1).warm_up);
            change("-warm_up", text(*o_.warm_up), text(standard_.warm_up > 0));
        }
        take(o_.barriers, p.barriers, "-n_barr", standard_.barriers);
        take(o_.cpu, p.cpu, "-cpu_secs", standard_.cpu);
        take(o_.write_sync, p.write_sync, "-sync_writes", standard_.write_sync);
    }

    /// \param given  explicit lengths  \param flag  the flag that gave them
    void explicit_lengths(std::vector<Bytes> given, std::string const& flag) {
        change(flag, fmt::format("{}", fmt::join(given, ",")), "0,1,2,4,..");
        s_.lengths = std::move(given);
    }

    void method() {
        take(o_.time, s_.time, "-time", "off");
        if (o_.policy || o_.standard_error) {
            s_.policy = o_.standard_error ? Policy::standard_error : *o_.policy;
            change("-iter_policy", text(s_.policy), text(usual_.policy));
        }
        take(o_.standard_error, s_.standard_error, "-stderr", "off");
        take(o_.refine, s_.refine, "-refine", "off");
        take(o_.start, s_.start, "-start", "loop");
        take(o_.sync, s_.sync, "-sync_alg", "none");
        take(o_.root_shift, s_.rotate_root, "-root_shift", usual_.rotate_root);
        take(o_.check, s_.check, "-check", false);
    }

    void imb() {
        auto& p = s_.parameters;
        take(o_.sync_behind, p.sync, "-sync", true);
        take(o_.dissemination, p.dissemination, "-imb_barrier", false);
        take(o_.tests, p.tests, "-tests_per_compute", standard_.tests);
        take(o_.window, p.window, "-window_size", standard_.window);
        if (o_.off_cache && !is_io(o_.part)) {
            p.cache = o_.off_cache->cache;
            p.cache_line = o_.off_cache->line;
            change("-off_cache", fmt::format("{},{}", p.cache, p.cache_line), "off");
        }
        take(o_.moved, p.moved, "-data_type", standard_.moved);
        take(o_.reduced, p.reduced, "-red_data_type", standard_.reduced);
        take(o_.packing, p.packing, "-contig_type", standard_.packing);
        if (o_.method == Method::sync)
            s_.start = "slot";
        s_.adds_synchronised = o_.method == Method::both;
        s_.mode = o_.mode;
        s_.pauses = o_.pauses;
        s_.keeps_times = keeps_times(o_);
        s_.show_tail = o_.show_tail && s_.keeps_times;
        p.threads = o_.threads;
        // A grid with one row or one column keeps the usual order.
        if (o_.map && o_.map->rows > 1 && o_.map->columns > 1) {
            s_.map = o_.map;
            change("-map", fmt::format("{}x{}", o_.map->rows, o_.map->columns), "1x1");
        }
    }

    void p2p() {
        auto& p = s_.parameters;
        if (!o_.message_sizes.empty())
            explicit_lengths(o_.message_sizes, "-msgsz");
        take(o_.pause, p.pause, "-pause", standard_.pause);
        take(o_.writes, p.writes, "-msgwr", true);
        take(o_.reads, p.reads, "-msgrd", true);
    }

    void mt() {
        auto const& t = s_.parameters.threads;
        s_.header = !o_.no_header;
        std::vector<Bytes> given;
        for (auto const count : o_.counts)
            given.push_back(count * t.element * t.threads);
        s_.lengths = std::move(given);
    }

    void change(std::string flag, std::string value, std::string standard) {
        s_.changes.push_back({std::move(flag), std::move(value), std::move(standard)});
    }

private:
    static std::string shown(bool on) { return text(on); }
    static std::string shown(int n) { return std::to_string(n); }
    static std::string shown(double x) { return text(x); }
    static std::string shown(measure::seconds duration) { return text(duration.count()); }
    static std::string shown(char const* word) { return word; }
    static std::string shown(std::string const& word) { return word; }
    static std::string shown(WriteSync sync) { return write_syncs().text(sync); }
    static std::string shown(ElementType type) { return moved_types().text(type); }
    static std::string shown(Packing packing) { return packings().text(packing); }
    template <class T, class Target, class Usual>
    void take(std::optional<T> const& given, Target& target, char const* flag, Usual const& usual) {
        if (!given)
            return;
        target = *given;
        change(flag, shown(*given), shown(usual));
    }

    Options const& o_;
    Setup& s_;
    Setup usual_;
    Parameters const& standard_ = usual_.parameters;
};

}  // namespace

std::vector<int> order_of(Setup const& setup, int processes) {
    if (!setup.map)
        return {};
    auto const [rows, columns] = *setup.map;
    if (std::int64_t{rows} * columns > processes)
        throw UsageError(fmt::format("-map: a grid of {}x{} needs more than {} processes", rows, columns, processes));
    return grid_order(processes, rows, columns);
}

std::vector<Mode> modes_of(Benchmark const& b, Setup const& setup) {
    return setup.mode && b.modes.size() > 1 ? std::vector{*setup.mode} : b.modes;
}

Setup usual_setup(Part part) {
    return {.part = part,
            .at_least = is_io(part) ? 1 : 2,
            .parameters = standard(part),
            .rotate_root = !is_imb(part),
            .time = is_imb(part) && !is_apart(part) ? std::optional<measure::seconds>{10} : std::nullopt,
            .policy = is_imb(part) ? Policy::dynamic : Policy::off};
}

Setup resolve(Options const& o, program::CommonOptions const& common, ReadFile const& read) {
    check(o, common);
    auto s = usual_setup(o.part);
    s.common = common;
    s.benchmarks = selected(o, read);
    s.at_least = o.at_least.value_or(s.at_least);
    s.multi = o.multi;
    s.memory_gbytes = o.memory;
    s.memory = static_cast<Bytes>(o.memory * static_cast<double>(measure::gibi));
    s.rounds = o.rounds;
    if (!o.output.empty() && o.output == common.json)
        throw UsageError(fmt::format("-o and --json: both name the file '{}'", o.output));
    if (!common.config.empty() && (o.output == common.config || o.dump == common.config))
        throw UsageError(fmt::format("{}: '{}' is the file of --config", o.output == common.config ? "-o" : "-dumpfile",
                                     common.config));
    Resolver resolver{o, s};
    resolver.numbers();
    if (!o.length_file.empty())
        resolver.explicit_lengths(lengths_in(o.length_file, read(o.length_file)), "-msglen");
    if (o.sizes)
        resolver.explicit_lengths(*o.sizes, "-msgsize");
    resolver.method();
    resolver.imb();
    resolver.p2p();
    if (o.part == Part::imb_mt)
        resolver.mt();
    if (common.timer != "mpi_wtime")
        resolver.change("-timer", common.timer, "mpi_wtime");
    if (common.stop)
        resolver.change("-stop", *common.stop, "count");
    if (common.trim)
        resolver.change("-trim", text(*common.trim * 100), "25");
    if (common.confidence)
        resolver.change("-confidence", text(*common.confidence), "0.95");
    for (Benchmark const* const b : s.benchmarks)
        if (b->target_computes && s.by_plan())
            throw UsageError(fmt::format(
                "-stderr and -iter_policy stderr: cannot be combined with {}, whose target computes", b->name));
    for (Benchmark const* const b : s.benchmarks)
        if (!b->standard)
            resolver.change("benchmark", std::string{b->name}, "not included");
    return s;
}

}  // namespace pmb
