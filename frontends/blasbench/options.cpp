// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/options.hpp"

#include "blasbench/library.hpp"
#include "llcbench/flush.hpp"
#include "llcbench/sizes.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace blasbench {

namespace {

using measure::UsageError;
using program::Argument;
namespace as = program::as;

constexpr int smallest_log = 8;
constexpr int largest_log = 50;  // 1 PiB; larger sizes would overflow 64-bit integers in places
constexpr Bytes largest_size = Bytes{1} << largest_log;
constexpr std::int64_t largest_n = std::numeric_limits<int>::max();  // limit of the 32-bit BLAS interface
constexpr std::int64_t most_iterations = 1'000'000'000;
/// With these limits sums over all calls stay finite in single precision, and no product becomes a denormal number,
/// which would be slow.
constexpr double largest_alpha = 1e6;
constexpr double smallest_scalar = 1e-6;
constexpr char const* output_option = "--output";  // -o selects MFLOPS, as in the original

/// Converts a known name to lower case and returns a path unchanged.
std::string library_name(std::string const& given) {
    auto name = program::lower(given);
    auto const known = library_names();
    return name == "builtin" || std::find(known.begin(), known.end(), name) != known.end() ? name : given;
}

std::vector<std::string> library_list(Argument const& list) {
    auto result = program::split(list.value, ',');
    std::transform(result.begin(), result.end(), result.begin(), library_name);
    for (auto name = result.begin(); name != result.end(); ++name) {
        if (name->empty())
            throw UsageError(fmt::format("{}: '{}' has an empty name", list.option, list.value));
        if (std::find(result.begin(), name, *name) != name)
            throw UsageError(fmt::format("{}: '{}' names {} twice", list.option, list.value, *name));
    }
    return result;
}

/// "64x128x32": m, n, k.
Dimensions shape(Argument const& argument) {
    auto const parts = program::split(program::lower(argument.value), 'x');
    if (parts.size() != 3)
        throw UsageError(
            fmt::format("{}: '{}' is not of the form MxNxK, such as 64x128x32", argument.option, argument.value));
    as::Integer const each{.low = 1, .high = largest_n};
    return {each({argument.option, parts[0]}), each({argument.option, parts[1]}), each({argument.option, parts[2]})};
}

std::vector<Routine const*> chosen_routines(Options const& o, bool terminal) {
    if (!o.shapes.empty() && (o.axpy || o.gemv || !o.routines.empty()))
        throw UsageError("--gemm cannot be combined with -v, -a or --test");
    if (!o.shapes.empty())
        return {&shaped_gemm()};
    std::vector<Routine const*> result;
    for (auto const& [wanted, name] : {std::pair{o.axpy, "axpy"}, {o.gemv, "gemv"}, {o.gemm, "gemm"}})
        if (wanted)
            result.push_back(&routine(name));
    if (!o.routines.empty() && !result.empty())
        throw UsageError("--test cannot be combined with -v, -a or -t");
    for (auto const& name : o.routines)
        result.push_back(&routine(name));
    if (result.empty() && terminal)
        return {&routine("axpy"), &routine("gemv"), &routine("gemm")};
    return result.empty() ? std::vector{&routine("gemm")} : result;
}

/// "64x128x32", or "100" for a routine that only has n.
std::string dimension_text(Routine const& r, Dimensions const& d) {
    return r.has_shape ? text(d) : fmt::format("{}", d.n);
}

/// A problem with these dimensions and its size. \throws UsageError if it is larger than `largest_size`
Size by_dimensions(Routine const& r, Precision precision, Dimensions const& d, char const* option) {
    if (bytes_needed(r, precision, d) > static_cast<double>(largest_size))
        throw UsageError(fmt::format("{}: '{}' is too large for {} (at most {} of memory)", option,
                                     dimension_text(r, d), r.name, measure::text_bytes(largest_size)));
    return {bytes_used(r, precision, d), d};
}

Size by_limit(Routine const& r, Precision precision, Bytes limit, char const* option) {
    auto const n = dimension(r, precision, limit);
    if (n == 0)
        throw UsageError(fmt::format("{}: '{}' is too small for {} (at least {} bytes)", option, limit, r.name,
                                     bytes_used(r, precision, 1)));
    if (n > largest_n)
        throw UsageError(fmt::format("{}: {} with {} has dimension {}, but 32-bit BLAS allows at most {}", option,
                                     r.name, measure::text_bytes(limit), n, largest_n));
    return {limit, n};
}

std::vector<Bytes> powers(Options const& o, Bytes smallest, char const* option) {
    if (smallest > Bytes{1} << o.max_log)
        throw UsageError(fmt::format("{}: {} is more than the largest size, {} (-m {})", option,
                                     measure::text_bytes(smallest), measure::text_bytes(Bytes{1} << o.max_log),
                                     o.max_log));
    return llcbench::sizes({.smallest = smallest, .last_log = o.max_log, .between = o.between});
}

std::vector<Size> chosen_sizes(Options const& o, Routine const& r, Precision precision) {
    std::vector<Size> result;
    if (r.has_shape) {
        for (Dimensions const& each : o.shapes)
            result.push_back(by_dimensions(r, precision, each, "--gemm"));
    } else if (o.dimensions) {
        for (std::int64_t const n : *o.dimensions)
            result.push_back(by_dimensions(r, precision, n, "--n"));
    } else if (o.smallest_n) {
        Bytes const first = by_dimensions(r, precision, *o.smallest_n, "--nmin").limit;
        for (Bytes const limit : powers(o, first, "--nmin"))
            if (auto const n = by_limit(r, precision, limit, "-m").dimensions.n;
                result.empty() || n > result.back().dimensions.n)
                result.push_back(by_dimensions(r, precision, n, "-m"));
    } else {
        char const* const option = o.sizes ? "--size" : o.smallest ? "--smin" : "-m";
        for (Bytes const limit : o.sizes ? *o.sizes : powers(o, o.smallest.value_or(Bytes{1} << smallest_log), option))
            result.push_back(by_limit(r, precision, limit, option));
    }
    return result;
}

double scalar(Argument const& argument, double largest, std::string_view zero) {
    auto const x = as::Number{.low = -largest, .high = largest}(argument);
    if (std::abs(x) < smallest_scalar && (x != 0 || zero.empty()))
        program::refuse(argument, fmt::format("is not {}a number with an absolute value from {:g} to {:g}", zero,
                                              smallest_scalar, largest));
    return x;
}

double alpha(Argument const& argument) { return scalar(argument, largest_alpha, ""); }

/// At most 1, because each call multiplies the result by beta and a larger factor would let it overflow.
double beta(Argument const& argument) { return scalar(argument, 1, "0 or "); }

void check_scalars(Setup const& s) {
    auto const none = [&s](auto const& has) { return std::none_of(s.series.begin(), s.series.end(), has); };
    auto const& [alpha, beta] = s.scalars;
    if (alpha != 1 && none([](Series const& each) { return each.routine->has_alpha(); }))
        throw UsageError("--alpha: none of the selected routines has an alpha");
    if (beta != 1 && none([](Series const& each) { return each.routine->has_beta(); }))
        throw UsageError("--beta: none of the selected routines has a beta; select -a, -t, --gemm or --test syr2k");
    bool const scales = !none([](Series const& each) { return each.routine->kind == Kind::trsm; });
    if (scales && std::abs(alpha) != 1)
        throw UsageError("--alpha: must be 1 or -1 for TRSM, because each call multiplies the result by it");
}

void check_memory(Setup const& s, Options const& o, llcbench::Machine const& machine) {
    for (Series const& each : s.series) {
        double const needed = Arena::bytes(s.layout, s.precision, each.room()) + static_cast<double>(s.flush);
        if (machine.available == 0 || needed <= static_cast<double>(machine.available))
            continue;
        Bytes const largest = bytes_used(*each.routine, s.precision, each.largest());
        throw UsageError(
            fmt::format("{}: {} of dimension {} has operands of {} and needs {} of memory, but only {} is available",
                        each.routine->has_shape ? "--gemm"
                        : o.dimensions          ? "--n"
                        : o.sizes               ? "--size"
                                                : "-m",
                        each.routine->name, dimension_text(*each.routine, each.largest()), measure::text_bytes(largest),
                        measure::text_bytes(static_cast<Bytes>(needed)), measure::text_bytes(machine.available)));
    }
}

void check(Options const& o, Bytes element) {
    check(o.layout, element);
    check(o.output, output_option);
    int const ways = int{o.sizes.has_value()} + int{o.dimensions.has_value()} + int{o.smallest.has_value()} +
                     int{o.smallest_n.has_value()} + int{!o.shapes.empty()};
    if (ways > 1)
        throw UsageError("--size, --n, --smin, --nmin and --gemm cannot be combined");
}

using Table = program::OptionTable<Options>;

void add_routines(Table& rows) {
    rows.heading("Routines (default: -v -a -t on a terminal, -t to a file or pipe)");
    rows.flag("-v", "measure AXPY: y = alpha x + y", &Options::axpy);
    rows.flag("-a", "measure GEMV: y = alpha A x + beta y", &Options::gemv);
    rows.flag("-t", "measure GEMM: C = alpha A B + beta C", &Options::gemm);
    rows.option("--test", "LIST",
                fmt::format("measure these routines, in the given order: {}, all", fmt::join(routine_names(), ", ")),
                &Options::routines, llcbench::NameList{routine_names()})
        .unrecorded();
    rows.flag("-s", "use single precision (default double)", &Options::single);
    rows.heading("Libraries");
    rows.option("--blas", "LIST", "measure these libraries in turn: ref, openblas, blis, mkl, builtin, or paths",
                &Options::libraries, library_list)
        .unset("ref, or builtin if ref is not installed; vblasbench: the first vendor library")
        .unrecorded();
    rows.option("--threads", "LIST", "run the library with these numbers of threads, in turn: 1,2,4", &Options::threads,
                as::list_of(as::Int{.low = 1, .high = 4096}));
    rows.flag("--list-blas", "list the available libraries and exit", &Options::list).unrecorded();
}

void add_problems(Table& rows) {
    rows.heading("Problems");
    rows.option("-m", "N", "measure problems of up to 2^N bytes", &Options::max_log,
                as::Int{.low = smallest_log + 1, .high = largest_log})
        .last_wins();
    rows.option("-x", "N", "add N sizes between consecutive powers of two", &Options::between,
                as::Int{.low = 0, .high = 1000})
        .last_wins();
    rows.option("--smin", "SIZE", "start at this size", &Options::smallest, as::Size{.low = 1, .high = largest_size})
        .unset("256")
        .unrecorded();
    rows.option("--nmin", "N", "start at this dimension", &Options::smallest_n,
                as::Integer{.low = 1, .high = largest_n})
        .unrecorded();
    rows.option("--size", "LIST", "measure these sizes instead: 4k,1M", &Options::sizes,
                as::list_of(as::Size{.low = 1, .high = largest_size}))
        .unrecorded();
    rows.option("--n", "LIST", "measure these dimensions instead: 100,1000", &Options::dimensions,
                as::list_of(as::Integer{.low = 1, .high = largest_n}))
        .unrecorded();
    rows.option("--gemm", "LIST", "measure GEMM with these shapes MxNxK instead: 64x128x32,1000x8x1000",
                &Options::shapes, as::list_of(&shape))
        .unrecorded();
    rows.option("--transpose", "LIST", "store A and B of GEMM plain (N) or transposed (T): NN,NT,TN,TT",
                &Options::transposed, as::list_of(as::Name{{"NN", "NT", "TN", "TT"}}))
        .unset("NN")
        .unrecorded();
    rows.option("--alpha", "X", "set alpha, with an absolute value from 1e-6 to 1e6; 1 or -1 for TRSM",
                program::path(&Options::scalars, &Scalars::alpha), &alpha);
    rows.option("--beta", "X", "set beta: 0, or a number with an absolute value from 1e-6 to 1",
                program::path(&Options::scalars, &Scalars::beta), &beta);
    rows.excludes("--gemm", "-l");
    rows.excludes("--gemm", "-d");
    rows.flag("-l", "keep the leading dimension at the largest n", &Options::hold_leading)
        .key("hold_leading_dimension");
    rows.part(llcbench::layout_options("operands"), &Options::layout);
}

void add_method(Table& rows) {
    rows.heading("Measurement");
    rows.option("-i", "N",
                "call the smallest problem N times, in at least three blocks of about 1 ms; larger problems get fewer "
                "calls",
                &Options::iterations, as::Integer{.low = 1, .high = most_iterations})
        .last_wins()
        .key("iterations");
    rows.flag("-c", "make the same number of calls for each size, in each of ten blocks", &Options::constant);
    rows.option("-e", "N", "repeat each size N times", &Options::repetitions, as::Int{.low = 1, .high = 1'000'000})
        .last_wins()
        .unset("2 on a terminal, otherwise 1");
    rows.option("--stderr", "EPS", "measure until this relative standard error, 10 s or 100000 blocks; 0 = off",
                &Options::standard_error, as::Number{.low = 0, .high = 1})
        .key("standard_error");
    rows.flag("-N", "do not flush the caches before each measurement", &Options::no_flush);
}

void add_output(Table& rows) {
    rows.heading("Output");
    rows.flag("-o", "print MFLOPS in the second column (default MB/s)", &Options::mflops);
    rows.flag("-d", "print dimensions instead of bytes", &Options::show_dimension);
    rows.option("--peak", "MFLOPS", "print the efficiency relative to this peak of the machine", &Options::peak,
                as::Number{.low = 0, .above_low = true})
        .key("peak_mflops");
    rows.option("--statistic", "NAME", "report this statistic of the blocks: mean, median, best", &Options::statistic,
                llcbench::statistic_option());
    rows.part(llcbench::output_options({.names = output_option, .format_default = "dat; on a terminal a table"}),
              &Options::output);
}

}  // namespace

