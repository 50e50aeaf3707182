// SPDX-License-Identifier: BSD-3-Clause
/// OptionTable: describes the options of a struct, one row per option. Pure and local.
///
/// A row holds an option's names, placeholder, help text, member and conversion. The rest follows from the row: its
/// declaration, the default in the help (the member's value) and its field in the record (the long name). The table
/// also checks which options can be combined.
///
///     OptionTable<Options> table;
///     table.heading("Measurement");
///     table.option("-d,--duration", "DURATION", "time of a point", &Options::duration, as::Duration{});
///     table.option("-n,--runs", "N", "runs of a point", &Options::runs, as::Int{.low = 1}).unset("any number");
///     table.excludes("-d", "-n");
#pragma once

#include "program/cli/parse.hpp"
#include "program/cli/shown.hpp"

#include <measure/record.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace program {

/// Access to a member of a member: path(&Options::rules, &Rules::duration).
template <class First, class... Rest>
[[nodiscard]] constexpr auto path(First first, Rest... rest) {
    return [=](auto& options) -> auto& {
        if constexpr (sizeof...(Rest) == 0)
            return options.*first;
        else
            return path(rest...)(options.*first);
    };
}

namespace detail {

/// The record field of an option, from its long name: "min_runs" for "-r,--min-runs". Empty without a long name.
[[nodiscard]] std::string option_key(std::string const& names);

template <class Convert, class T>
[[nodiscard]] measure::Value field_of(Convert const& convert, T const& value) {
    if constexpr (IsOptional<T>::value) {
        return value ? field_of(convert, *value) : measure::Value{};
    } else if constexpr (std::constructible_from<measure::Value, T const&>) {
        return measure::Value{value};
    } else if constexpr (IsVector<T>::value) {
        measure::Value::Array array;
        for (auto const& each : value)
            array.push_back(field_of(element_of(convert), each));
        return array;
    } else {
        return text_of(convert, value);
    }
}

/// Operations on an option's member, independent of the member's type.
template <class O>
struct OptionAccess {
    virtual ~OptionAccess() = default;
    virtual void declare(Parser& parser, std::string const& names, std::string help, O& options) const = 0;
    /// The value as a user would write it; empty if there is no default to show.
    [[nodiscard]] virtual std::string shown(O const& options) const = 0;
    [[nodiscard]] virtual measure::Value field(O const& options) const = 0;
};

template <class O, class Member>
struct FlagAccess final : OptionAccess<O> {
    explicit FlagAccess(Member m) : member{m} {}
    void declare(Parser& parser, std::string const& names, std::string help, O& o) const override {
        parser.flag(names, std::move(help), std::invoke(member, o));
    }
    std::string shown(O const&) const override { return {}; }
    measure::Value field(O const& o) const override { return static_cast<bool>(std::invoke(member, o)); }
    Member member;
};

enum class Takes { one, several };

template <class O, class Member, class Convert, Takes takes>
struct ValueAccess final : OptionAccess<O> {
    ValueAccess(std::string v, Member m, Convert c) : value{std::move(v)}, member{m}, convert{std::move(c)} {}
    void declare(Parser& parser, std::string const& names, std::string help, O& o) const override {
        if constexpr (takes == Takes::one)
            parser.option(names, value, std::move(help), std::invoke(member, o), convert);
        else
            parser.list(names, value, std::move(help), std::invoke(member, o), convert);
    }
    std::string shown(O const& o) const override { return text_of(convert, std::invoke(member, o)); }
    measure::Value field(O const& o) const override { return field_of(convert, std::invoke(member, o)); }
    std::string value;
    Member member;
    Convert convert;
};

/// Access to an option in a part P of the options O.
template <class O, class P, class Member>
struct PartAccess final : OptionAccess<O> {
    PartAccess(std::shared_ptr<OptionAccess<P> const> p, Member m) : part{std::move(p)}, member{m} {}
    void declare(Parser& parser, std::string const& names, std::string help, O& o) const override {
        part->declare(parser, names, std::move(help), std::invoke(member, o));
    }
    std::string shown(O const& o) const override { return part->shown(std::invoke(member, o)); }
    measure::Value field(O const& o) const override { return part->field(std::invoke(member, o)); }
    std::shared_ptr<OptionAccess<P> const> part;
    Member member;
};

}  // namespace detail

/// One option of a struct O.
template <class O>
class OptionRow {
public:
    /// Sets the default that the help shows if the member is empty.
    OptionRow& unset(std::string text) {
        unset_ = std::move(text);
        return *this;
    }
    /// Sets the name of the record field, instead of the long name. Empty: the option is not recorded.
    OptionRow& key(std::string name) {
        key_ = std::move(name);
        return *this;
    }
    OptionRow& unrecorded() { return key({}); }
    /// Allows the option to be repeated: the last value counts. See `Parser::last_wins`.
    OptionRow& last_wins() {
        last_wins_ = true;
        return *this;
    }

    /// Allows the option without a value, which is then `value`. See `Parser::implied`.
    OptionRow& implied(std::string value) {
        implied_ = std::move(value);
        return *this;
    }

private:
    template <class>
    friend class OptionTable;
    std::string names_;
    std::string text_;
    std::string unset_{};
    std::string key_{};
    std::string heading_{};
    bool last_wins_ = false;
    std::string implied_{};
    std::shared_ptr<detail::OptionAccess<O> const> access_{};
};

