// SPDX-License-Identifier: BSD-3-Clause
/// Records: the coordinates of a measured point (Point) and everything reported about it (Record). Plain values, local.
#pragma once

#include "measure/error.hpp"
#include "measure/measurement.hpp"
#include "measure/semantics.hpp"
#include "measure/statistics.hpp"
#include "measure/units.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

namespace detail {

/// An integer type, except bool and character types.
template <class I>
concept Integer = std::integral<I> && !std::same_as<I, bool> && !std::same_as<I, char> && !std::same_as<I, wchar_t> &&
                  !std::same_as<I, char8_t> && !std::same_as<I, char16_t> && !std::same_as<I, char32_t>;

/// Converts to a signed integer of 64 bits. \throws UsageError if the value is too large
template <Integer I>
[[nodiscard]] std::int64_t to_signed(I i) {
    if (!std::in_range<std::int64_t>(i))
        throw UsageError("a value of a record holds integers up to 2^63 - 1, not " + std::to_string(i));
    return static_cast<std::int64_t>(i);
}

}  // namespace detail

/// A JSON-like value for the open parts of a record (`derived`, `options`). Objects keep the order of their members.
class Value {
public:
    using Array = std::vector<Value>;                           ///< elements in order
    using Object = std::vector<std::pair<std::string, Value>>;  ///< members in the order of their addition
    /// The types that a value can hold: null, bool, numbers, text, array and object.
    using Data = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;

    Value();  ///< null
    /// \{
    /// Creates a value of the matching type. Integers are stored with 64 bits, a time as its number of seconds, and an
    /// empty optional as null. Other types are not converted: characters, enumerators, long doubles, and pointers other
    /// than `char const*` do not compile.
    /// \throws UsageError for an unsigned integer above 2^63 - 1
    Value(std::nullptr_t);  // NOLINT(google-explicit-constructor): literal-like, as all constructors below
    template <std::same_as<bool> B>
    Value(B b) : Value{Kind<bool>{b}} {}  // NOLINT(google-explicit-constructor)
    template <detail::Integer I>
    Value(I i) : Value{Kind<std::int64_t>{detail::to_signed(i)}} {}  // NOLINT(google-explicit-constructor)
    template <class F>
    requires(std::same_as<F, double> || std::same_as<F, float>) Value(F d)
        : Value{Kind<double>{static_cast<double>(d)}} {}  // NOLINT(google-explicit-constructor)
    Value(seconds t);                                     // NOLINT(google-explicit-constructor)
    Value(char const* s);                                 // NOLINT(google-explicit-constructor)
    Value(std::string_view s);                            // NOLINT(google-explicit-constructor)
    Value(std::string s);                                 // NOLINT(google-explicit-constructor)
    Value(Array a);                                       // NOLINT(google-explicit-constructor)
    Value(Object o);                                      // NOLINT(google-explicit-constructor)
    template <class T>
    Value(std::optional<T> const& o) : Value{o ? Value{*o} : Value{}} {}  // NOLINT(google-explicit-constructor)
    /// \}

    // Not inline: GCC 12 takes members of an inlined variant's move for uninitialised and warns in every caller.
    /// \{
    /// Copies, moves and destroys the value with everything in it.
    Value(Value const&);
    Value(Value&&) noexcept;
    Value& operator=(Value const&);
    Value& operator=(Value&&) noexcept;
    ~Value();
    /// \}

    [[nodiscard]] Data const& data() const noexcept { return data_; }  ///< for `std::visit`
    /// Whether the value is null, as after `Value{}`.
    [[nodiscard]] bool is_null() const noexcept;

    /// Member of an object. A missing member is appended as null. If the value itself is null, it first becomes an
    /// empty object.
    /// \throws UsageError if the value is neither an object nor null
    Value& operator[](std::string_view key);
    /// Member of an object; nullptr if it is missing or the value is not an object.
    [[nodiscard]] Value const* find(std::string_view key) const noexcept;
    /// Contents of an object's member, if the member exists and has type T (one of `Data`); otherwise nullptr.
    template <class T>
    [[nodiscard]] T const* get(std::string_view key) const noexcept {
        auto const* const member = find(key);
        return member != nullptr ? std::get_if<T>(&member->data_) : nullptr;
    }
    [[nodiscard]] std::string text(std::string_view key) const;  ///< a text member; empty if it is missing
    /// Number at a path of keys through nested objects: `number({"overlap", "max"})`. Empty if it is missing.
    [[nodiscard]] std::optional<double> number(std::initializer_list<std::string_view> path) const noexcept;

private:
    template <class T>
    struct Kind {
        T value;
    };
    explicit Value(Kind<bool> b);
    explicit Value(Kind<std::int64_t> i);
    explicit Value(Kind<double> d);

    Data data_;
};

