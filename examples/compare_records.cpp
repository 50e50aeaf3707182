// Is the machine slower after the change? Compares launches before and after it like `measure compare`, without MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <measure/analysis.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

std::vector<measure::RunRecord> starts_in(char const* path) {
    std::ifstream file{path};
    return measure::read_records(std::string{std::istreambuf_iterator<char>{file}, {}});
}

int main(int argc, char** argv) try {
    if (argc != 3)
        throw measure::UsageError("usage: compare_records BEFORE.jsonl AFTER.jsonl");
    auto const before = starts_in(argv[1]);
    auto const after = starts_in(argv[2]);
    for (auto const& warning : measure::differing_conditions(before, after))
        std::cerr << "warning: " << warning << '\n';
    for (auto const& operation : measure::compare_records(before, after).operations)
        std::cout << operation.point.benchmark << " is " << measure::name(operation.verdict) << ": " << operation.ratio
                  << " times, " << operation.n_a << " and " << operation.n_b << " launches"
                  << (operation.why.empty() ? "" : ": ") << operation.why << '\n';
} catch (std::exception const& error) {
    std::cerr << measure::error_text(error) << '\n';
    return 2;
}