/// The options of a struct O, in the order of the help.
template <class O>
class OptionTable {
public:
    using Row = OptionRow<O>;

    /// Sets the title above the rows that follow.
    void heading(std::string title) { heading_ = std::move(title); }

    /// A switch without value. \param member  bool O::*, or a callable from O& to bool&
    template <class Member>
    Row& flag(std::string names, std::string text, Member member) {
        return add(std::move(names), std::move(text), std::make_shared<detail::FlagAccess<O, Member>>(member));
    }

    /// An option with one value. \param value  placeholder for the value in the help  \param member  T O::*, or a
    /// callable from O& to T&  \param convert  callable with an Argument; if it has a text(T), this formats the default
    template <class Member, class Convert>
    Row& option(std::string names, std::string value, std::string text, Member member, Convert convert) {
        using Access = detail::ValueAccess<O, Member, Convert, detail::Takes::one>;
        return add(std::move(names), std::move(text),
                   std::make_shared<Access>(std::move(value), member, std::move(convert)));
    }

    /// An option that may be given several times. \param member  std::vector<T> O::*, or a callable
    template <class Member, class Convert>
    Row& list(std::string names, std::string value, std::string text, Member member, Convert convert) {
        using Access = detail::ValueAccess<O, Member, Convert, detail::Takes::several>;
        return add(std::move(names), std::move(text),
                   std::make_shared<Access>(std::move(value), member, std::move(convert)));
    }

    /// Adds the rows and checks of a part of O. \param member  P O::*, or a callable from O& to P&
    template <class P, class Member>
    void part(OptionTable<P> const& table, Member member) {
        for (auto const& from : table.rows_) {
            auto& row =
                add(from.names_, from.text_, std::make_shared<detail::PartAccess<O, P, Member>>(from.access_, member));
            row.unset_ = from.unset_;
            row.key_ = from.key_;
            row.last_wins_ = from.last_wins_;
            row.implied_ = from.implied_;
        }
        for (auto const& rule : table.rules_)
            rules_.push_back(
                [rule, member](Parser const& parser, O const& o) { rule(parser, std::invoke(member, o)); });
    }

    /// Refuses the two options if both are given.
    void excludes(std::string a, std::string b) {
        rules_.push_back([a = std::move(a), b = std::move(b)](Parser const& parser, O const&) {
            if (parser.given(a) && parser.given(b))
                throw measure::UsageError(a + " and " + b + " cannot be combined");
        });
    }
    /// Refuses the option without `other`. \param why  the rest of the error line: "there is no log without -l"
    void needs(std::string option, std::string other, std::string why) {
        rules_.push_back([option = std::move(option), other = std::move(other),
                          why = std::move(why)](Parser const& parser, O const&) {
            if (parser.given(option) && !parser.given(other))
                throw measure::UsageError(option + ": " + why);
        });
    }
    /// Refuses a value of `low` that is greater than that of `high`. \param what  describes `high`: "the largest count"
    template <class Low, class High>
    void ordered(std::string low, Low low_member, std::string high, High high_member, std::string what) {
        rules_.push_back([=](Parser const&, O const& o) {
            auto const& a = std::invoke(low_member, o);
            auto const& b = std::invoke(high_member, o);
            if (b < a)
                throw measure::UsageError(low + ": " + detail::shown(a) + " is more than " + what + ", " +
                                          detail::shown(b) + " (" + high + ")");
        });
    }

    /// Declares the rows and the checks. `options` must outlive the parser's `parse`; its current values are the
    /// defaults.
    void declare(Parser& parser, O& options) const {
        std::string heading;
        for (auto const& row : rows_) {
            if (!row.heading_.empty() && row.heading_ != heading)
                parser.heading(heading = row.heading_);
            auto const unset = row.access_->shown(options).empty() ? row.unset_ : std::string{};
            row.access_->declare(parser, row.names_, detail::with_default(row.text_, unset), options);
            if (row.last_wins_)
                parser.last_wins(row.names_.substr(0, row.names_.find(',')));
            if (!row.implied_.empty())
                parser.implied(row.names_.substr(0, row.names_.find(',')), row.implied_);
        }
        for (auto const& rule : rules_)
            parser.check([rule, &options](Parser const& read) { rule(read, options); });
    }

    /// Adds the options as fields of a record. Fields that exist already are kept.
    void describe(O const& options, measure::Value& record) const {
        for (auto const& row : rows_)
            if (!row.key_.empty() && record.find(row.key_) == nullptr)
                record[row.key_] = row.access_->field(options);
    }

private:
    template <class>
    friend class OptionTable;

    Row& add(std::string names, std::string text, std::shared_ptr<detail::OptionAccess<O> const> access) {
        Row row;
        row.access_ = std::move(access);
        row.key_ = detail::option_key(names);
        row.names_ = std::move(names);
        row.text_ = std::move(text);
        row.heading_ = heading_;
        return rows_.emplace_back(std::move(row));
    }

    std::string heading_{};
    std::vector<Row> rows_{};
    std::vector<std::function<void(Parser const&, O const&)>> rules_{};
};

}  // namespace program