/// The settings that identify a measured point: named coordinates in the order given.
class Point {
public:
    using Coordinate = std::variant<std::int64_t, double, bool, std::string>;  ///< types of a coordinate
    Point();                                                                   ///< creates a point without coordinates
    /// Creates a point from coordinates in the listed order: `{{"ranks", 2}, {"bytes", 8}}`.
    Point(std::initializer_list<std::pair<std::string, Coordinate>> list);
    /// \{
    /// Copies, moves and destroys all coordinates.
    Point(Point const&);
    Point(Point&&) noexcept;
    Point& operator=(Point const&);
    Point& operator=(Point&&) noexcept;
    ~Point();
    /// \}

    /// Adds or replaces a coordinate. Returns the point.
    Point& set(std::string_view name, Coordinate value);
    [[nodiscard]] bool has(std::string_view name) const noexcept;  ///< whether there is a coordinate of that name
    /// Pointer to a coordinate, valid until the point changes; nullptr if there is no coordinate of that name.
    [[nodiscard]] Coordinate const* find(std::string_view name) const noexcept;
    /// An integer coordinate.
    /// \throws UsageError if the coordinate is missing or has another type
    [[nodiscard]] std::int64_t integer(std::string_view name) const;
    /// An integer coordinate as a size in bytes. \throws UsageError like `integer`
    [[nodiscard]] Bytes bytes(std::string_view name) const { return integer(name); }
    /// An integer coordinate as a number of ranks. \throws UsageError like `integer`
    [[nodiscard]] int ranks(std::string_view name = "ranks") const { return static_cast<int>(integer(name)); }
    /// A numeric coordinate; integers are converted. \throws UsageError like `integer`
    [[nodiscard]] double number(std::string_view name) const;
    /// A numeric coordinate as a time in seconds. \throws UsageError like `integer`
    [[nodiscard]] seconds duration(std::string_view name) const { return seconds{number(name)}; }
    /// A text coordinate. \throws UsageError like `integer`
    [[nodiscard]] std::string const& text(std::string_view name) const;

    /// All coordinates, in order.
    [[nodiscard]] std::vector<std::pair<std::string, Coordinate>> const& coordinates() const noexcept {
        return coordinates_;
    }
    [[nodiscard]] std::vector<std::string> names() const;  ///< names of all coordinates, in order
    /// All coordinates as one text: "ranks=2 bytes=8".
    [[nodiscard]] std::string text() const;
    friend bool operator==(Point const& a, Point const& b);  ///< equal if names, types, values and order are equal

private:
    std::vector<std::pair<std::string, Coordinate>> coordinates_;
};

/// A coordinate as text: "8", "0.25", "true" or the text itself.
[[nodiscard]] std::string coordinate_text(Point::Coordinate const& value);

/// The meaning of a value. It determines the unit.
enum class Quantity {
    time,       ///< unit "s"
    bandwidth,  ///< unit "B/s"
    rate,       ///< items per second, unit "1/s"
    flops,      ///< floating-point operations per second, unit "flop/s"
    memory,     ///< unit "B"
    ratio,      ///< dimensionless, unit "1"
    count,      ///< number of items, unit "1"
};
[[nodiscard]] std::string_view name(Quantity q) noexcept;  ///< "rate" for flops
[[nodiscard]] std::string_view unit(Quantity q) noexcept;  ///< unit as written in records, see Quantity
/// Whether a quantity is an amount per time, so that more is better.
[[nodiscard]] constexpr bool is_rate(Quantity q) noexcept {
    return q == Quantity::bandwidth || q == Quantity::rate || q == Quantity::flops;
}

/// Outcome of a point.
enum class PointStatus {
    converged,         ///< the stopping rule is met
    exhausted,         ///< a limit was reached first; the value is usable, but its error is larger
    no_valid_samples,  ///< a limit was reached and no sample was valid, so there is no value
    skipped,           ///< not measured; the message gives the reason
    crashed,           ///< the operation or its check failed, or an earlier launch died in it
};
[[nodiscard]] std::string_view name(PointStatus o) noexcept;  ///< as written in records: "no_valid_samples"

/// A point in a record file: its coordinates, value, errors, counts and flags. It does not depend on the Measurement
/// that it was created from.
struct Record {
    std::string benchmark{};                              ///< name of the benchmark
    std::optional<Semantics> semantics{};                 ///< the measured operation, if other programs also measure it
    Point at{};                                           ///< coordinates
    Quantity quantity = Quantity::time;                   ///< what the value means
    std::optional<double> value{};                        ///< the value, in the quantity's unit; empty if missing
    PointStatus status = PointStatus::converged;          ///< outcome of the point
    std::string stop_reason{};                            ///< what ended the measurement, see Decision; otherwise empty
    std::string message{};                                ///< a sentence, required if skipped or crashed
    std::optional<Estimate> estimate{};                   ///< in the quantity's unit
    std::int64_t attempts = 0;                            ///< samples tried, warm-up not counted
    std::int64_t valid = 0;                               ///< samples that are valid
    std::int64_t kept = 0;                                ///< valid samples that remain after trimming
    InvalidCounts invalid{};                              ///< invalid samples by reason
    std::optional<RankSpread> over_ranks{};               ///< in the quantity's unit
    std::optional<std::int64_t> iterations_per_sample{};  ///< executions between two clock readings
    std::optional<double> correction{};                   ///< time of an empty sample, seconds per iteration
    Value derived = Value::Object{};                      ///< an object with additional numbers, see docs/records.md
    std::vector<std::string> flags{};                     ///< caveats of the value, such as "oversubscribed"
    seconds elapsed{0};                                   ///< time spent on measuring the point
    bool has_samples = false;                             ///< whether `samples` is written (`--raw`)
    std::vector<Sample> samples{};                        ///< every attempt, in order

