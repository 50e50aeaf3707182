// SPDX-License-Identifier: BSD-3-Clause
#include "c_api/c_api.hpp"
#include "core/writer_lock.hpp"
#include "measure/environment.hpp"
#include "measure/report.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <memory>
#include <system_error>

struct measure_record {
    measure::Comm const& comm;
    int descriptor = -1;  ///< valid on the root
    std::chrono::steady_clock::time_point began = measure::SteadyClock::now();
    bool ended = false;
    std::string failure{};  ///< why a line could not be written; later lines are not written either

    explicit measure_record(measure::Comm const& c) : comm{c} {}
    measure_record(measure_record const&) = delete;
    measure_record& operator=(measure_record const&) = delete;
    ~measure_record() {
        if (descriptor > STDERR_FILENO)
            ::close(descriptor);
    }
};

namespace measure::c_api {

namespace {

/// Opens an empty file for this run alone. The file is locked before it is truncated. The kernel releases the lock when
/// the descriptor is closed, however the process ends. \throws std::system_error, Coded if another run writes the file
int open_record(std::string const& path) {
    if (path == "-")
        return STDOUT_FILENO;
    int const descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
        throw std::system_error(errno, std::generic_category(), fmt::format("cannot write '{}'", path));
    struct ::stat file {};
    if (::fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode))
        return descriptor;
    auto const lock = writer_lock();
    // A file system without locks leaves the file unprotected.
    if (::fcntl(descriptor, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
        ::close(descriptor);
        throw Coded(MEASURE_ERROR_FILE, fmt::format("cannot write '{}': another run is writing it", path));
    }
    if (::ftruncate(descriptor, 0) != 0) {
        int const error = errno;
        ::close(descriptor);
        throw std::system_error(error, std::generic_category(), fmt::format("cannot write '{}'", path));
    }
    return descriptor;
}

/// Writes one line by f(sink) on the root. \throws Coded for a failure, and for every later line
template <class F>
void write_line(measure_record& record, F&& f) {
    if (record.failure.empty()) {
        try {
            JsonLinesSink sink{record.descriptor};
            f(sink);
        } catch (std::system_error const& e) {
            record.failure = fmt::format("cannot write the record: {}", e.code().message());
        }
    }
    if (!record.failure.empty())
        throw Coded(MEASURE_ERROR_FILE, record.failure);
}

Point point_of(measure_point const* at) {
    if (at == nullptr)
        return {};
    if (!at->fault.empty())
        throw UsageError(at->fault);
    return at->point;
}

Record record_of(char const* benchmark, measure_point const* at, measure_result const* result) {
    auto const& known = need(result, "the result");
    if (!known.complete)
        throw UsageError("the result is complete only on another rank: rank 0 of the record and of the measurement "
                         "must be the same");
    return make_record(name_of(benchmark, "the name of the benchmark"), point_of(at), known.measurement);
}

Quantity rate_from(std::string const& name) {
    constexpr std::array<std::pair<std::string_view, Quantity>, 3> rates{
        {{"bandwidth", Quantity::bandwidth}, {"rate", Quantity::rate}, {"flops", Quantity::flops}}};
    for (auto const& [known, quantity] : rates)
        if (name == known)
            return quantity;
    throw UsageError(fmt::format("unknown quantity '{}'; known: bandwidth, rate, flops", name));
}

PointStatus missing_status(std::string const& name) {
    if (name == "skipped")
        return PointStatus::skipped;
    if (name == "crashed")
        return PointStatus::crashed;
    throw UsageError(fmt::format("unknown status '{}'; known: skipped, crashed", name));
}

/// Writes the point that make() returns, on the root.
template <class Make>
int write_point(measure_record* record, measure_error* error, Make&& make) {
    return guarded(error, [&] {
        auto& known = need(record, "the record");
        if (known.ended)
            throw UsageError("the record has already ended");
        if (!known.comm.is_root())
            return;
        auto const point = make();
        write_line(known, [&](JsonLinesSink& sink) { sink.write(point); });
    });
}

/// Settings of a rank for opening a record.
struct Opening {
    Plan plan;
    Value options;
    GlobalClock const* clock;
    std::string program;
    std::vector<std::string> command;
    int descriptor;
};

std::vector<std::string> command_of(int argc, char* const* argv, std::string const& program) {
    if (argc < 0 || (argc > 0 && argv == nullptr))
        throw UsageError("the command line needs argc >= 0, and argv if argc > 0");
    std::vector<std::string> command;
    for (int i = 0; i < argc; ++i)
        command.push_back(text_of(argv[i], "an argument of the command line"));
    return command.empty() ? std::vector{program} : command;
}

template <class F>
int set_coordinate(measure_point* point, char const* name, measure_error* error, F&& value) {
    return remembered(point, "the point", error, [&](measure_point& known) {
        auto const coordinate = name_of(name, "the name of the coordinate");
        known.point.set(coordinate, value());
    });
}

EndRecord end_of(measure_record const& record, int exit_code, std::string message) {
    char const* const status = exit_code >= 128                   ? "interrupted"
                               : exit_code == 1 || exit_code == 2 ? "failed"
                                                                  : "complete";
    return {.status = status,
            .exit_code = exit_code,
            .elapsed = std::chrono::duration<double>(measure::SteadyClock::now() - record.began).count(),
            .message = std::move(message)};
}

}  // namespace

}  // namespace measure::c_api

