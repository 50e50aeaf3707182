// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/parse.hpp"

#include "program/cli/parse_errors.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace program {
namespace {

using measure::UsageError;

bool is_word(std::string_view name) { return name.size() > 2 && name[0] == '-' && name[1] != '-'; }

std::string with_two_dashes(std::string const& name) { return is_word(name) ? "-" + name : name; }

/// Whether the argument is that option, possibly with its value: --name=value, or -nVALUE for a short name.
bool spells(std::string const& argument, std::string const& name) {
    if (argument.compare(0, name.size(), name) != 0)
        return false;
    return argument.size() == name.size() || argument[name.size()] == '=' || name.size() == 2;
}

constexpr std::size_t help_width = 80;
constexpr std::size_t help_indent = 28;

}  // namespace

struct Parser::State {
    struct Entry {
        std::vector<std::string> names;  ///< as declared
        std::string value;               ///< empty: a switch
        std::string help;
        std::string heading;
        bool repeatable = false;
        bool last_wins = false;
        Apply apply;
        std::string implied{};                ///< value if none is attached to the name; empty: a value must follow
        CLI::Option const* option = nullptr;  ///< its counterpart in the current parse
        std::size_t count = 0;                ///< number of occurrences in the last parse
    };
    struct Positional {
        std::string name;
        std::string help;
        Apply apply;
        bool is_command = false;
        std::vector<std::string> texts{};  ///< a vector, because CLI11 accepts several values only for a vector
        CLI::Option const* option = nullptr;
    };
    [[nodiscard]] std::vector<Argument> command(CLI::App const& app) const;

    std::string program;
    std::string summary;
    std::string heading = "Options";
    std::string closing;
    std::vector<Entry> entries;
    Positional positional;
    std::vector<std::string> arguments;  ///< arguments of the last parse
    std::vector<std::function<void(Parser const&)>> rules{};

    [[nodiscard]] Entry const* find(std::string_view name) const;
    void reject_unknown_word(std::string const& word) const;
    [[nodiscard]] std::vector<std::string> rewritten() const;
    [[nodiscard]] std::string spelling(Entry const& entry) const;
    void read(CLI::App& app);
    [[nodiscard]] std::vector<Argument> values(CLI::App const& app, CLI::Option const* option,
                                               std::string const& name) const;
    void reject_leftovers(CLI::App const& app) const;
    void convert(CLI::App const& app) const;
    [[nodiscard]] std::string missing_value_or(char const* otherwise) const;
};

Parser::State::Entry const* Parser::State::find(std::string_view name) const {
    auto const found = std::find_if(entries.begin(), entries.end(), [&](Entry const& entry) {
        return std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end();
    });
    return found == entries.end() ? nullptr : &*found;
}

/// In a program with historical words, an unknown word is not read as a short option with a text value: "-off_cache" is
/// not "-o ff_cache". Numbers are accepted: "-x4".
void Parser::State::reject_unknown_word(std::string const& word) const {
    for (std::size_t i = 1; i < word.size(); ++i) {
        Entry const* const entry = find(std::string{"-"} + word[i]);
        if (entry == nullptr)
            return;
        if (entry->value.empty())
            continue;
        if (i + 1 < word.size() && std::isalpha(static_cast<unsigned char>(word[i + 1])) != 0)
            throw UsageError(fmt::format("unknown option '{}' (see {} --help)", word, program));
        return;
    }
}

/// The arguments, with two dashes before historical words. Arguments after "--" or of a command are unchanged.
std::vector<std::string> Parser::State::rewritten() const {
    bool const has_words = std::any_of(entries.begin(), entries.end(), [](Entry const& entry) {
        return std::any_of(entry.names.begin(), entry.names.end(), [](auto const& name) { return is_word(name); });
    });
    std::vector<std::string> result;
    bool is_value = false;
    auto next = arguments.begin();
    for (; next != arguments.end() && *next != "--"; ++next) {
        if (positional.is_command && !is_value && !next->starts_with("-"))
            break;
        std::string argument = *next;
        std::size_t const equals = argument.find('=');
        std::string const name = argument.substr(0, equals);
        Entry const* const entry = find(name);
        if (has_words && !is_value && entry == nullptr && is_word(name))
            reject_unknown_word(name);
        if (is_word(name) && entry != nullptr)
            argument.insert(0, "-");
        bool const takes_value = entry != nullptr && !entry->value.empty();
        bool const is_implied = !is_value && takes_value && !entry->implied.empty() && argument == name;
        if (is_implied)
            argument += (name.starts_with("--") ? "=" : "") + entry->implied;
        // CLI11 would take the next argument as the value of an empty "--name=".
        bool const is_empty = !is_value && takes_value && argument.starts_with("--") && equals + 1 == next->size();
        if (is_empty)
            argument.pop_back();
        is_value = takes_value && !is_implied && equals == std::string::npos;
        result.push_back(std::move(argument));
        if (is_empty)
            result.emplace_back();
    }
    result.insert(result.end(), next, arguments.end());
    return result;
}

