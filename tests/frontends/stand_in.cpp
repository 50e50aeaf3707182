// SPDX-License-Identifier: BSD-3-Clause
// Stands in for mpiperf in the tests of measure run: writes a record whose times follow a formula, with a small scatter
// that is the same in every test.
//
// Files next to the program change its behaviour: slow (operation and factor, any number of them), state (the same, for
// every third launch), early (operation, factor, and the last launch with this factor), fail, hang, stall and nothing
// (numbers of launches), pause (s), elapsed (reported duration, s), cost (reported duration of each point, s), attempts
// (samples of a point, of which 16 are valid), step (s between the recorded beginnings of consecutive launches). Each
// launch appends a line to the file `starts`.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Words = std::vector<std::string>;

std::filesystem::path here;

/// Returns the words of the file with that name; none if it is missing.
Words asked(char const* name) {
    std::ifstream file{here / name};
    Words words;
    for (std::string word; file >> word;)
        words.push_back(word);
    return words;
}

bool is_asked(char const* name, int number) {
    auto const words = asked(name);
    return std::find(words.begin(), words.end(), std::to_string(number)) != words.end();
}

double number_asked(char const* name, double otherwise) {
    auto const words = asked(name);
    return words.empty() ? otherwise : std::stod(words.front());
}

std::string variable(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

void wait_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>{seconds}); }

std::string quoted(std::string const& text) {
    std::string result = "\"";
    for (char const c : text)
        result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return result + '"';
}

std::string array(Words const& words) {
    Words all;
    for (auto const& word : words)
        all.push_back(quoted(word));
    return fmt::format("[{}]", fmt::join(all, ", "));
}

/// Returns the word after that option.
std::string option(Words const& words, std::string const& name, std::string const& otherwise = {}) {
    auto const found = std::find(words.begin(), words.end(), name);
    return found == words.end() ? otherwise : *(found + 1);
}

std::string point(std::string const& test, std::string const& at, double value, std::string const& derived = {}) {
    static int const attempts = static_cast<int>(number_asked("attempts", 16));
    static double const cost = number_asked("cost", 0.001);
    return fmt::format(
        R"({{"record": "point", "benchmark": "{0}", "at": {{{1}}}, "quantity": "time", "unit": "s", "value": {2:.17g}, )"
        R"("status": "converged", "estimate": {{"mean": {2:.17g}, "standard_error": {3:.17g}, "confidence": 0.95, )"
        R"("interval": null, "median": {2:.17g}, "median_interval": null, "min": {2:.17g}, "max": {2:.17g}, )"
        R"("quantiles": {{"0.25": {4:.17g}, "0.75": {5:.17g}}}}}, "attempts": {6}, "valid": 16, "kept": 16, )"
        R"("invalid": {{{7}}}, "derived": {{{8}}}, "flags": [], "elapsed": {9}}})"
        "\n",
        test, at, value, value / 100, value * 0.99, value * 1.01, attempts,
        attempts > 16 ? fmt::format(R"("late": {})", attempts - 16) : "", derived, cost);
}

/// The computing takes 0, 1 and 2 times as long as the operation.
std::string overlapped_points(std::string const& test, std::string const& at, double value) {
    std::string lines;
    for (int const times : {0, 1, 2}) {
        double const share = 0.45 * times;
        lines += point(test, fmt::format(R"({}, "compute": {:.17g})", at, times * value), value * (1 + times - share),
                       fmt::format(R"("blocking_time": {:.17g}, "overlap": {{"min": {}, "mean": {}, "max": {}}})",
                                   value, share, share, share));
    }
    return lines;
}

/// Returns the factor of each operation in this launch.
std::map<std::string, double> factors(int number) {
    std::map<std::string, double> result;
    for (char const* const name : {"slow", "state"})
        if (auto const slow = asked(name); name != std::string{"state"} || number % 3 == 0)
            for (std::size_t i = 0; i + 1 < slow.size(); i += 2)
                result.try_emplace(slow[i], 1).first->second *= std::stod(slow[i + 1]);
    if (auto const early = asked("early"); early.size() == 3)
        result[early[0]] = number <= std::stoi(early[2]) ? std::stod(early[1]) : 1;
    return result;
}

