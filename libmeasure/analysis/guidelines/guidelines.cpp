// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/guidelines/guidelines.hpp"

#include "analysis/guidelines/commands.hpp"

#include <measure/two_samples.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace measure {

namespace {

using Operations = std::map<std::string, OperationCurve>;

/// A point and the number of times its operation is executed.
struct Side {
    std::string operation;
    std::int64_t ranks;
    OperationPoint const* point;
    std::int64_t times = 1;
};

/// The time that reports show and that factors are computed from: the median over launches.
double middle_time(OperationPoint const& point) { return median(numbers(point.times)); }

/// Standard error of a median of times, computed on their logarithms.
double log_error(std::vector<double> const& logs) {
    constexpr double median_to_mean = 1.2533;  // ratio of the two errors for many normal values; smaller for few
    return median_to_mean * standard_error(logs);
}

/// A relative standard error, with its degrees of freedom.
struct TermError {
    double relative;
    double degrees;
};

/// Error over launches if there are at least two, otherwise the launch's own error.
std::optional<TermError> term_error(OperationPoint const& point) {
    if (point.times.size() < 2)
        return point.relative_error ? std::optional{TermError{*point.relative_error, point.degrees}} : std::nullopt;
    auto logs = numbers(point.times);
    for (double& x : logs)
        x = std::log(x);
    return TermError{log_error(logs), static_cast<double>(logs.size() - 1)};
}

bool have_same_launches(OperationPoint const& a, OperationPoint const& b) {
    return std::equal(a.times.begin(), a.times.end(), b.times.begin(), b.times.end(),
                      [](auto const& x, auto const& y) { return x.first == y.first; });
}

/// Logarithm of left / right, with its error.
struct LogFactor {
    double value = 0;
    std::optional<double> error{};
    double degrees = 1;
    std::size_t launches = 0;
};

/// Identical times indicate a coarse clock, not an error of zero.
std::optional<double> some_error(double error) { return error > 0 ? std::optional{error} : std::nullopt; }

double sum_of(std::vector<Side> const& right) {
    double sum = 0;
    for (auto const& side : right)
        sum += static_cast<double>(side.times) * middle_time(*side.point);
    return sum;
}

/// Errors of the per-launch factors. Effects that a whole launch shares cancel in the factor.
LogFactor by_launches(Side const& left, std::vector<Side> const& right) {
    std::vector<double> logs;
    for (auto const& [launch, time] : left.point->times) {
        double sum = 0;
        for (auto const& side : right)
            sum += static_cast<double>(side.times) * side.point->times.at(launch);
        logs.push_back(std::log(time / sum));
    }
    return {.value = std::log(middle_time(*left.point) / sum_of(right)),
            .error = some_error(log_error(logs)),
            .degrees = static_cast<double>(logs.size() - 1),
            .launches = logs.size()};
}

/// Combines errors as for independent values, with the degrees of freedom of Welch and Satterthwaite.
LogFactor by_errors(Side const& left, std::vector<Side> const& right) {
    double const sum = sum_of(right);
    LogFactor result{.value = std::log(middle_time(*left.point) / sum), .launches = left.point->times.size()};
    double variance = 0;
    double denominator = 0;
    bool is_known = true;
    auto const add = [&](OperationPoint const& point, double weight) {
        auto const error = term_error(point);
        is_known = is_known && error;
        if (!error)
            return;
        double const part = std::pow(weight * error->relative, 2);
        variance += part;
        denominator += part * part / error->degrees;
        result.launches = std::min(result.launches, point.times.size());
    };
    add(*left.point, 1);
    for (auto const& side : right)
        add(*side.point, static_cast<double>(side.times) * middle_time(*side.point) / sum);
    double const degrees = denominator > 0 ? variance * variance / denominator : 1;
    if (is_known && std::isfinite(variance) && std::isfinite(degrees)) {
        result.error = some_error(std::sqrt(variance));
        result.degrees = degrees;
    }
    if (result.launches < 2)
        result.launches = 0;
    return result;
}

LogFactor log_factor(Side const& left, std::vector<Side> const& right) {
    bool const is_paired = left.point->times.size() > 1 &&
                           std::all_of(right.begin(), right.end(),
                                       [&](Side const& side) { return have_same_launches(*left.point, *side.point); });
    return is_paired ? by_launches(left, right) : by_errors(left, right);
}

GuidelineTerm term(Side const& side) {
    return {.operation = side.operation,
            .ranks = side.ranks,
            .bytes = side.point->bytes,
            .times = side.times,
            .time = middle_time(*side.point)};
}

/// Checks the guidelines of one set at one number of processes.
class Checker {
public:
    Checker(OperationSet const& set, GuidelineRules const& rules, GuidelineResult& result)
        : set_{set}, rules_{rules}, result_{result} {}