/// The name that the user wrote, or the first name if the option is part of a bundle.
std::string Parser::State::spelling(Entry const& entry) const {
    for (std::string const& name : entry.names)
        for (std::string const& argument : arguments)
            if (spells(argument, name) || spells(argument, with_two_dashes(name)))
                return name;
    return entry.names.front();
}

void Parser::State::read(CLI::App& app) {
    app.set_help_flag();
    app.allow_extras();
    for (Entry& entry : entries) {
        std::string names;
        for (std::string const& name : entry.names)
            names.append(names.empty() ? "" : ",").append(with_two_dashes(name));
        entry.option =
            entry.value.empty()
                ? app.add_flag(names)->disable_flag_override()
                : app.add_option(names, CLI::callback_t{})->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    app.prefix_command(positional.is_command);
    if (positional.apply && !positional.is_command)
        positional.option = app.add_option("arguments", positional.texts);

    std::vector<std::string> reversed = rewritten();
    std::reverse(reversed.begin(), reversed.end());
    try {
        app.parse(std::move(reversed));
    } catch (CLI::ParseError const& error) {
        throw UsageError(missing_value_or(error.what()));
    }
    for (Entry& entry : entries)
        entry.count = entry.option->count();
}

/// The error line for a CLI11 failure: a switch with a value, or a last option without one.
std::string Parser::State::missing_value_or(char const* otherwise) const {
    for (std::string const& argument : arguments) {
        Entry const* const entry = find(argument.substr(0, argument.find('=')));
        if (entry != nullptr && entry->value.empty() && argument.find('=') != std::string::npos)
            return fmt::format("{}: takes no value", argument.substr(0, argument.find('=')));
    }
    if (!arguments.empty() && arguments.back().starts_with("-")) {
        std::string const& last = arguments.back();
        Entry const* entry = find(last);
        std::string const letter = std::string{"-"} + last.back();
        if (entry == nullptr && find(letter) != nullptr)
            return fmt::format("{}: needs a value", letter);
        return fmt::format("{}: needs a value", last.substr(0, last.find('=')));
    }
    return otherwise;
}

/// The remaining arguments are the command. `reject_leftovers` has refused an option in its place.
std::vector<Argument> Parser::State::command(CLI::App const& app) const {
    std::vector<Argument> words;
    for (std::string const& text : app.remaining())
        words.push_back({positional.name, text});
    if (!words.empty() && words.front().value == "--")
        words.erase(words.begin());
    return words;
}

void Parser::State::reject_leftovers(CLI::App const& app) const {
    for (std::string const& text : app.remaining()) {
        if (positional.is_command && (text == "--" || !text.starts_with("-")))
            return;
        if (text == "--")
            continue;
        if (text.starts_with("-") && text.size() > 1)
            throw UsageError(fmt::format("unknown option '{}' (see {} --help)", text, program));
        throw UsageError(fmt::format("unexpected argument '{}' (see {} --help)", text, program));
    }
}

/// The values given to an option, each with its place in the order of parsing.
std::vector<Argument> Parser::State::values(CLI::App const& app, CLI::Option const* option,
                                            std::string const& name) const {
    std::vector<Argument> given;
    for (std::string const& value : option->results())
        given.push_back({name, value});
    std::size_t k = 0;
    for (std::size_t place = 0; place < app.parse_order().size() && k < given.size(); ++place)
        if (app.parse_order()[place] == option)
            given[k++].place = place;
    return given;
}

/// Converts in the order given, so that the first error on the command line is reported.
void Parser::State::convert(CLI::App const& app) const {
    std::vector<CLI::Option const*> converted;
    for (CLI::Option const* const option : app.parse_order()) {
        auto const entry = std::find_if(entries.begin(), entries.end(),
                                        [&](Entry const& candidate) { return candidate.option == option; });
        if (entry == entries.end() || std::find(converted.begin(), converted.end(), option) != converted.end())
            continue;
        converted.push_back(option);
        std::string const name = spelling(*entry);
        auto const given = values(app, option, name);
        if (option->count() > 1 && !entry->repeatable && !entry->last_wins)
            throw UsageError(fmt::format("{}: given more than once", name));
        if (!entry->last_wins)
            entry->apply(given);
        else
            for (Argument const& each : given)
                entry->apply({each});
    }
    if (auto const words = command(app); positional.is_command && !words.empty())
        positional.apply(words);
    if (positional.option != nullptr && positional.option->count() > 0)
        positional.apply(values(app, positional.option, positional.name));
}

Parser::Parser(std::string program, std::string summary) : state_{std::make_unique<State>()} {
    state_->program = std::move(program);
    state_->summary = std::move(summary);
}
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;
Parser::~Parser() = default;

void Parser::heading(std::string title) { state_->heading = std::move(title); }

void Parser::flag(std::string const& names, std::string help, bool& target) {
    add(names, "", std::move(help), false, [&target](std::vector<Argument> const&) { target = true; });
}

void Parser::flag(std::string const& names, std::string help, std::function<void()> given) {
    add(names, "", std::move(help), false, [given = std::move(given)](std::vector<Argument> const&) { given(); });
}

void Parser::add(std::string const& names, std::string value, std::string help, bool repeatable, Apply apply) {
    for (std::string const& name : split(names, ','))
        if (knows(name))
            throw UsageError(fmt::format("{}: an option with this name already exists", name));
    state_->entries.push_back(
        {split(names, ','), std::move(value), std::move(help), state_->heading, repeatable, false, std::move(apply)});
}

void Parser::arguments(std::string name, std::string help, std::vector<std::string>& targets) {
    state_->positional = {std::move(name), std::move(help), [&targets](std::vector<Argument> const& given) {
                              targets.clear();
                              for (Argument const& argument : given)
                                  targets.push_back(argument.value);
                          }};
}

void Parser::command(std::string name, std::string help, std::vector<std::string>& target) {
    arguments(std::move(name), std::move(help), target);
    state_->positional.is_command = true;
}

void Parser::arguments(std::string name, std::string help, std::vector<Argument>& targets) {
    state_->positional = {std::move(name), std::move(help),
                          [&targets](std::vector<Argument> const& given) { targets = given; }};
}

void Parser::alias(std::string_view option, std::string const& name) {
    for (State::Entry& entry : state_->entries)
        if (std::find(entry.names.begin(), entry.names.end(), option) != entry.names.end())
            entry.names.insert(entry.names.begin(), name);
}

void Parser::last_wins(std::string_view option) {
    for (State::Entry& entry : state_->entries)
        if (std::find(entry.names.begin(), entry.names.end(), option) != entry.names.end())
            entry.last_wins = true;
}

void Parser::implied(std::string_view option, std::string value) {
    for (State::Entry& entry : state_->entries)
        if (std::find(entry.names.begin(), entry.names.end(), option) != entry.names.end())
            entry.implied = std::move(value);
}

void Parser::closing(std::string text) { state_->closing = std::move(text); }

bool Parser::knows(std::string_view name) const { return state_->find(name) != nullptr; }

bool Parser::given(std::string_view name) const {
    auto const* const entry = state_->find(name);
    return entry != nullptr && entry->count > 0;
}

std::string Parser::parse(std::vector<std::string> const& arguments, std::vector<std::string> const& questions) {
    state_->arguments = arguments;
    CLI::App app;
    state_->read(app);
    for (std::string const& question : questions)
        if (given(question))
            return question;
    state_->reject_leftovers(app);
    state_->convert(app);
    // A configuration file may set further options: `configure` checks the rules then.
    if (!given("--config"))
        check_rules();
    return {};
}

void Parser::check(std::function<void(Parser const&)> rule) { state_->rules.push_back(std::move(rule)); }

void Parser::check_rules() const {
    for (auto const& rule : state_->rules)
        rule(*this);
}

/// Collects the settings of a configuration file before any of them is applied.
class Parser::Configuration {
public:
    Configuration(State& state, std::string file) : state_{state}, file_{std::move(file)} {}

    void read(std::string_view text) {
        for (std::string_view rest = text; !rest.empty(); ++line_) {
            std::size_t const end = std::min(rest.find('\n'), rest.size());
            if (auto const content = trimmed(without_comment(rest.substr(0, end))); !content.empty())
                take(content);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }

    /// Converts the values of the options that the command line does not give.
    void apply() {
        for (Setting const& setting : settings_)
            if (setting.entry->count == 0)
                apply(setting);
        std::stable_sort(faults_.begin(), faults_.end(),
                         [](ParseError const& a, ParseError const& b) { return a.line < b.line; });
        throw_any(std::move(faults_));
        for (Setting const& setting : settings_)
            setting.entry->count = std::max(setting.entry->count, setting.given.size());
    }

private:
    struct Setting {
        State::Entry* entry;
        std::vector<Argument> given;
        std::vector<int> lines;
    };

    static std::string_view without_comment(std::string_view line) {
        for (std::size_t i = 0; i < line.size(); ++i)
            if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
                return line.substr(0, i);
        return line;
    }

    void fault(int line, std::string text) { faults_.push_back({file_, line, 1, std::move(text)}); }

    static bool is_for_command_lines(std::string_view name) {
        return name == "--config" || name == "--help" || name == "--version";
    }

    [[nodiscard]] State::Entry* find(std::string const& key) const {
        std::string const name = "--" + key;
        if (is_for_command_lines(name))
            return nullptr;
        for (State::Entry& entry : state_.entries)
            for (std::string const& declared : entry.names)
                if (with_two_dashes(declared) == name)
                    return &entry;
        return nullptr;
    }

    [[nodiscard]] std::string unknown(std::string const& key) const {
        std::vector<std::string> known;
        for (State::Entry const& entry : state_.entries)
            for (std::string const& declared : entry.names)
                if (auto const name = with_two_dashes(declared);
                    name.size() > 2 && name.starts_with("--") && !is_for_command_lines(name))
                    known.push_back(name.substr(2));
        std::string const near = closest(key, known);
        return fmt::format("unknown key '{}' ({})", key,
                           near.empty() ? fmt::format("use a long option that {} --help lists", state_.program)
                                        : fmt::format("did you mean '{}'?", near));
    }

    void take(std::string_view content) {
        std::size_t const equals = content.find('=');
        if (equals == std::string_view::npos) {
            fault(line_, fmt::format("'{}' is not of the form key = value", content));
            return;
        }
        std::string const key{trimmed(content.substr(0, equals))};
        std::string value{trimmed(content.substr(equals + 1))};
        State::Entry* const entry = find(key);
        if (entry == nullptr) {
            fault(line_, unknown(key));
            return;
        }
        auto const before = std::find_if(settings_.begin(), settings_.end(),
                                         [&](Setting const& setting) { return setting.entry == entry; });
        if (before == settings_.end()) {
            settings_.push_back({entry, {{key, std::move(value)}}, {line_}});
        } else if (entry->repeatable) {
            before->given.push_back({key, std::move(value)});
            before->lines.push_back(line_);
        } else {
            fault(line_, fmt::format("{}: given more than once", key));
        }
    }

    void apply(Setting const& setting) {
        Argument const& first = setting.given.front();
        try {
            if (!setting.entry->value.empty())
                setting.entry->apply(setting.given);
            else if (position(first, {"true", "false"}) == 0)
                setting.entry->apply({});
        } catch (UsageError const& error) {
            fault(at_fault(setting, error.what()), error.what());
        }
    }

    /// The line of the value that the message quotes, if the option has several lines.
    static int at_fault(Setting const& setting, std::string_view message) {
        for (std::size_t i = 0; i < setting.given.size(); ++i)
            if (message.find("'" + setting.given[i].value + "'") != std::string_view::npos)
                return setting.lines[i];
        return setting.lines.front();
    }

    State& state_;
    std::string file_;
    int line_ = 1;
    std::vector<Setting> settings_;
    std::vector<ParseError> faults_;
};

void Parser::configure(std::string const& file, std::string_view text) {
    Configuration configuration{*state_, file};
    configuration.read(text);
    configuration.apply();
    check_rules();
}

std::string Parser::help() const {
    auto const column = [](std::string const& left, std::string const& help) {
        std::string line = "  " + left;
        if (line.size() + 2 > help_indent)
            line += "\n" + std::string(help_indent, ' ');
        else
            line.resize(help_indent, ' ');
        return line + wrapped(help, help_indent, help_width) + "\n";
    };

    State const& s = *state_;
    std::string text =
        fmt::format("Usage: {} [options]{}\n\n{}\n", s.program, s.positional.apply ? " " + s.positional.name : "",
                    wrapped(s.summary, 0, help_width));
    if (s.positional.apply)
        text += "\nArguments:\n" + column(s.positional.name, s.positional.help);
    std::string heading;
    for (State::Entry const& entry : s.entries) {
        if (entry.heading != heading)
            text += "\n" + entry.heading + ":\n";
        heading = entry.heading;
        std::string const names = fmt::format("{}", fmt::join(entry.names, ", "));
        text += column(entry.value.empty() ? names : names + " " + entry.value, entry.help);
    }
    if (s.closing.empty())
        return text;
    bool const has_lines = s.closing.find('\n') != std::string::npos;
    return text + "\n" + (has_lines ? s.closing : wrapped(s.closing, 0, help_width)) + "\n";
}

}  // namespace program
