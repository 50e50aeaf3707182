// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/partition.hpp"

#include "b_eff_io/place.hpp"
#include "b_eff_io/record.hpp"
#include "b_eff_io/report.hpp"
#include "program/runtime/stderr_line.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace b_eff_io {

using measure::Bytes;

namespace {

/// Whether a disk share limits the initial write. The other types write no more than the types with a share.
bool shares_disk(Type type) noexcept { return type < Type::segmented; }

/// Finds the neighbour of a team. Collective.
Neighbor find_neighbor(measure::Comm const& team) {
    auto const node = team.node();
    int first = team.rank();
    node.broadcast(first);
    auto nodes = team.gather(first);
    team.broadcast(nodes);
    return neighbor(nodes);
}

}  // namespace

Partition::Partition(Shared const& shared, int number, int processes)
    : shared_{shared}, number_{number}, team_{shared.session.world().first_ranks(processes)} {
    result_.processes = processes;
    if (team_ && shared_.setting.read_neighbor)
        result_.neighbor = find_neighbor(*team_);
}

Task Partition::task() const {
    return {.team = *team_,
            .timer = shared_.timer,
            .written = shared_.written,
            .read = shared_.read,
            .messages = shared_.setting.messages,
            .control = shared_.session.control()};
}

std::string Partition::path(Type type, int rank) const {
    return path_in(shared_.setting.directory, data_name(number_, result_.processes, type, rank));
}

/// Writes to the protocol, which only the root has. Other processes learn of an error at the next meeting.
void Partition::say(std::string const& text) {
    shared_.protocol.stream() << text;
    try {
        shared_.protocol.flush();
    } catch (std::exception const& error) {
        shared_.session.fail(error.what());
    }
}

void Partition::try_direct() {
    auto const& s = shared_.setting;
    if (!s.direct)
        return;
    int const rank = team_->rank();
    auto const name = path(Type::separated, rank);
    program::TemporaryFile const temporary{name, program::Unlinks::here};
    DataFile file{*team_, s, Type::separated, name, rank};
    file.look(Access::write, true);
    if (!file.trouble().any()) {
        Info const info{shared_.hints.at_open(result_.processes, Access::write, Type::separated)};
        file.open(Access::write, info.native(), 0);
        file.close();
    }
    if (auto const trouble = agreed_text(*team_, file.trouble()); !trouble.empty())
        throw measure::UsageError("--direct: " + trouble);
}

void Partition::try_shared_pointer() {
    auto const& s = shared_.setting;
    if (!s.shared_pointer || !s.measures(Access::write, Type::shared))
        return;
    auto const name = path(Type::shared, team_->rank());
    program::TemporaryFile const temporary{name,
                                           owns(Type::shared) ? program::Unlinks::here : program::Unlinks::elsewhere};
    DataFile file{*team_, s, Type::shared, name, team_->rank()};
    file.look(Access::write, owns(Type::shared));
    if (auto const trouble = agreed_text(*team_, file.trouble()); !trouble.empty())
        throw measure::UsageError("-p: " + trouble);
    Info const info{shared_.hints.at_open(result_.processes, Access::write, Type::shared)};
    file.open(Access::write, info.native(), 0);
    guard_pointer(file);
    auto trouble = agreed_text(*team_, file.trouble());
    if (trouble.empty()) {
        Element value = 0;
        auto const transfer = file.transfer(Access::write);
        file.trouble().ok(transfer.call({.file = file.native(), .buffer = &value, .count = 1, .type = MPI_DOUBLE}),
                          transfer.name);
        trouble = agreed_text(*team_, file.trouble());
    }
    file.close();
    temporary_pointers_.clear();
    if (!trouble.empty())
        throw measure::UsageError(fmt::format(
            "-p: no shared file pointer on this file system (use -noshared to run without it): {}", trouble));
    team_->barrier();
}

