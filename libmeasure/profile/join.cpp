// SPDX-License-Identifier: BSD-3-Clause
#include "profile/join.hpp"

#include "call_names.hpp"

#include <measure/error.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace measure::profile {

namespace {

constexpr double nanosecond = 1e-9;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Even a rank with its own core is occasionally preempted.
constexpr std::uint64_t few_preemptions = 10;
constexpr double often = 10;  // per second

double in_seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * nanosecond; }

/// Standard error of the mean of one rank's calls, in seconds; NaN for a single call.
double error_of(Entry const& entry) {
    if (entry.calls < 2)
        return unknown;
    auto const n = static_cast<double>(entry.calls);
    // Relative to an integer near the mean, the sum of squares is exact: unsigned overflow cancels in the result.
    auto const m = static_cast<Squares>(entry.time / entry.calls);
    auto const about = entry.squares - 2 * m * entry.time + static_cast<Squares>(entry.calls) * m * m;
    double const off = static_cast<double>(entry.time - static_cast<std::uint64_t>(m) * entry.calls) / n;
    double const deviations = static_cast<double>(about) - n * off * off;
    return std::sqrt(std::max(deviations, 0.0) / (n - 1) / n) * nanosecond;
}

/// Quantile from the histogram, with the values of a class spread evenly on a logarithmic scale.
double quantile(JoinedCalls const& of, double p) {
    auto const n = static_cast<double>(of.calls);
    double const wanted = p * (n - 1) + 0.5;
    double before = 0;
    std::size_t at = 0;
    while (at + 1 < time_classes && before + static_cast<double>(of.classes[at]) <= wanted)
        before += static_cast<double>(of.classes[at++]);
    double const share = of.classes[at] > 0 ? (wanted - before) / static_cast<double>(of.classes[at]) : 0.5;
    // The classes of the shortest and the longest time end at that time.
    double const low = std::max(first_of_time_class(at) * nanosecond, of.shortest);
    double const high =
        at + 1 < time_classes ? std::min(first_of_time_class(at + 1) * nanosecond, of.longest) : of.longest;
    return low > 0 ? low * std::pow(high / low, share) : high * share;
}

JoinedCalls of_rank(Entry const& entry, std::int32_t rank) {
    JoinedCalls one{.calls = entry.calls,
                    .moved = entry.moved,
                    .time = in_seconds(entry.time),
                    .waiting = in_seconds(entry.waiting),
                    .shortest = in_seconds(entry.shortest),
                    .longest = in_seconds(entry.longest),
                    .errors = static_cast<double>(entry.calls) * error_of(entry),
                    .ranks = 1,
                    .fewest = entry.calls,
                    .classes = entry.classes};
    one.means = one.time / static_cast<double>(entry.calls);
    one.mean.add(one.means, rank);
    one.median.add(quantile(one, 0.5), rank);
    one.total.add(one.time, rank);
    one.total_waiting.add(one.waiting, rank);
    return one;
}

std::size_t modules_of(RankTable const& table) { return std::min<std::size_t>(table.modules, table.module.size()); }

/// A table in a file may have any contents, after a crash of the host or a change by someone else.
bool is_damaged(RankTable const& table) {
    constexpr std::int32_t most_ranks = 1 << 24;
    constexpr std::int64_t year_10000 = 253'402'300'800;
    auto const has_end = [](auto const& text) { return std::find(text.begin(), text.end(), '\0') != text.end(); };
    return table.world < 1 || table.world > most_ranks || table.rank < 0 || table.rank >= table.world ||
           table.started < 0 || table.started >= year_10000 || !has_end(table.host) || !has_end(table.timer) ||
           !std::all_of(table.module.begin(), table.module.begin() + modules_of(table),
                        [&](Module const& module) { return has_end(module.path); });
}

