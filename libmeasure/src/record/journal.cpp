// SPDX-License-Identifier: BSD-3-Clause
#include "measure/journal.hpp"

#include "core/hash.hpp"
#include "measure/error.hpp"
#include "record/line_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

namespace measure {

namespace {

/// Escapes control characters and the escape character as %XX, and blanks unless they are kept.
std::string escaped(std::string_view text, bool keeps_blanks = false) {
    std::string field;
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f || c == '%' || (c == ' ' && !keeps_blanks))
            field += fmt::format("%{:02X}", byte);
        else
            field += c;
    }
    return field;
}

std::string named(std::string_view name, bool keeps_blanks = false) {
    if (name.empty())
        throw UsageError("journal: empty field");
    return escaped(name, keeps_blanks);
}

/// Escapes a text that ends a line and may contain blanks.
std::string last(std::string_view text) { return named(text, true); }

std::string extent_text(JournalExtent const& extent) {
    return fmt::format("offset={} record={}", extent.output, extent.record);
}

/// An error in a line; thrown and caught in this file.
struct Malformed {
    std::string what;
};

template <class Integer>
Integer integer(std::string_view digits, int base = 10) {
    Integer value{};
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 0)
        throw Malformed{fmt::format("'{}' is not a count", digits)};
    return value;
}

std::string unescaped(std::string_view field) {
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] != '%') {
            text += field[i];
            continue;
        }
        if (i + 2 >= field.size())
            throw Malformed{fmt::format("'{}' ends inside an escape", field)};
        text += static_cast<char>(integer<int>(field.substr(i + 1, 2), 16));
        i += 2;
    }
    return text;
}

/// The fields of one line, read from left to right.
class Fields {
public:
    explicit Fields(std::string_view line) : rest_{line} {}

    std::string_view next(char const* what) {
        if (rest_.empty())
            throw Malformed{fmt::format("{} is missing", what)};
        auto const end = std::min(rest_.find(' '), rest_.size());
        auto const field = rest_.substr(0, end);
        if (field.empty())
            throw Malformed{fmt::format("{} is empty", what)};
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return field;
    }

    /// The value of the next field, which must be `key=value`.
    std::string_view value_of(char const* key) {
        auto const field = next(key);
        auto const prefix = std::string{key} + '=';
        if (!field.starts_with(prefix))
            throw Malformed{fmt::format("'{}' found where {}= is expected", field, key)};
        return field.substr(prefix.size());
    }

    /// The rest of the line.
    std::string_view last(char const* what) {
        if (rest_.empty())
            throw Malformed{fmt::format("{} is missing", what)};
        return std::exchange(rest_, {});
    }

    [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }

private:
    std::string_view rest_;
};

JournalRun run_of(Fields& fields) {
    JournalRun run;
    run.id = unescaped(fields.next("the run's name"));
    run.format = integer<int>(fields.next("the format"));
    run.processes = integer<int>(fields.value_of("procs"));
    run.configuration = unescaped(fields.value_of("config"));
    run.output = unescaped(fields.value_of("out"));
    run.date = unescaped(fields.value_of("date"));
    return run;
}

JournalExtent extent_of(Fields& fields) {
    auto const output = integer<std::int64_t>(fields.value_of("offset"));
    return {output, integer<std::int64_t>(fields.value_of("record"))};
}

JournalUnit& unit_of(JournalState& state, std::string const& name) {
    auto const found =
        std::find_if(state.units.begin(), state.units.end(), [&](auto const& u) { return u.name == name; });
    if (found != state.units.end())
        return *found;
    return state.units.emplace_back(JournalUnit{.name = name});
}

using State = JournalUnit::State;

void apply_to_unit(JournalState& state, std::string_view event, Fields& fields) {
    auto const name = unescaped(fields.next("the unit's name"));
    auto const close = [&](State closed) {
        auto const extent = extent_of(fields);
        auto& unit = unit_of(state, name);
        unit.state = closed;
        unit.reason = closed == State::skipped ? unescaped(fields.last("the reason")) : "";
        state.extent = extent;
    };

    if (event == "BEGIN") {
        unit_of(state, name).state = State::open;
    } else if (event == "POINT") {
        fields.last("the text");
    } else if (event == "DONE") {
        close(State::done);
    } else if (event == "SKIP") {
        close(State::skipped);
    } else if (event == "ABANDON") {
        close(State::abandoned);
    } else if (event == "INTERRUPT") {
        unit_of(state, name).state = State::interrupted;
    } else if (event == "CRASH") {
        auto const count = integer<int>(fields.next("the count"));
        auto& unit = unit_of(state, name);
        unit.state = State::crashed;
        unit.crashes = count;
    } else {
        throw Malformed{fmt::format("unknown event '{}'", event)};
    }
}

void apply(JournalState& state, std::string_view line) {
    Fields fields{line};
    auto const event = fields.next("the event");
    if (event == "RUN") {
        auto run = run_of(fields);
        state = {};
        state.run = std::move(run);
    } else if (!state.run) {
        throw Malformed{fmt::format("'{}' before the first RUN", event)};
    } else if (event == "END") {
        if (unescaped(fields.next("the run's name")) != state.run->id)
            throw Malformed{"END of another run"};
        state.ended = true;
    } else {
        apply_to_unit(state, event, fields);
    }
    if (!fields.empty())
        throw Malformed{"more fields than expected"};
}

}  // namespace