void Partition::measure(Access access) {
    if (access == Access::read)
        say(neighbor_line(result_, shared_.setting));
    for (Type const type : all_types)
        if (shared_.setting.measures(access, type))
            measure(access, type);
    say(access_line(result_, access, shared_.setting));
    if (auto const summary = access_summary(result_, access, shared_.setting))
        shared_.session.summary(*summary);
    if (shared_.setting.random)
        measure(access, Type::random);
}

void Partition::measure(Access access, Type type) {
    int const of = owner(access, type, team_->rank());
    // Orders the processes by the data that they access. If offsets decreased from rank to rank, MPI-IO would exchange
    // the data of each collective call between processes.
    std::optional<measure::Comm> by_owner;
    if (shift(access, type) != 0 && type != Type::separated)
        by_owner = team_->split(0, of);
    DataFile file{by_owner ? *by_owner : *team_, shared_.setting, type, path(type, of), of};
    TypeTimes times{.shift = shift(access, type)};
    displaced_ = false;
    if (stopped(type).empty() && open(file, access, type, times))
        for (Pattern const& pattern : patterns_of(type))
            if (!execute(file, access, pattern))
                break;
    if (!stopped(type).empty()) {
        for (Pattern const& pattern : patterns_of(type))
            if (!at(access, pattern).measured)
                skip(access, pattern,
                     result_.stopped.empty() ? "random access was stopped" : "the partition was stopped");
        return;
    }
    auto const self = task();
    auto const close = time_between_barriers(self, [&] { file.close(); });
    times.close = close.value_or(0);
    times.is_backward |= !close;
    temporary_pointers_.clear();
    if (auto const trouble = agreed_text(*team_, file.trouble()); !trouble.empty()) {
        shared_.session.fail(fmt::format("{}: {}", file.path(), trouble));
        return stop(file, type, trouble);
    }
    if (access == Access::read)
        temporary_[index(type)].reset();
    result_.at(access).types[index(type)] = times;
    say(type_line(access, type, *type_volume(result_.at(access), type), times, result_.segment[index(type)]));
    say(unsettled_line(result_.at(access), type));
    shared_.session.summary(type_summary(result_, access, type));
}

bool Partition::open(DataFile& file, Access access, Type type, TypeTimes& times) {
    if (access == Access::write) {
        guard(file, type);
        disk_.emplace(shared_.setting, result_.processes);
        if (is_segmented(type))
            compute_segment();
    }
    shared_.session.next(fmt::format("opening for {} {} ranks={}", name(access), name(type), result_.processes));
    auto const hints = shared_.hints.at_open(result_.processes, access, type);
    file.look(access, owns(type));
    auto trouble = agreed_text(*team_, file.trouble());
    if (trouble.empty()) {
        Info const info{hints};
        auto const self = task();
        auto const open = time_between_barriers(self, [&] { file.open(access, info.native(), segment_.size); });
        times.open = open.value_or(0);
        times.is_backward |= !open;
        guard_pointer(file);
        trouble = agreed_text(*team_, file.trouble());
    }
    if (!trouble.empty()) {
        Pattern const& first = patterns_of(type).front();
        auto& result = resolve_lengths(access, first);
        result.measured = result.io_error = true;
        write(access, first, {.result = result, .trouble = trouble});
        stop(file, type, trouble);
        return false;
    }
    if (shared_.shows_hints)
        say(fmt::format("  hints at open: {}\n  hints in use: {}\n", text(hints), text(hints_in_use(file.native()))));
    return true;
}

/// Ensures that files are removed. Normally the root removes a shared file, but a signal can end any process alone.
void Partition::guard(DataFile const& file, Type type) {
    if (!shared_.setting.keep)
        temporary_[index(type)].emplace(file.path(), owns(type) ? program::Unlinks::here : program::Unlinks::elsewhere);
}