std::string site_text(RankTable const& table, std::uint64_t address) {
    if (address == 0)
        return {};
    for (std::size_t i = 0; i < modules_of(table); ++i)
        if (Module const& module = table.module[i]; module.begin <= address && address < module.end)
            return fmt::format("{}+{:#x}", module.path.data(), address - module.base);
    return fmt::format("?+{:#x}", address);
}

/// Adds the entry of another thread of the same rank.
void add_entry(Entry& sum, Entry const& entry) {
    if (sum.calls == 0) {
        sum = entry;
        return;
    }
    sum.calls += entry.calls;
    sum.moved.sent += entry.moved.sent;
    sum.moved.received += entry.moved.received;
    sum.time += entry.time;
    sum.squares += entry.squares;
    sum.waiting += entry.waiting;
    sum.shortest = std::min(sum.shortest, entry.shortest);
    sum.longest = std::max(sum.longest, entry.longest);
    for (std::size_t i = 0; i < time_classes; ++i)
        sum.classes[i] += entry.classes[i];
}

class Writer {
public:
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void operator()(T const& value) { bytes.append(reinterpret_cast<char const*>(&value), sizeof value); }
    void operator()(std::string const& text) {
        operator()(text.size());
        bytes += text;
    }
    std::string bytes{};
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_{bytes} {}
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void operator()(T& value) { std::memcpy(&value, take(sizeof value).data(), sizeof value); }
    void operator()(std::string& text) {
        std::size_t n = 0;
        operator()(n);
        text = take(n);
    }

private:
    std::string_view take(std::size_t n) {
        if (n > bytes_.size())
            throw std::runtime_error("a part of the profile is truncated");
        auto const part = bytes_.substr(0, n);
        bytes_.remove_prefix(n);
        return part;
    }
    std::string_view bytes_;
};

void each_total(auto& joined, auto&& action) {
    action(joined.world);
    action(joined.other_calls);
    action(joined.unrecorded);
    action(joined.backward);
    action(joined.not_followed);
    action(joined.counts_only);
    action(joined.waits);
    action(joined.sites);
}

Estimate estimate_of(JoinedCalls const& of) {
    auto const n = static_cast<double>(of.calls);
    Estimate e{.value = of.time / n, .min = of.shortest, .max = of.longest};
    e.samples = e.kept = static_cast<std::size_t>(of.calls);
    if (std::isfinite(of.errors)) {
        e.standard_error = of.errors / n;
        double const half =
            student_quantile(e.confidence, std::max(static_cast<double>(of.fewest) - 1, 1.0)) * *e.standard_error;
        e.interval = Interval{e.value - half, e.value + half};
    }
    e.median = quantile(of, 0.5);
    for (double const p : {0.05, 0.25, 0.75, 0.95})
        e.quantiles[p] = quantile(of, p);
    return e;
}

Value extremes_of(Extremes const& extremes) {
    return Value::Object{{"min", extremes.least},
                         {"min_rank", extremes.least_rank},
                         {"max", extremes.most},
                         {"max_rank", extremes.most_rank}};
}

Value over_ranks(Extremes const& extremes, double sum, double ranks) {
    Value value = extremes_of(extremes);
    value["sum"] = sum;
    value["mean"] = sum / ranks;
    return value;
}

