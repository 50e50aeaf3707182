// SPDX-License-Identifier: BSD-3-Clause
/// Parser: the command line parser that all programs share. Pure and local: the same arguments give the same result
/// on every rank.
#pragma once

#include "program/cli/shown.hpp"
#include "program/cli/values.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace program {

/// An option is declared with a list of names, separated by commas: "-x,--min-count". A single dash before more than
/// one letter ("-npmin") declares a historical word: -npmin 4, -npmin=4, --npmin 4 and --npmin=4 are then the same
/// option. Any other bundle of letters ("-rwb", "-x1") is a bundle of short options.
///
/// An option always takes its value, even if the value begins with a dash ("-x -4"). Arguments may come before or after
/// options; after "--" everything is an argument.
class Parser {
public:
    /// \param program  name for the usage line
    /// \param summary  sentence that describes the program
    Parser(std::string program, std::string summary);
    Parser(Parser&&) noexcept;
    Parser& operator=(Parser&&) noexcept;
    ~Parser();

    /// Opens a group of options: the help prints the title above the options that are declared next.
    void heading(std::string title);

    /// A switch without value. `target` must outlive `parse`.
    void flag(std::string const& names, std::string help, bool& target);
    /// Overload for switches whose order matters: `given()` is called in the order of the command line.
    void flag(std::string const& names, std::string help, std::function<void()> given);

    /// An option with one value. `target` must outlive `parse`. It keeps its value if the option is not given, and the
    /// help shows this value as the default unless it is an empty text or an empty optional.
    /// \param value    placeholder for the value in the help, "SIZE"
    /// \param convert  callable with an Argument; its result is assigned to `target`; if it has a text(T), this formats
    ///                 the default
    template <class T, class Convert>
    void option(std::string const& names, std::string value, std::string help, T& target, Convert convert) {
        auto text = detail::with_default(std::move(help), detail::text_of(convert, target));
        add(names, std::move(value), std::move(text), false,
            [&target, convert = std::move(convert)](std::vector<Argument> const& given) {
                target = convert(given.front());
            });
    }

    /// An option that may be given several times. The elements of `targets` are the default; given values replace them.
    template <class T, class Convert>
    void list(std::string const& names, std::string value, std::string help, std::vector<T>& targets, Convert convert) {
        auto text = detail::with_default(std::move(help), detail::text_of(convert, targets));
        add(names, std::move(value), std::move(text), true,
            [&targets, convert = std::move(convert)](std::vector<Argument> const& given) {
                targets.clear();
                for (Argument const& argument : given)
                    targets.push_back(convert(argument));
            });
    }

    /// The arguments that do not belong to an option, in the order given. At most one declaration.
    /// \param name  placeholder for them in the usage line, "TEST..."
    void arguments(std::string name, std::string help, std::vector<std::string>& targets);
    /// Overload that keeps their places, for arguments whose order among the options matters.
    void arguments(std::string name, std::string help, std::vector<Argument>& targets);

    /// The command line of another program: the first argument that does not belong to an option and everything after
    /// it, unchanged; or everything after "--". Replaces `arguments`.
    void command(std::string name, std::string help, std::vector<std::string>& target);

    /// Adds a check that refuses combinations of options. It is called with this parser after everything is read,
    /// including a configuration file.
    void check(std::function<void(Parser const&)> rule);

    /// Gives a declared option an additional name: alias("--timer", "-t").
    void alias(std::string_view option, std::string const& name);

    /// Allows a declared option to be repeated on the command line: the last value counts, as with getopt. Repeating
    /// any other option that is not a list is an error.
    void last_wins(std::string_view option);

    /// Allows a declared option without a value, which then has this one. A given value must be attached to the name:
    /// -z50, --tail=50.
    void implied(std::string_view option, std::string value);

    /// Sets the text below the options in the help.
    void closing(std::string text);

    /// Whether an option of that name ("-x") is declared.
    [[nodiscard]] bool knows(std::string_view name) const;

    /// Reads the command line (without the program's name) and converts the values in the order given. If one of
    /// `questions` ("--help") is given, nothing is converted, and errors in other options are not reported.
    /// \return the first of `questions` that was given, or an empty text
    /// \throws measure::UsageError with one line for the first error
    std::string parse(std::vector<std::string> const& arguments, std::vector<std::string> const& questions = {});

    /// Sets options from the text of a configuration file. Options that the last `parse` found on the command line keep
    /// their values. A line is "key = value". The key is a long option's name without its dashes, the value of a switch
    /// is true or false, and a list has one line per value. A '#' at the start of a line or after a blank starts a
    /// comment.
    /// \param file  name of the file, for the messages
    /// \throws ParseErrors with every erroneous line
    void configure(std::string const& file, std::string_view text);

    /// Whether the option of that name was given in the last `parse` or in a configuration file since then.
    [[nodiscard]] bool given(std::string_view name) const;

    /// Usage line, summary and all options, group by group, in lines of at most 80 columns.
    [[nodiscard]] std::string help() const;

private:
    using Apply = std::function<void(std::vector<Argument> const&)>;
    void check_rules() const;
    void add(std::string const& names, std::string value, std::string help, bool repeatable, Apply apply);
    struct State;
    class Configuration;
    std::unique_ptr<State> state_;
};

}  // namespace program