void Partition::guard_pointer(DataFile& file) {
    if (!file.shared_pointer())
        return;
    team_->barrier();
    if (!team_->is_root())
        return;
    auto const hidden = bodies::pointer_files(file.path());
    for (auto const& name : hidden)
        temporary_pointers_.emplace_back(name);
    try {
        bodies::begin_pointers(hidden);
    } catch (std::exception const& error) {
        file.trouble().note(error.what());
    }
}

void Partition::compute_segment() {
    std::array<Repetitions, 3> counts;
    for (std::size_t t = 0; t < counts.size(); ++t)
        for (Pattern const& pattern : patterns_of(all_types[t]))
            counts[t].push_back(at(Access::write, pattern).repetitions);
    segment_ = segment(counts, shared_.setting.m_part);
    for (Type const type : {Type::segmented, Type::seg_coll})
        result_.segment[index(type)] = segment_.size;
}

Bytes Partition::begin_of(Pattern const& pattern) {
    Bytes begin = 0;
    for (Pattern const& p : patterns_of(pattern.type)) {
        if (p.number == pattern.number)
            break;
        auto const& written = at(Access::write, p);
        begin += written.repetitions * written.length;
    }
    return pattern.type == Type::separated ? begin : begin * result_.processes;
}

RandomPart Partition::part_of(Pattern const& pattern) {
    Repetitions separated;
    for (Pattern const& p : patterns_of(Type::separated))
        separated.push_back(at(Access::write, p).repetitions);
    auto const k = static_cast<std::size_t>(pattern.number - patterns_of(Type::random).front().number);
    return random_part(separated, k, result_.processes, shared_.setting.m_part);
}

measure::LoopLimit Partition::limit(Access access, Pattern const& pattern, PatternResult const& lengths) {
    measure::LoopLimit limit{.termination = shared_.setting.termination};
    bool const timed = pattern.units > 0 && !is_segmented(pattern.type);
    if (timed)
        limit.until = measure::seconds{lengths.scheduled};
    if (access != Access::write) {
        limit.at_most = at(Access::write, pattern).repetitions;
    } else if (pattern.type == Type::random) {
        limit.at_most = part_of(pattern).slots / result_.processes;
    } else if (!timed) {
        auto const in_type = static_cast<std::size_t>(pattern.number - patterns_of(pattern.type).front().number);
        limit.at_most = pattern.units > 0 ? segment_.repetitions[in_type] : 1;
    }
    if (access == Access::write && shares_disk(pattern.type)) {
        auto const room = disk_->most_calls(pattern.units, lengths.length);
        limit.at_most = timed ? room : limit.at_most;
    }
    return limit;
}

PatternResult& Partition::resolve_lengths(Access access, Pattern const& pattern) {
    auto& result = at(access, pattern);
    result.chunk = resolve(pattern.chunk, shared_.setting.m_part, segment_.fill);
    result.length = resolve(pattern.length, shared_.setting.m_part, segment_.fill);
    return result;
}

Step Partition::step(Access access, Pattern const& pattern) {
    auto const& setting = shared_.setting;
    auto& result = resolve_lengths(access, pattern);
    result.scheduled = scheduled(setting, pattern.units);
    bool const rewritten = access == Access::read && setting.measures(Access::rewrite, pattern.type);
    bool const random = pattern.type == Type::random;
    auto const part = random ? part_of(pattern) : RandomPart{};
    return {.pattern = pattern,
            .access = access,
            .chunk = result.chunk,
            .length = result.length,
            .limit = result.length > 0 ? limit(access, pattern, result) : measure::LoopLimit{},
            .position = random ? part.begin : begin_of(pattern),
            .seek = displaced_ && !random,
            .order = random ? std::optional{RandomOrder{part.slots, pattern.number}} : std::nullopt,
            .rewritten = rewritten ? at(Access::rewrite, pattern).repetitions : 0,
            .hints = shared_.hints.at_pattern(result_.processes, access, pattern.type, pattern.chunk)};
}