Record record_of(JoinedKey const& key, JoinedCalls const& of, Joined const& all) {
    CallName const& name = call_names[key.call];
    Record record{.benchmark = std::string{name.name}};
    if (key.ranks > 0)
        record.at.set("ranks", std::int64_t{key.ranks});
    record.at.set("bytes", static_cast<std::int64_t>(first_of_class(key.size_class)));
    if (!key.site.empty())
        record.at.set("site", key.site);
    auto const calls = static_cast<std::int64_t>(of.calls);
    record.attempts = record.valid = record.kept = calls;
    record.stop_reason = "application_end";
    auto const ranks = static_cast<double>(of.ranks);
    record.derived["calls"] = calls;
    record.derived["sent"] = static_cast<std::int64_t>(of.moved.sent);
    record.derived["received"] = static_cast<std::int64_t>(of.moved.received);
    record.derived["called_by"] = static_cast<std::int64_t>(of.ranks);
    if (all.counts_only) {
        record.quantity = Quantity::count;
        record.value = static_cast<double>(of.calls);
        return record;
    }
    auto const estimate = estimate_of(of);
    record.value = estimate.value;
    record.estimate = estimate;
    record.over_ranks = RankSpread{.min = of.mean.least, .mean = of.means / ranks, .max = of.mean.most};
    record.elapsed = seconds{of.total.most};
    record.derived["total"] = over_ranks(of.total, of.time, ranks);
    record.derived["means"] = extremes_of(of.mean);
    record.derived["medians"] = extremes_of(of.median);
    if (all.waits && name.meets)
        record.derived["waiting"] = over_ranks(of.total_waiting, of.waiting, ranks);
    Value::Array classes;
    std::size_t last = time_classes;
    while (last > 0 && of.classes[last - 1] == 0)
        --last;
    for (std::size_t i = 0; i < last; ++i)
        classes.emplace_back(static_cast<std::int64_t>(of.classes[i]));
    record.derived["histogram"] = std::move(classes);
    return record;
}

/// One entry per rank, in order. An unknown time is null.
Value by_rank(Joined const& joined) {
    auto ranks = joined.ranks;
    std::sort(ranks.begin(), ranks.end(), [](auto const& a, auto const& b) { return a.rank < b.rank; });
    Value::Array list;
    for (auto const& rank : ranks) {
        Value entry = Value::Object{{"rank", rank.rank},
                                    {"calls", static_cast<std::int64_t>(rank.calls)},
                                    {"time", std::isfinite(rank.time) ? Value{rank.time} : Value{}},
                                    {"in_mpi", rank.in_mpi}};
        if (joined.waits)
            entry["waiting"] = rank.waiting;
        list.push_back(std::move(entry));
    }
    return list;
}

std::string_view text_of(Ending ending) {
    switch (ending) {
    case Ending::finalized:
        return "finalized";
    case Ending::aborted:
        return "aborted";
    case Ending::exited:
        return "exited";
    case Ending::signalled:
        return "signalled";
    case Ending::none:
        break;
    }
    return "killed";
}

}  // namespace

void Extremes::add(Extremes const& other) noexcept {
    if (other.least_rank >= 0 && (least_rank < 0 || other.least < least)) {
        least = other.least;
        least_rank = other.least_rank;
    }
    if (other.most_rank >= 0 && (most_rank < 0 || other.most > most)) {
        most = other.most;
        most_rank = other.most_rank;
    }
}

void JoinedCalls::add(JoinedCalls const& other) noexcept {
    if (calls == 0) {
        *this = other;
        return;
    }
    calls += other.calls;
    moved.sent += other.moved.sent;
    moved.received += other.moved.received;
    time += other.time;
    waiting += other.waiting;
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
    errors += other.errors;
    ranks += other.ranks;
    fewest = std::min(fewest, other.fewest);
    means += other.means;
    mean.add(other.mean);
    median.add(other.median);
    total.add(other.total);
    total_waiting.add(other.total_waiting);
    for (std::size_t i = 0; i < time_classes; ++i)
        classes[i] += other.classes[i];
}

void Joined::add(Joined const& other) {
    for (auto const& [key, of] : other.calls)
        calls[key].add(of);
    ranks.insert(ranks.end(), other.ranks.begin(), other.ranks.end());
    world = std::max(world, other.world);
    other_calls += other.other_calls;
    unrecorded += other.unrecorded;
    backward += other.backward;
    not_followed += other.not_followed;
    counts_only = counts_only || other.counts_only;
    waits = waits || other.waits;
    sites = sites || other.sites;
}