bool JournalUnit::finished() const noexcept {
    return state == State::done || state == State::skipped || state == State::abandoned;
}

JournalUnit const* JournalState::find(std::string_view name) const noexcept {
    auto const found = std::find_if(units.begin(), units.end(), [&](auto const& u) { return u.name == name; });
    return found == units.end() ? nullptr : &*found;
}

std::vector<std::string> JournalState::open() const {
    std::vector<std::string> names;
    for (auto const& unit : units)
        if (unit.state == State::open)
            names.push_back(unit.name);
    return names;
}

JournalState replay(std::string_view journal) {
    JournalState state;
    std::size_t begin = 0;
    for (int number = 1; begin < journal.size(); ++number) {
        auto const end = journal.find('\n', begin);
        if (end == std::string_view::npos)
            break;
        bool const is_last = end + 1 == journal.size();
        JournalState next = is_last ? state : std::move(state);
        try {
            apply(next, journal.substr(begin, end - begin));
        } catch (Malformed const& fault) {
            if (is_last)
                break;
            throw UsageError(fmt::format("journal, line {}: {}", number, fault.what));
        }
        state = std::move(next);
        begin = end + 1;
    }
    state.intact = begin;
    return state;
}

std::string fingerprint(std::string_view text) { return fmt::format("{:016x}", detail::fnv1a(text)); }

std::optional<std::string> difference(JournalRun const& before, JournalRun const& now) {
    if (before.format != now.format)
        return fmt::format("format {} in the journal, {} now", before.format, now.format);
    if (before.processes != now.processes)
        return fmt::format("{} processes in the journal, {} now", before.processes, now.processes);
    if (before.configuration != now.configuration)
        return fmt::format("configuration {} in the journal, {} now", before.configuration, now.configuration);
    return std::nullopt;
}

std::vector<std::string> remaining(JournalState const& state, std::span<std::string const> units) {
    auto const crashes = [&](std::string const& name) {
        auto const* const unit = state.find(name);
        return unit == nullptr ? 0 : unit->crashes + (unit->state == State::open ? 1 : 0);
    };
    std::vector<std::string> names;
    for (auto const& name : units)
        if (auto const* const unit = state.find(name); unit == nullptr || !unit->finished())
            names.push_back(name);
    std::stable_sort(names.begin(), names.end(), [&](auto const& a, auto const& b) { return crashes(a) < crashes(b); });
    return names;
}

namespace {

[[noreturn]] void fail(std::string const& what) { throw std::system_error(errno, std::generic_category(), what); }

/// Makes a new file name durable too, which is stored in its directory.
void sync_directory(std::string const& path) {
    auto const parent = std::filesystem::path{path}.parent_path();
    int const directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return;  // A directory that may be written but not read cannot be synced; the journal itself still is.
    ::fsync(directory);
    ::close(directory);
}

}  // namespace

Journal::Journal(std::string const& path, JournalState const& before)
    : descriptor_{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)} {
    if (descriptor_ < 0)
        fail("journal: cannot open " + path);
    if (::ftruncate(descriptor_, static_cast<off_t>(before.intact)) != 0) {
        int const error = errno;
        release();
        throw std::system_error(error, std::generic_category(), "journal: cannot truncate " + path);
    }
    sync_directory(path);
}

Journal::Journal(Journal&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}

Journal& Journal::operator=(Journal&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

Journal::~Journal() { release(); }

void Journal::release() noexcept {
    if (descriptor_ >= 0)
        ::close(std::exchange(descriptor_, -1));
}

void Journal::line(std::string const& text) const { detail::write_line(descriptor_, text + '\n', "journal"); }

void Journal::synced_line(std::string const& text) const {
    line(text);
    while (::fsync(descriptor_) != 0)
        if (errno != EINTR)
            fail("journal: cannot sync");
}

void Journal::run(JournalRun const& run) {
    synced_line(fmt::format("RUN {} {} procs={} config={} out={} date={}", named(run.id), run.format, run.processes,
                            escaped(run.configuration), escaped(run.output), escaped(run.date)));
}

void Journal::begin(std::string_view unit) { synced_line("BEGIN " + named(unit)); }

void Journal::point(std::string_view unit, std::string_view text) {
    line(fmt::format("POINT {} {}", named(unit), last(text)));
}

void Journal::done(std::string_view unit, JournalExtent const& extent) {
    synced_line(fmt::format("DONE {} {}", named(unit), extent_text(extent)));
}

void Journal::skip(std::string_view unit, JournalExtent const& extent, std::string_view reason) {
    synced_line(fmt::format("SKIP {} {} {}", named(unit), extent_text(extent), last(reason)));
}

void Journal::abandon(std::string_view unit, JournalExtent const& extent) {
    synced_line(fmt::format("ABANDON {} {}", named(unit), extent_text(extent)));
}

void Journal::interrupt(std::string_view unit) { synced_line("INTERRUPT " + named(unit)); }

void Journal::crash(std::string_view unit, int count) { synced_line(fmt::format("CRASH {} {}", named(unit), count)); }

void Journal::end(std::string_view id) { synced_line("END " + named(id)); }

}  // namespace measure