    void check_patterns(std::int64_t ranks, Operations const& operations) {
        if (ranks < 2)
            return;
        for (auto const& pattern : patterns())
            check_pattern(pattern, ranks, operations);
    }

    void check_sizes(std::int64_t ranks, Operations const& operations) {
        for (auto const& [operation, curve] : operations)
            for (auto here = curve.begin(); here != curve.end(); ++here) {
                if (auto const next = std::next(here); next != curve.end())
                    add({.kind = GuidelineKind::monotony,
                         .guideline = fmt::format("{0}(n) <= {0}(m), n < m", operation),
                         .source = "PGMPI"},
                        {operation, ranks, &here->second}, {{operation, ranks, &next->second}});
                check_split(operation, ranks, curve, here);
            }
    }

    /// Compares with the same block size at the next larger number of processes.
    void check_ranks() {
        for (auto fewer = set_.curves.begin(); fewer != set_.curves.end(); ++fewer)
            for (auto const& [operation, curve] : fewer->second)
                for (auto const& [size, point] : curve)
                    if (auto const more = on_more_ranks(fewer, operation, point.block))
                        add({.kind = GuidelineKind::ranks,
                             .guideline = fmt::format("{0}(n) on p <= {0}(n) on q, p < q", operation),
                             .source = "own"},
                            {operation, fewer->first, &point}, {*more});
    }

private:
    void check_pattern(Pattern const& pattern, std::int64_t ranks, Operations const& operations) {
        std::vector<std::string> right{std::string{pattern.right}};
        if (!pattern.then.empty())
            right.emplace_back(pattern.then);
        Unchecked unchecked{
            .guideline = formula(pattern), .source = std::string{pattern.source}, .set = set_.label, .ranks = ranks};
        std::vector<std::string> all = right;
        all.insert(all.begin(), std::string{pattern.left});
        if (!concerns(all, operations))
            return;
        for (auto const& operation : all)
            if (!set_.benchmark(operation))
                unchecked.unknown.push_back(operation);
        if (unchecked.unknown.empty())
            for (Bytes const size : sizes_of(all, operations))
                check_at(pattern, size, ranks, right, operations, unchecked);
        if (unchecked.sizes > 0 || !unchecked.unknown.empty())
            result_.unchecked.push_back(std::move(unchecked));
    }

    void check_at(Pattern const& pattern, Bytes size, std::int64_t ranks, std::vector<std::string> const& right,
                  Operations const& operations, Unchecked& unchecked) {
        std::vector<Side> sides;
        bool padded = false;
        bool is_complete = true;
        for (auto const& operation : right)
            if (auto const* const found = at_least(operations, operation, size)) {
                sides.push_back({operation, ranks, &found->second});
                padded = padded || found->first != size;
            } else {
                unchecked.missing[operation].insert(size);
                is_complete = false;
            }
        std::string const left{pattern.left};
        auto const* const here = exactly(operations, left, size);
        if (here == nullptr) {
            unchecked.missing[left].insert(size);
            is_complete = false;
        }
        if (!is_complete) {
            ++unchecked.sizes;
            return;
        }
        add({.kind = GuidelineKind::pattern,
             .guideline = formula(pattern),
             .source = std::string{pattern.source},
             .padded = padded},
            {left, ranks, here}, sides);
    }

    /// Whether a guideline is reported for this set. Guidelines about operations by hand apply only to suites that
    /// measure them. If none of the operations was measured, only guidelines about collective operations are reported.
    bool concerns(std::vector<std::string> const& all, Operations const& operations) const {
        if (std::any_of(all.begin(), all.end(),
                        [&](auto const& operation) { return is_by_hand(operation) && !set_.benchmark(operation); }))
            return false;
        bool const is_measured =
            std::any_of(all.begin(), all.end(), [&](auto const& operation) { return operations.contains(operation); });
        bool const is_collective = std::all_of(all.begin(), all.end(), [&](auto const& operation) {
            auto const benchmark = set_.benchmark(operation);
            return benchmark && benchmark->semantics.kind == OperationKind::collective;
        });
        return is_measured || (is_collective && !collective_sizes(operations).empty());
    }

    std::set<Bytes> collective_sizes(Operations const& operations) const {
        std::set<Bytes> sizes;
        for (auto const& [operation, curve] : operations)
            if (set_.benchmark(operation)->semantics.kind == OperationKind::collective)
                for (auto const& [size, point] : curve)
                    sizes.insert(size);
        return sizes;
    }