Table option_table() {
    Table rows;
    add_routines(rows);
    add_problems(rows);
    add_method(rows);
    add_output(rows);
    return rows;
}

void declare(program::Parser& parser, Options& o) {
    option_table().declare(parser, o);
    parser.closing("MB/s are 2^20 bytes per second and count every operand of every multiply-add, so they\n"
                   "may be far above the memory bandwidth.");
}

Dimensions Series::largest() const {
    return std::max_element(sizes.begin(), sizes.end(), [](Size const& a, Size const& b) { return a.limit < b.limit; })
        ->dimensions;
}

std::vector<double> Series::room() const {
    std::vector<double> result(static_cast<std::size_t>(routine->operands()));
    for (Size const& size : sizes) {
        auto const each = elements(*routine, size.dimensions);
        std::transform(each.begin(), each.end(), result.begin(), result.begin(),
                       [](double a, double b) { return std::max(a, b); });
    }
    return result;
}

Setup resolve(Options const& o, llcbench::Machine const& machine, bool terminal) {
    Setup s{o};
    s.precision = o.single ? Precision::real32 : Precision::real64;
    s.rules = {.iterations = o.iterations,
               .kind = o.constant ? Iterations::constant : Iterations::falling,
               .standard_error = o.standard_error};
    s.flush = o.no_flush ? 0 : llcbench::flush_size(machine.last_level_cache());
    s.terminal = o.output.for_people(terminal);
    check(o, width(s.precision));
    s.repetitions = o.repetitions.value_or(s.terminal ? 2 : 1);
    for (Routine const* const r : chosen_routines(o, s.terminal))
        s.series.push_back({s.scalars.beta == 0 ? &without_beta(*r) : r, chosen_sizes(o, *r, s.precision)});
    bool const multiplies = std::any_of(s.series.begin(), s.series.end(),
                                        [](Series const& each) { return each.routine->kind == Kind::gemm; });
    if (!o.transposed.empty() && !multiplies)
        throw UsageError("--transpose: applies only to GEMM; select it with -t or --gemm");
    check_scalars(s);
    check_memory(s, o, machine);
    return s;
}