Joined joined(RankTable const& table) {
    if (table.magic != RankTable::mark || table.bytes != sizeof table || table.names != names_mark())
        throw UsageError("a rank was recorded by another version of the library");
    if (is_damaged(table))
        throw UsageError("it is damaged");
    constexpr auto last_size_class = size_class_of(std::numeric_limits<std::uint64_t>::max());
    std::map<JoinedKey, Entry> entries;
    Joined result{.world = table.world,
                  .unrecorded = table.unrecorded.load(),
                  .backward = table.backward.load(),
                  .not_followed = table.not_followed.load(),
                  .counts_only = table.counts_only != 0,
                  .waits = table.waits != 0,
                  .sites = table.sites != 0};
    for (std::size_t t = 0; t < std::min<std::size_t>(table.threads.load(), most_threads); ++t) {
        ThreadTable const& thread = table.thread[t];
        for (std::size_t i = 0; i < std::min<std::size_t>(thread.entries, most_keys); ++i)
            if (Entry const& entry = thread.entry[i];
                entry.calls > 0 && entry.key.call < call_names.size() && entry.key.size_class <= last_size_class)
                add_entry(
                    entries[{entry.key.call, entry.key.size_class, entry.key.ranks, site_text(table, entry.key.site)}],
                    entry);
        if (thread.other.calls > 0) {
            result.other_calls += thread.other.calls;
            add_entry(entries[{}], thread.other);
        }
    }
    JoinedRank rank{.rank = table.rank,
                    .time = table.end > table.begin ? in_seconds(table.end - table.begin) : unknown,
                    .preempted = table.end > table.begin ? table.preempted : 0,
                    .ending = table.ending.load(),
                    .signal = table.signal};
    for (auto const& [key, entry] : entries) {
        rank.calls += entry.calls;
        rank.in_mpi += in_seconds(entry.time + entry.waiting);
        rank.waiting += in_seconds(entry.waiting);
        result.calls.emplace(key, of_rank(entry, table.rank));
    }
    result.ranks.push_back(rank);
    return result;
}

std::string packed(Joined const& joined) {
    Writer write;
    each_total(joined, write);
    write(joined.ranks.size());
    for (auto const& rank : joined.ranks)
        write(rank);
    write(joined.calls.size());
    for (auto const& [key, of] : joined.calls) {
        write(key.call);
        write(key.size_class);
        write(key.ranks);
        write(key.site);
        write(of);
    }
    return std::move(write.bytes);
}

Joined unpacked(std::string_view bytes) {
    Reader read{bytes};
    Joined joined;
    each_total(joined, [&](auto& total) { read(total); });
    std::size_t n = 0;
    read(n);
    for (; n > 0; --n)
        read(joined.ranks.emplace_back());
    read(n);
    for (; n > 0; --n) {
        JoinedKey key;
        read(key.call);
        read(key.size_class);
        read(key.ranks);
        read(key.site);
        read(joined.calls[key]);
    }
    return joined;
}