    void flag(std::string_view name);  ///< adds a flag, unless the record has it already
    [[nodiscard]] bool has_flag(std::string_view name) const noexcept;  ///< whether the record has the flag
};

/// A result that combines several points of a suite.
struct Summary {
    std::string name{};               ///< name of the result
    std::optional<double> value{};    ///< in `unit`; empty if the result is not a single number
    std::string unit = "1";           ///< unit of the value, such as "B/s"; "1": dimensionless
    Value derived = Value::Object{};  ///< an object with the parts of the result
};

/// Creates the record of a measured time: estimate, counts, status, and the other results of the measurement in
/// `derived`. Root only, because the measurements of other ranks are nearly empty.
[[nodiscard]] Record make_record(std::string benchmark, Point at, Measurement const& m);

/// One pair of clock readings around a loop of repetitions, for suites with their own timing loop.
struct LoopTimes {
    std::int64_t iterations = 1;               ///< repetitions of the loop
    double time = 0;                           ///< seconds per repetition, of the slowest rank
    std::optional<RankSpread> over_ranks{};    ///< seconds per repetition
    std::optional<SettlingReport> settling{};  ///< counts of the kernel; empty if not observed
    bool is_backward = false;                  ///< the clock of a rank went back during the loop, so there is no time
};

/// Creates the record of such a loop. The loop is the only sample, and the value is the time of one repetition. There
/// is no value if a clock went back. Root only.
[[nodiscard]] Record make_record(std::string benchmark, Point at, LoopTimes const& loop);

/// Creates the record of a point that was not measured. \param status  skipped or crashed  \param message  not empty
[[nodiscard]] Record make_record(std::string benchmark, Point at, PointStatus status, std::string message);

/// Adds the kernel's counts to a record as `derived.settling`, in place of earlier counts. If `is_unsettled` holds for
/// the counts and the record has a value, the record gets the flag `unsettled`. For suites with their own loop, and for
/// samples whose iterations are not the library's.
/// \param settling  counts, from a point without automatic settling  \param runs  number of measured executions, > 0
void note_settling(Record& record, SettlingReport const& settling, std::int64_t runs);

/// Converts the record of a time to a rate: `work` units per iteration divided by the time of an iteration. The value
/// becomes work / mean time, because rates must not be averaged. The standard error is the value times the relative
/// standard error of the time.
/// \param quantity  bandwidth, rate or flops  \param work  >= 0
[[nodiscard]] Record as_rate(Record record, Quantity quantity, double work);

/// Converts the record of a rate to the time of `work` units. It is the inverse of `as_rate` with the same `work`.
/// \param work  >= 0, in the rate's unit  \throws UsageError if the record is not a rate
[[nodiscard]] Record as_time(Record record, double work);

/// Multiplies the value, the estimate and `over_ranks` by a factor, for instance to get half a round trip or the time
/// of one of several messages. Samples and `correction` remain times of one iteration. \param factor  > 0
[[nodiscard]] Record scaled(Record record, double factor);

/// Ratio of two values, with the errors of both if they are known (`estimate_of_value`). Empty if a record has no value
/// or the value of `under` is not above zero. The interval comes from Student's t distribution and needs at least two
/// observations (launches, epochs, or effective samples) in each record. The degrees of freedom are the smaller number
/// of observations minus one.
[[nodiscard]] std::optional<Ratio> ratio(Record const& over, Record const& under);
/// Ratio of two records whose operations were measured in turn:
///
/// - of two times: `times`, which excludes changes of the machine between stages;
/// - of two rates of the same amount of work: the inverse of `times`;
/// - otherwise, or without `times`: the ratio of the values.
/// \param times  ratio of the times from pairs of stages; empty if unknown
[[nodiscard]] std::optional<Ratio> ratio_in_turn(Record const& over, Record const& under,
                                                 std::optional<Ratio> const& times);
/// The ratio as written to `derived`. \param of  name of the denominator
[[nodiscard]] Value describe(Ratio const& ratio, std::string_view of);

/// A destination of records. Used on the root only.
template <class S>
concept Sink = requires(S& sink, Record const& record) {
    sink.write(record);
};

}  // namespace measure
#pragma GCC visibility pop