namespace c_api = measure::c_api;
using measure::c_api::guarded;
using measure::c_api::need;

int measure_point_create(measure_point** point, measure_error* error) {
    return guarded(error, [&] {
        need(point, "the place for the point") = nullptr;
        *point = new measure_point{};
    });
}

void measure_point_free(measure_point* point) { delete point; }

int measure_point_set_integer(measure_point* point, char const* name, int64_t value, measure_error* error) {
    return c_api::set_coordinate(point, name, error, [&] {
        std::string_view const of = name;
        if ((of == "bytes" && value < 0) || (of == "ranks" && value < 1))
            throw measure::UsageError(fmt::format("the coordinate '{}' cannot be {}", of, value));
        return measure::Point::Coordinate{std::int64_t{value}};
    });
}

int measure_point_set_number(measure_point* point, char const* name, double value, measure_error* error) {
    return c_api::set_coordinate(point, name, error, [&] {
        if (!std::isfinite(value))
            throw measure::UsageError(fmt::format("the coordinate '{}' is not finite", name));
        return measure::Point::Coordinate{value};
    });
}

int measure_point_set_text(measure_point* point, char const* name, char const* value, measure_error* error) {
    return c_api::set_coordinate(point, name, error, [&] {
        return measure::Point::Coordinate{c_api::text_of(value, "the value of the coordinate")};
    });
}

int measure_record_open(measure_comm const* comm, measure_plan const* plan, char const* path, char const* program,
                        int argc, char* const* argv, measure_record** record, measure_error* error) {
    if (record != nullptr)
        *record = nullptr;
    return guarded(error, [&] {
        auto const& team = need(comm, "the communicator").comm;
        auto opening = c_api::agreed(team, [&] {
            need(record, "the place for the record");
            auto const& settings = need(plan, "the plan");
            auto resolved = c_api::resolve(settings);
            auto options = c_api::describe(settings, resolved, team);
            auto name = c_api::name_of(program, "the name of the program");
            auto command = c_api::command_of(argc, argv, name);
            return c_api::Opening{std::move(resolved), std::move(options), c_api::clock_of(settings),
                                  std::move(name),     std::move(command), -1};
        });
        // Done last, so that a wrong argument on any rank does not destroy an existing record.
        auto made = std::make_unique<measure_record>(team);
        made->descriptor = c_api::agreed(
            team, [&] { return team.is_root() ? c_api::open_record(c_api::text_of(path, "the path")) : -1; });
        auto run = measure::environment(team, opening.plan.timer);
        run.program = opening.program;
        run.suite = measure::suite_name(opening.program);
        run.version = measure::version();
        run.command = std::move(opening.command);
        run.options = std::move(opening.options);
        if (opening.clock != nullptr) {
            run.clock_sync = opening.clock->report();
            run.warnings = opening.clock->report().warnings();
        }
        c_api::agreed(team, [&] {
            if (team.is_root())
                c_api::write_line(*made, [&](measure::JsonLinesSink& sink) { sink.begin(run); });
            return true;
        });
        *record = made.release();
    });
}

void measure_record_free(measure_record* record) { delete record; }

int measure_record_point(measure_record* record, char const* benchmark, measure_point const* at,
                         measure_result const* result, measure_error* error) {
    return c_api::write_point(record, error, [&] { return c_api::record_of(benchmark, at, result); });
}

int measure_record_rate(measure_record* record, char const* benchmark, measure_point const* at,
                        measure_result const* result, char const* quantity, double work, measure_error* error) {
    return c_api::write_point(record, error, [&] {
        if (!(work > 0) || !std::isfinite(work))
            throw measure::UsageError(fmt::format("the work of an iteration is {}, but must be > 0 and finite", work));
        auto const rate = c_api::rate_from(c_api::text_of(quantity, "the quantity"));
        return measure::as_rate(c_api::record_of(benchmark, at, result), rate, work);
    });
}

int measure_record_missing(measure_record* record, char const* benchmark, measure_point const* at, char const* status,
                           char const* reason, measure_error* error) {
    return c_api::write_point(record, error, [&] {
        auto why = c_api::name_of(reason, "the reason");
        return measure::make_record(c_api::name_of(benchmark, "the name of the benchmark"), c_api::point_of(at),
                                    c_api::missing_status(c_api::text_of(status, "the status")), std::move(why));
    });
}

int measure_record_end(measure_record* record, int exit_code, char const* message, measure_error* error) {
    return guarded(error, [&] {
        auto& known = need(record, "the record");
        c_api::agreed(known.comm, [&] {
            if (known.ended)
                throw measure::UsageError("the record has already ended");
            if (exit_code < 0 || exit_code > 255)
                throw measure::UsageError(fmt::format("the exit code is {}, but must be in 0 .. 255", exit_code));
            return true;
        });
        known.ended = true;
        c_api::agreed(known.comm, [&] {
            auto const end = c_api::end_of(known, exit_code, message != nullptr ? message : "");
            if (known.comm.is_root())
                c_api::write_line(known, [&](measure::JsonLinesSink& sink) { sink.end(end); });
            return true;
        });
    });
}
