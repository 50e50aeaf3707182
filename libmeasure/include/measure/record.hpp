// SPDX-License-Identifier: BSD-3-Clause
/// Records: where a point was measured (Point), and everything that is reported of it (Record). Values, local.
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

/// A number, not a character and not a truth.
template <class I>
concept Integer = std::integral<I> && !std::same_as<I, bool> && !std::same_as<I, char> && !std::same_as<I, wchar_t> &&
                  !std::same_as<I, char8_t> && !std::same_as<I, char16_t> && !std::same_as<I, char32_t>;

/// \throws UsageError for what a signed integer of 64 bits does not hold
template <Integer I>
[[nodiscard]] std::int64_t to_signed(I i) {
    if (!std::in_range<std::int64_t>(i))
        throw UsageError("a value of a record holds integers up to 2^63 - 1, not " + std::to_string(i));
    return static_cast<std::int64_t>(i);
}

}  // namespace detail

/// A JSON-like value for the open parts of a record (`derived`, `options`). Objects keep their order.
class Value {
public:
    using Array = std::vector<Value>;                           ///< elements in order
    using Object = std::vector<std::pair<std::string, Value>>;  ///< members in the order added
    /// Null, true and false, numbers, texts, and the two above.
    using Data = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;

    Value();  ///< null
    /// \{
    /// The kind that fits: integers are kept with 64 bits, a time as its seconds, an empty optional as null. Nothing is
    /// converted on the way: pointers other than texts, characters, enumerators and long doubles do not compile.
    /// \throws UsageError for an unsigned integer above 2^63 - 1
    Value(std::nullptr_t);  // NOLINT(google-explicit-constructor): literal-like, as all that follow
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
    /// Whole values, whatever they hold.
    Value(Value const&);
    Value(Value&&) noexcept;
    Value& operator=(Value const&);
    Value& operator=(Value&&) noexcept;
    ~Value();
    /// \}

    [[nodiscard]] Data const& data() const noexcept { return data_; }  ///< for `std::visit`
    /// Holds nothing, as after `Value{}`.
    [[nodiscard]] bool is_null() const noexcept;

    /// Member of an object, created at its end where it is missing. A null value becomes an object first.
    /// \throws UsageError for a value that is neither
    Value& operator[](std::string_view key);
    /// Member of an object, or nullptr.
    [[nodiscard]] Value const* find(std::string_view key) const noexcept;
    /// What a member of an object holds, where it is of that kind (one of `Data`); otherwise nullptr.
    template <class T>
    [[nodiscard]] T const* get(std::string_view key) const noexcept {
        auto const* const member = find(key);
        return member != nullptr ? std::get_if<T>(&member->data_) : nullptr;
    }
    [[nodiscard]] std::string text(std::string_view key) const;  ///< a member that is a text; empty where none is
    /// The number under these keys, one object inside the other: `number({"overlap", "max"})`. Nothing where there is
    /// none.
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

/// One setting of the varied parameters: named coordinates in the order given.
class Point {
public:
    using Coordinate = std::variant<std::int64_t, double, bool, std::string>;  ///< what a parameter may be set to
    Point();                                                                   ///< no coordinates
    /// Coordinates in the order listed: `{{"ranks", 2}, {"bytes", 8}}`.
    Point(std::initializer_list<std::pair<std::string, Coordinate>> list);
    /// \{
    /// Whole values.
    Point(Point const&);
    Point(Point&&) noexcept;
    Point& operator=(Point const&);
    Point& operator=(Point&&) noexcept;
    ~Point();
    /// \}