/// Returns the points of a word like "Bcast:8,4096"; other words have none.
std::string points(std::string const& word, Words const& words, std::map<std::string, double> const& slow,
                   std::mt19937& chance) {
    auto const colon = word.find(':');
    if (colon == std::string::npos || std::isupper(static_cast<unsigned char>(word.front())) == 0)
        return {};
    std::string const test = word.substr(0, colon);
    bool const computes = test == "Ibcast" && std::find(words.begin(), words.end(), "-c") != words.end();
    std::uniform_real_distribution<double> scatter{-0.004, 0.004};
    std::string lines;
    for (std::size_t begin = colon + 1; begin < word.size();) {
        std::size_t used = 0;
        long const count = std::stol(word.substr(begin), &used);
        begin += used + 1;
        double value = (1e-6 + static_cast<double>(count) * 1e-10) * (1 + scatter(chance));
        if (auto const factor = slow.find(test); factor != slow.end())
            value *= factor->second;
        if (variable("SIDE") == "slow" && test == "Bcast")
            value *= 1.5;
        auto const at = fmt::format(R"("ranks": 2, "count": {}, "bytes": {})", count, count * (test == "Scan" ? 8 : 1));
        lines += computes ? overlapped_points(test, at, value) : point(test, at, value);
    }
    return lines;
}

std::string run_line(Words const& words, std::string const& campaign, int number) {
    auto const started = std::time(nullptr) + static_cast<std::time_t>(number_asked("step", 100) * number);
    Words tests;
    std::copy_if(words.begin(), words.end(), std::back_inserter(tests),
                 [](auto const& word) { return word.find(':') != std::string::npos; });
    return fmt::format(
        R"({{"record": "run", "schema": 2, "suite": "mpiperf", "program": "mpiperf", "version": "0.1.0", "command": {}, )"
        R"("started": "{:%Y-%m-%dT%H:%M:%SZ}", "mpi": {{"library": "MPICH 4.0.2", "standard": "4.0"}}, "ranks": 2, )"
        R"("hosts": [{{"name": "node1", "ranks": "0-1", "cores": 2, "cpu": "CPU"}}], "oversubscribed": false, )"
        R"("kernel": null, "clocksource": null, "governor": null, "compiler": "gcc", "timer": {{"name": "tsc", )"
        R"("resolution": 1e-9, "overhead": 1e-8, "frequency": null}}, "clock_sync": null, "options": {{"seed": {}, )"
        R"("shuffle": true, "tests": {}, "valid_runs": {}}}, "warnings": [], "mpi_settings": {{"SIDE": {}}}, )"
        R"("campaign": {{"id": {}, "launch": {}}}}})"
        "\n",
        array(words), fmt::gmtime(started), number, array(tests), option(words, "--valid-runs", "30"),
        quoted(variable("SIDE")), quoted(campaign), number);
}

/// Appends this launch to the file `starts`. \return its number, from 1
unsigned note_start(std::string const& campaign) {
    std::ofstream{here / "starts", std::ios::app} << campaign << ' ' << variable("SIDE") << '\n';
    std::ifstream file{here / "starts"};
    unsigned starts = 0;
    for (std::string line; std::getline(file, line);)
        ++starts;
    return starts;
}

}  // namespace

int main(int argc, char** argv) {
    // The list of tests is not available.
    if (argc == 2 && std::strcmp(argv[1], "-q") == 0)
        return 1;
    Words const words{argv + 1, argv + argc};
    here = std::filesystem::path{argv[0]}.parent_path();
    auto const launch = variable("MEASURE_CAMPAIGN");
    auto const colon = launch.rfind(':');
    int const number = std::stoi(launch.substr(colon + 1));
    std::mt19937 chance{note_start(launch)};
    if (is_asked("fail", number)) {
        fmt::print(stderr, "mpiperf: error: the cat sat on the network\n");
        return 7;
    }
    if (is_asked("hang", number))
        wait_for(600);
    wait_for(number_asked("pause", 0));
    if (is_asked("nothing", number))
        return 0;
    auto const slow = factors(number);
    std::ofstream record{option(words, "--json")};
    record << run_line(words, launch.substr(0, colon), number);
    for (auto const& word : words)
        record << points(word, words, slow, chance);
    record << fmt::format(
        R"({{"record": "end", "status": "complete", "exit_code": 0, "elapsed": {}, "clock_sync_residual": null}})"
        "\n",
        is_asked("stall", number) ? 2.05 : number_asked("elapsed", 0.05));
    record.close();
    if (!record) {
        fmt::print(stderr, "mpiperf: error: {}\n", std::strerror(errno));
        return 1;
    }
}