void describe(Joined const& joined, Environment& run) {
    std::vector<int> recorded;
    std::map<std::string_view, std::vector<int>> endings;
    Extremes time;
    Extremes in_mpi;
    Extremes share;
    double times = 0;
    double in_mpis = 0;
    double shares = 0;
    std::size_t known = 0;
    std::uint64_t calls = 0;
    std::uint64_t preempted = 0;
    for (auto const& rank : joined.ranks) {
        recorded.push_back(rank.rank);
        endings[text_of(rank.ending)].push_back(rank.rank);
        calls += rank.calls;
        preempted += rank.preempted;
        in_mpi.add(rank.in_mpi, rank.rank);
        in_mpis += rank.in_mpi;
        if (!std::isfinite(rank.time) || !(rank.time > 0))
            continue;
        ++known;
        time.add(rank.time, rank.rank);
        times += rank.time;
        share.add(rank.in_mpi / rank.time, rank.rank);
        shares += rank.in_mpi / rank.time;
    }
    auto const ranges = [](std::vector<int> ranks) {
        std::sort(ranks.begin(), ranks.end());
        return rank_ranges(ranks);
    };
    Value profile = Value::Object{};
    profile["world"] = joined.world;
    profile["recorded"] = ranges(recorded);
    std::vector<int> missing;
    std::sort(recorded.begin(), recorded.end());
    for (int rank = 0; rank < joined.world; ++rank)
        if (!std::binary_search(recorded.begin(), recorded.end(), rank))
            missing.push_back(rank);
    profile["missing"] = ranges(missing);
    profile["endings"] = Value::Object{};
    for (auto const& [how, ranks] : endings)
        profile["endings"][how] = ranges(ranks);
    profile["calls"] = static_cast<std::int64_t>(calls);
    profile["preempted"] = static_cast<std::int64_t>(preempted);
    profile["other_calls"] = static_cast<std::int64_t>(joined.other_calls);
    profile["unrecorded_calls"] = static_cast<std::int64_t>(joined.unrecorded);
    profile["backward_calls"] = static_cast<std::int64_t>(joined.backward);
    profile["requests_not_followed"] = static_cast<std::int64_t>(joined.not_followed);
    if (!joined.counts_only) {
        auto const ranks = static_cast<double>(joined.ranks.size());
        bool const all_known = known == joined.ranks.size();
        profile["time"] = all_known ? over_ranks(time, times, ranks) : Value{};
        profile["in_mpi"] = over_ranks(in_mpi, in_mpis, ranks);
        profile["share"] = all_known ? over_ranks(share, shares, ranks) : Value{};
        profile["by_rank"] = by_rank(joined);
    }
    run.more.emplace_back("profile", std::move(profile));
    if (!missing.empty())
        run.warnings.push_back(fmt::format("no data from rank{} {}", missing.size() > 1 ? "s" : "", ranges(missing)));
    for (auto const& [how, ranks] : endings)
        if (how != "finalized")
            run.warnings.push_back(
                fmt::format("rank{} {} ended without MPI_Finalize ({}); calls until then are included",
                            ranks.size() > 1 ? "s" : "", ranges(ranks), how));
    if (!joined.counts_only && preempted > few_preemptions && static_cast<double>(preempted) > often * times)
        run.warnings.push_back(fmt::format(
            "ranks were preempted {} times by other programs or ranks; the times include these interruptions",
            preempted));
    if (joined.other_calls > 0)
        run.warnings.push_back(fmt::format("{} calls are counted as 'other': they had more different keys than a rank "
                                           "can store ({})",
                                           joined.other_calls, most_keys));
    if (joined.unrecorded > 0)
        run.warnings.push_back(
            fmt::format("{} calls were not recorded: more than {} threads at the same time, or out of memory",
                        joined.unrecorded, most_threads));
    if (joined.backward > 0)
        run.warnings.push_back(
            fmt::format("calls that are not counted because the clock went back during the call: {}", joined.backward));
    if (joined.not_followed > 0)
        run.warnings.push_back(fmt::format("{} requests were not tracked because too many were active at the same "
                                           "time; their waits and tests are counted with 0 bytes",
                                           joined.not_followed));
}

std::vector<Record> points(Joined const& joined) {
    std::vector<Record> records;
    records.reserve(joined.calls.size());
    for (auto const& [key, of] : joined.calls)
        records.push_back(record_of(key, of, joined));
    return records;
}

std::vector<std::string> command_of(RankTable const& table) {
    std::vector<std::string> words;
    char const* const end = table.command.data() + table.command.size();
    for (char const* word = table.command.data(); word < end && *word != '\0'; word += words.back().size() + 1)
        words.emplace_back(word, ::strnlen(word, static_cast<std::size_t>(end - word)));
    return words;
}

}  // namespace measure::profile