    /// Adds or replaces a coordinate.
    Point& set(std::string_view name, Coordinate value);
    [[nodiscard]] bool has(std::string_view name) const noexcept;  ///< whether the point has that coordinate
    /// The coordinate, as long as the point is not changed; nullptr where it has none of that name.
    [[nodiscard]] Coordinate const* find(std::string_view name) const noexcept;
    /// A coordinate that is an integer.
    /// \throws UsageError for a coordinate that is missing or has another type
    [[nodiscard]] std::int64_t integer(std::string_view name) const;
    /// The same as a size: of the coordinate "bytes", for instance.
    [[nodiscard]] Bytes bytes(std::string_view name) const { return integer(name); }
    /// The same as a number of ranks.
    [[nodiscard]] int ranks(std::string_view name = "ranks") const { return static_cast<int>(integer(name)); }
    [[nodiscard]] double number(std::string_view name) const;  ///< integers are converted
    /// A number as a time: seconds.
    [[nodiscard]] seconds duration(std::string_view name) const { return seconds{number(name)}; }
    /// A coordinate that is a text. \throws UsageError as for integers
    [[nodiscard]] std::string const& text(std::string_view name) const;

    /// All coordinates, in order.
    [[nodiscard]] std::vector<std::pair<std::string, Coordinate>> const& coordinates() const noexcept {
        return coordinates_;
    }
    [[nodiscard]] std::vector<std::string> names() const;  ///< of all coordinates, in order
    /// "ranks=2 bytes=8"
    [[nodiscard]] std::string text() const;
    friend bool operator==(Point const& a, Point const& b);  ///< same names, types, values and order

private:
    std::vector<std::pair<std::string, Coordinate>> coordinates_;
};

/// A coordinate as text: "8", "0.25", "true", the text itself.
[[nodiscard]] std::string coordinate_text(Point::Coordinate const& value);

/// What a value means; fixes its unit ("s", "B/s", "1/s" or "flop/s", "B", "1", "1").
enum class Quantity {
    time,       ///< s
    bandwidth,  ///< B/s
    rate,       ///< things per second
    flops,      ///< floating-point operations per second
    memory,     ///< B
    ratio,      ///< a plain number
    count,      ///< a number of things
};
[[nodiscard]] std::string_view name(Quantity q) noexcept;  ///< "rate" for flops
[[nodiscard]] std::string_view unit(Quantity q) noexcept;  ///< as records have it, see Quantity
/// Whether it is something over a time: more of it is less time.
[[nodiscard]] constexpr bool is_rate(Quantity q) noexcept {
    return q == Quantity::bandwidth || q == Quantity::rate || q == Quantity::flops;
}

/// What became of a point.
enum class PointStatus {
    converged,         ///< the stopping rule is met
    exhausted,         ///< a limit struck first: the value stands, with larger errors
    no_valid_samples,  ///< a limit struck and no sample was valid: no value
    skipped,           ///< not measured; the message says why
    crashed,           ///< the operation or its check failed, or an earlier start died in it
};
[[nodiscard]] std::string_view name(PointStatus o) noexcept;  ///< as records have it: "no_valid_samples"

/// One result line: self-describing, independent of the Measurement that it was made from.
struct Record {
    std::string benchmark{};                              ///< name of what was measured
    std::optional<Semantics> semantics{};                 ///< which operation that is, where it is one that others have
    Point at{};                                           ///< where
    Quantity quantity = Quantity::time;                   ///< what the value means
    std::optional<double> value{};                        ///< headline, in the quantity's unit
    PointStatus status = PointStatus::converged;          ///< how far to trust it
    std::string stop_reason{};                            ///< what stopped the measurement, see Decision; else empty
    std::string message{};                                ///< a sentence; obligatory with skipped and crashed
    std::optional<Estimate> estimate{};                   ///< in the quantity's unit
    std::int64_t attempts = 0;                            ///< samples tried, warm-up not counted
    std::int64_t valid = 0;                               ///< samples that are valid
    std::int64_t kept = 0;                                ///< of the valid ones, after trimming
    InvalidCounts invalid{};                              ///< invalid samples by reason
    std::optional<RankSpread> over_ranks{};               ///< in the quantity's unit
    std::optional<std::int64_t> iterations_per_sample{};  ///< executions between two clock readings
    std::optional<double> correction{};                   ///< seconds per iteration
    Value derived = Value::Object{};                      ///< an object: numbers beside the value, see docs/records.md
    std::vector<std::string> flags{};                     ///< marks of what to mind, "oversubscribed"
    seconds elapsed{0};                                   ///< what measuring the point cost
    bool has_samples = false;                             ///< whether `samples` is written (--raw)
    std::vector<Sample> samples{};                        ///< every attempt, in order