bool Partition::execute(DataFile& file, Access access, Pattern const& pattern) {
    auto const now = step(access, pattern);
    if (now.length == 0) {
        at(access, pattern).measured = true;
        shared_.session.left_out(skipped_point(result_.processes, access, pattern, at(access, pattern),
                                               "the segment is full: nothing is left to fill"));
        return true;
    }
    shared_.session.next(fmt::format("{} {} pattern={} ranks={} chunk={}", name(access), name(pattern.type),
                                     pattern.number, result_.processes, now.chunk));
    auto outcome = b_eff_io::execute(task(), file, now);
    if (outcome.word != 0) {
        file.close();
        throw measure::Interrupted(outcome.word);
    }
    note(access, pattern, now, outcome);
    if (shared_.shows_hints)
        say(fmt::format("  hints for the pattern: {}\n  hints in use: {}\n", text(now.hints),
                        text(hints_in_use(file.native()))));
    write(access, pattern, outcome);
    if (outcome.trouble.empty())
        return true;
    stop(file, pattern.type, outcome.trouble);
    return false;
}

/// Adds the parts of a result that depend on the other patterns.
void Partition::note(Access access, Pattern const& pattern, Step const& step, Outcome& outcome) {
    auto& result = outcome.result;
    result.scheduled = at(access, pattern).scheduled;
    bool const timed = step.limit.until.has_value() && !result.io_error;
    bool const complete = result.repetitions == step.limit.at_most;
    result.disk_limited = timed && access == Access::write && complete && shares_disk(pattern.type);
    result.time_limited = timed && access != Access::write && !complete;
    displaced_ = result.time_limited;
    if (access == Access::write && shares_disk(pattern.type))
        disk_->used(result.repetitions * step.length * result_.processes);
    at(access, pattern) = result;
}

void Partition::write(Access access, Pattern const& pattern, Outcome const& outcome) {
    if (!team_->is_root())
        return;
    auto const& result = outcome.result;
    auto const begin = std::string_view{"b_eff_io_data_"}.size();
    say(pattern_line(
        result_.processes, access, pattern, result,
        data_name(number_, result_.processes, pattern.type, owner(access, pattern.type, 0)).substr(begin)));
    for (auto const& message : outcome.messages) {
        auto const line = fmt::format("n={} {} {} pattern {}: {}", result_.processes, name(access), name(pattern.type),
                                      pattern.number, message);
        say(fmt::format("  {}\n", line));
        program::stderr_line(fmt::format("b_eff_io: error: {}", line));
    }
    auto record = point(result_.processes, access, pattern, result, outcome.trouble);
    if (team_->oversubscribed())
        record.flag("oversubscribed");
    if (result.io_error || result.errors == 0) {
        shared_.session.point(record);
    } else {
        // A failed check is not a failure of the run.
        shared_.session.left_out(record);
        shared_.session.check_failed();
    }
}

/// Stops the partition or random access. All processes of the team call this together.
void Partition::stop(DataFile& file, Type stopped, std::string const& reason) {
    bool const alone = stopped == Type::random;
    (alone ? result_.random_stopped : result_.stopped) = reason;
    say(fmt::format("{} stopped: {}\n", alone ? "random access is" : "the partition is", reason));
    file.close();
    temporary_pointers_.clear();
    for (Type const type : with_random) {
        if (alone && type != stopped)
            continue;
        if (owns(type))
            ::unlink(path(type, team_->rank()).c_str());
        temporary_[index(type)].reset();
    }
}

void Partition::skip(Access access, Pattern const& pattern, std::string const& reason) {
    shared_.session.point(skipped_point(result_.processes, access, pattern, resolve_lengths(access, pattern), reason));
}

void Partition::skip(Access access, std::string const& reason) {
    for (Type const type : with_random)
        if (shared_.setting.measures(access, type))
            for (Pattern const& pattern : patterns_of(type))
                skip(access, pattern, reason);
}

}  // namespace b_eff_io