    /// Sizes measured for the left side, otherwise for the right side, otherwise for any collective operation.
    std::set<Bytes> sizes_of(std::vector<std::string> const& all, Operations const& operations) const {
        for (auto const& operation : all)
            if (auto const found = operations.find(operation); found != operations.end()) {
                std::set<Bytes> sizes;
                for (auto const& [size, point] : found->second)
                    sizes.insert(size);
                return sizes;
            }
        return collective_sizes(operations);
    }

    static OperationPoint const* exactly(Operations const& operations, std::string const& operation, Bytes size) {
        auto const curve = operations.find(operation);
        if (curve == operations.end())
            return nullptr;
        auto const point = curve->second.find(size);
        return point == curve->second.end() ? nullptr : &point->second;
    }

    /// The point at `size`, or the next larger one up to twice that size: a replacement may send more data than needed.
    static OperationCurve::value_type const* at_least(Operations const& operations, std::string const& operation,
                                                      Bytes size) {
        auto const curve = operations.find(operation);
        if (curve == operations.end())
            return nullptr;
        auto const point = curve->second.lower_bound(size);
        return point == curve->second.end() || point->first - size > size ? nullptr : &*point;
    }

    void check_split(std::string const& operation, std::int64_t ranks, OperationCurve const& curve,
                     OperationCurve::const_iterator whole) {
        for (auto part = whole; part != curve.begin();) {
            --part;
            if (part->first <= 0 || whole->first % part->first != 0)
                continue;
            add({.kind = GuidelineKind::split,
                 .guideline = fmt::format("{0}(k n) <= k {0}(n)", operation),
                 .source = "PGMPI"},
                {operation, ranks, &whole->second}, {{operation, ranks, &part->second, whole->first / part->first}});
            return;
        }
    }

    std::optional<Side> on_more_ranks(std::map<std::int64_t, Operations>::const_iterator fewer,
                                      std::string const& operation, Bytes block) const {
        for (auto more = std::next(fewer); more != set_.curves.end(); ++more)
            if (auto const curve = more->second.find(operation); curve != more->second.end())
                for (auto const& [size, point] : curve->second)
                    if (point.block == block)
                        return Side{operation, more->first, &point};
        return std::nullopt;
    }

    void add(GuidelineCheck check, Side const& left, std::vector<Side> const& right) {
        check.set = set_.label;
        check.ranks = left.ranks;
        check.size = left.point->bytes;
        check.left = term(left);
        for (auto const& side : right)
            check.right.push_back(term(side));
        auto const factor = log_factor(left, right);
        if (!std::isfinite(factor.value))
            return;
        check.factor = std::exp(factor.value);
        check.launches = factor.launches;
        if (factor.launches < 2)
            check.verdict = GuidelineVerdict::one_launch;
        if (factor.error) {
            if (factor.launches >= 2)
                check.p = student_tail(factor.value / *factor.error, factor.degrees);
            double const width = student_quantile(1 - rules_.alpha, factor.degrees) * *factor.error;
            check.interval = Interval{std::exp(factor.value - width), std::exp(factor.value + width)};
        }
        result_.checks.push_back(std::move(check));
    }

    OperationSet const& set_;
    GuidelineRules const& rules_;
    GuidelineResult& result_;
};

/// Holm's correction over all checks that were tested.
void adjust(std::vector<GuidelineCheck>& checks) {
    std::vector<double> ps;
    for (auto const& check : checks)
        if (check.p)
            ps.push_back(*check.p);
    auto const adjusted = holm(ps);
    std::size_t next = 0;
    for (auto& check : checks)
        if (check.p)
            check.adjusted_p = adjusted[next++];
}

GuidelineVerdict judged_check(GuidelineCheck const& check, GuidelineRules const& rules) {
    if (!check.p)
        return check.verdict;
    if (*check.adjusted_p < rules.alpha && check.factor > 1 + rules.threshold)
        return GuidelineVerdict::violated;
    return check.interval->second <= 1 + rules.threshold ? GuidelineVerdict::kept : GuidelineVerdict::unclear;
}

}  // namespace

GuidelineResult check_guidelines(OperationPoints const& points, GuidelineRules const& rules) {
    GuidelineResult result;
    for (auto const& set : points.sets) {
        Checker checker{set, rules, result};
        for (auto const& [ranks, operations] : set.curves) {
            checker.check_patterns(ranks, operations);
            checker.check_sizes(ranks, operations);
        }
        checker.check_ranks();
    }
    adjust(result.checks);
    for (auto& check : result.checks)
        check.verdict = judged_check(check, rules);
    result.commands = commands_for(result.unchecked, points.sets);
    return result;
}

}  // namespace measure