    void flag(std::string_view name);                                   ///< adds a flag once
    [[nodiscard]] bool has_flag(std::string_view name) const noexcept;  ///< whether it was added
};

/// A suite's joined result.
struct Summary {
    std::string name{};               ///< of what is summed up
    std::optional<double> value{};    ///< in `unit`; nothing where there is no single number
    std::string unit = "1";           ///< of the value: "B/s"; "1" for a plain number
    Value derived = Value::Object{};  ///< an object: what the value is made of
};

/// The record of a measured time: estimate, counts, status, and in `derived` all that measurement.hpp has beside it.
/// Root only (the measurement of another rank is nearly empty).
[[nodiscard]] Record make_record(std::string benchmark, Point at, Measurement const& m);

/// A loop of repetitions between two clock readings, as suites time it that have a loop of their own.
struct LoopTimes {
    std::int64_t iterations = 1;               ///< repetitions of the loop
    double time = 0;                           ///< s per repetition, of the rank that took longest
    std::optional<RankSpread> over_ranks{};    ///< s per repetition
    std::optional<SettlingReport> settling{};  ///< what the kernel counted; nothing: nobody looked
    bool is_backward = false;                  ///< the clock of some rank went back in between: there is no time
};

/// The record of such a loop: its one sample, and as value the time of a repetition; without a value where the clock
/// went back. Root only.
[[nodiscard]] Record make_record(std::string benchmark, Point at, LoopTimes const& loop);

/// The record of a point that was not measured. \param status  skipped or crashed  \param message  not empty
[[nodiscard]] Record make_record(std::string benchmark, Point at, PointStatus status, std::string message);

/// Says of a record what the kernel counted in its runs: `derived.settling`, and the flag `unsettled` by `is_unsettled`
/// where there is a value. For loops of one's own, and for samples whose iterations are not the library's; what the
/// record said of it before is replaced. \param settling  of a point that nobody settled  \param runs  that count, > 0
void note_settling(Record& record, SettlingReport const& settling, std::int64_t runs);

/// The same record as a rate: `work` units per iteration over the time of one. Value and estimate are turned over
/// (work / mean; interval ends swapped; standard error = value x relative standard error of the time): rates are never
/// averaged. \param quantity  bandwidth, rate or flops
[[nodiscard]] Record as_rate(Record record, Quantity quantity, double work);

/// The same record of a rate as the time of `work` units: what `as_rate` was given turns its record back.
/// \param work  >= 0, in the rate's unit  \throws UsageError for a record that is of no rate
[[nodiscard]] Record as_time(Record record, double work);

/// The same record with value, estimate and numbers over ranks multiplied: half a round trip, one of several messages.
/// Samples and correction stay times of one iteration. \param factor  > 0
[[nodiscard]] Record scaled(Record record, double factor);

/// The ratio of two values, with the errors of both where they are known (`estimate_of_value`), and Student's interval
/// by the smaller number of observations: launches, epochs or samples; at least two. Nothing where either has no value,
/// or `under` none above zero.
[[nodiscard]] std::optional<Ratio> ratio(Record const& over, Record const& under);
/// The same for records of operations that were measured in turn: where both are times or both are rates of the same
/// amount of work, the ratio of pairs of their stages, which is free of what changed between them; turned over for
/// rates. \param times  the ratio of their times; without one, or for other records, that of the values
[[nodiscard]] std::optional<Ratio> ratio_in_turn(Record const& over, Record const& under,
                                                 std::optional<Ratio> const& times);
/// The ratio as it stands in `derived`. \param of  what it is a multiple of
[[nodiscard]] Value describe(Ratio const& ratio, std::string_view of);

/// Where records go. Called on the root only.
template <class S>
concept Sink = requires(S& sink, Record const& record) {
    sink.write(record);
};

}  // namespace measure
#pragma GCC visibility pop