measure::Value describe(std::span<Blas const> libraries) {
    measure::Value::Array result;
    for (Blas const& blas : libraries) {
        measure::Value::Object library{
            {"name", blas.name}, {"version", fmt::format("{} {}", blas.product, blas.version)}, {"file", blas.file}};
        if (!blas.kernels.empty())
            library.emplace_back("kernels", blas.kernels);
        result.emplace_back(std::move(library));
    }
    return result;
}

measure::Value describe(Setup const& s, Options const& o) {
    measure::Value::Array routine_list;
    measure::Value sizes{measure::Value::Object{}};
    measure::Value flops{measure::Value::Object{}};
    measure::Value references{measure::Value::Object{}};
    for (Series const& each : s.series) {
        routine_list.emplace_back(full_name(*each.routine, s.precision));
        measure::Value::Array dimensions;
        for (Size const& size : each.sizes)
            dimensions.push_back(each.routine->has_shape ? measure::Value{text(size.dimensions)}
                                                         : measure::Value{size.dimensions.n});
        sizes[each.routine->name] = std::move(dimensions);
        flops[each.routine->name] = each.routine->flops;
        references[each.routine->name] = each.routine->references;
    }
    bool const is_constant = s.rules.kind == Iterations::constant;
    measure::Value value = measure::Value::Object{{"routines", std::move(routine_list)},
                                                  {"dimensions", std::move(sizes)},
                                                  {"flops", std::move(flops)},
                                                  {"references", std::move(references)},
                                                  {"iterations_rule", is_constant ? "constant" : "falling"},
                                                  {"repetitions", s.repetitions},
                                                  {"flush", s.flush}};
    if (!s.transposed.empty())
        value["transpose"] = measure::Value::Array{s.transposed.begin(), s.transposed.end()};
    if (s.threads.size() == 1)
        value["threads"] = s.threads.front();
    option_table().describe(o, value);
    return value;
}

}  // namespace blasbench
