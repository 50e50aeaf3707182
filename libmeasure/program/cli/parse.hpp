// SPDX-License-Identifier: BSD-3-Clause
/// Parser: the one command line parser of all programs. Pure and local: the same arguments give the same result on
/// every rank.
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

/// Options are declared with a list of names, separated by commas: "-x,--min-count". A single dash before more than
/// one letter ("-npmin") declares a historical word: -npmin 4, -npmin=4, --npmin 4 and --npmin=4 are then one option.
/// Only these words are read so; any other bundle of letters ("-rwb", "-x1") is one of short options.
///
/// An option always takes its value, also one that begins with a dash ("-x -4"). Arguments may stand before or after
/// options; after "--" everything is an argument.
class Parser {
public:
    /// \param program  name for the usage line
    /// \param summary  one sentence on what the program does
    Parser(std::string program, std::string summary);
    Parser(Parser&&) noexcept;
    Parser& operator=(Parser&&) noexcept;
    ~Parser();

    /// Opens a group of options: the title stands above the options that are declared from now on.
    void heading(std::string title);

    /// A switch without value. `target` must outlive `parse`.
    void flag(std::string const& names, std::string help, bool& target);
    /// The same for switches whose order counts: `given()` is called in the order of the command line.
    void flag(std::string const& names, std::string help, std::function<void()> given);

    /// An option with one value. `target` must outlive `parse` and keeps its value where the option is not given; the
    /// help names that as the default, unless it is an empty text or nothing.
    /// \param value    what stands for the value in the help, "SIZE"
    /// \param convert  callable with an Argument; its result is assigned to `target`; with a text(T), that is how the
    ///                 default is shown
    template <class T, class Convert>
    void option(std::string const& names, std::string value, std::string help, T& target, Convert convert) {
        auto text = detail::with_default(std::move(help), detail::text_of(convert, target));
        add(names, std::move(value), std::move(text), false,
            [&target, convert = std::move(convert)](std::vector<Argument> const& given) {
                target = convert(given.front());
            });
    }

    /// An option that may be given several times; replaces the elements of `targets`, which are the default, where it
    /// is given.
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

    /// The arguments that belong to no option, in the order given. At most one declaration.
    /// \param name  what stands for them in the usage line, "TEST..."
    void arguments(std::string name, std::string help, std::vector<std::string>& targets);
    /// The same with their places, where their order among options counts.
    void arguments(std::string name, std::string help, std::vector<Argument>& targets);

    /// A command of another program: the first argument that belongs to no option and everything after it, as it is; or
    /// everything after "--". Instead of `arguments`.
    void command(std::string name, std::string help, std::vector<std::string>& target);

    /// Called with this parser once everything is read, a configuration file too: options that do not go together.
    void check(std::function<void(Parser const&)> rule);

    /// Gives a declared option one more name: alias("--timer", "-t").
    void alias(std::string_view option, std::string const& name);

    /// A declared option may be given again on the command line: the last value counts, as in a loop of getopt. Of the
    /// others that are no lists this is a fault.
    void last_wins(std::string_view option);

    /// A declared option may be given without a value and then has this one. Its own value must be glued to its name:
    /// -z50, --tail=50.
    void implied(std::string_view option, std::string value);

    /// Text below the options in the help.
    void closing(std::string text);

    /// Whether an option of that name ("-x") is declared.
    [[nodiscard]] bool knows(std::string_view name) const;

    /// Reads the command line (without the program's name) and converts the values in the order given. Where one of
    /// `questions` ("--help") is given, nothing is converted and no fault of the others is reported.
    /// \return the first of `questions` that was given, or an empty text
    /// \throws measure::UsageError with one line on the first fault
    std::string parse(std::vector<std::string> const& arguments, std::vector<std::string> const& questions = {});

    /// Sets options from the text of a configuration file, those that the last `parse` found given left out. A line
    /// is "key = value"; the key is a long option's name without its dashes, the value of a switch is true or false, a
    /// list has a line for each value. What follows a '#' at the begin of a line or after a blank is a comment.
    /// \param file  its name, for the messages
    /// \throws ParseErrors with every line that is at fault
    void configure(std::string const& file, std::string_view text);

    /// Whether the option of that name was given to the last `parse`, or in a file since then.
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
