// Which of my benchmarks became slower? Compares two record files, before and after a change, without MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <measure/analysis.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

// Joins the points of all launches in a file. Keeps only points with a value and a size.
std::vector<measure::Record> points_of(char const* path) {
    std::ifstream file{path};
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    std::vector<std::vector<measure::Record>> launches;
    for (auto const& run : measure::read_records(text))
        launches.push_back(run.points);
    auto points = measure::merge_launches(launches);
    std::erase_if(points, [](auto const& point) { return !point.value || !point.at.has("bytes"); });
    return points;
}

void compare(std::vector<measure::Record> const& before, std::vector<measure::Record> const& after) {
    for (auto const& old : before)
        for (auto const& now : after)
            if (now.benchmark == old.benchmark && now.quantity == old.quantity && now.at == old.at)
                if (auto const ratio = measure::ratio(now, old)) {
                    std::cout << old.benchmark << ' ' << old.at.text() << ": " << ratio->value;
                    if (ratio->standard_error)
                        std::cout << " +- " << *ratio->standard_error;
                    std::cout << " times the " << measure::name(old.quantity) << '\n';
                }
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3)
        throw measure::UsageError("usage: two_launches BEFORE.jsonl AFTER.jsonl");
    auto const before = points_of(argv[1]);
    auto const after = points_of(argv[2]);
    compare(before, after);
    std::cout << "all sizes together:\n";
    compare(measure::fold(before, "bytes", measure::join::log_mean),
            measure::fold(after, "bytes", measure::join::log_mean));
} catch (std::exception const& error) {
    std::cerr << measure::error_text(error) << '\n';
    return 2;
}
