// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/findings.hpp"

#include "doctor/checks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace measure::tool::doctor {

namespace {

/// Joins equal findings.
class Collection {
public:
    void add(char const* topic, Judgement const& judgement, std::vector<int> const& ranks) {
        if (judgement.text.empty())
            return;
        auto& finding = same(topic, judgement);
        append(finding.ranks, ranks);
        if (judgement.detail.empty())
            return;
        auto const known = std::find_if(finding.details.begin(), finding.details.end(),
                                        [&](auto const& detail) { return detail.text == judgement.detail; });
        if (known != finding.details.end())
            append(known->ranks, ranks);
        else
            finding.details.push_back({judgement.detail, ranks});
    }
    [[nodiscard]] std::vector<Finding> sorted() && {
        for (auto& finding : findings_) {
            std::sort(finding.ranks.begin(), finding.ranks.end());
            for (auto& detail : finding.details)
                std::sort(detail.ranks.begin(), detail.ranks.end());
        }
        std::stable_sort(findings_.begin(), findings_.end(),
                         [](auto const& a, auto const& b) { return a.level > b.level; });
        return std::move(findings_);
    }
    void add(std::vector<Finding> more) { std::move(more.begin(), more.end(), std::back_inserter(findings_)); }

private:
    Finding& same(char const* topic, Judgement const& j) {
        auto const found = std::find_if(findings_.begin(), findings_.end(), [&](auto const& finding) {
            return finding.topic == topic && finding.level == j.level && finding.text == j.text &&
                   finding.remedy == j.remedy;
        });
        if (found != findings_.end())
            return *found;
        return findings_.emplace_back(Finding{.topic = topic, .level = j.level, .text = j.text, .remedy = j.remedy});
    }
    static void append(std::vector<int>& to, std::vector<int> const& ranks) {
        to.insert(to.end(), ranks.begin(), ranks.end());
    }
    std::vector<Finding> findings_;
};

double cores_used(Host const& host, World const& world) {
    double cores = 0;
    for (int const rank : host.ranks)
        cores += world.ranks[static_cast<std::size_t>(rank)].facts.number("cores_used").value_or(0);
    return cores;
}

}  // namespace

HostView view_of(Host const& host, World const& world) {
    HostView view{.host = host, .world = static_cast<int>(world.ranks.size())};
    for (int const rank : host.ranks)
        view.ranks.push_back(&world.ranks[static_cast<std::size_t>(rank)]);
    for (auto const& other : world.hosts)
        if (&other == &host || are_of_one_machine(other, host))
            view.own_cores += cores_used(other, world);
    return view;
}

std::string_view name(Level level) noexcept {
    static constexpr std::array<std::string_view, 4> names{"fine", "unknown", "note", "warning"};
    return names[static_cast<std::size_t>(level)];
}

std::vector<Finding> diagnose(World const& world) {
    int const size = static_cast<int>(world.ranks.size());
    Collection findings;
    for (auto const checks : {room_checks(), machine_checks()})
        for (auto const& [topic, judge] : checks)
            for (auto const& host : world.hosts)
                findings.add(topic, judge(view_of(host, world)), host.ranks);
    for (auto const& [topic, judge] : rank_checks())
        for (auto const& host : world.hosts)
            for (int const rank : host.ranks)
                findings.add(topic, judge({world.ranks[static_cast<std::size_t>(rank)], host, size}), {rank});
    findings.add(differences(world));
    return std::move(findings).sorted();
}

Level worst(std::span<Finding const> findings) noexcept {
    Level level = Level::fine;
    for (auto const& finding : findings)
        level = std::max(level, finding.level);
    return level;
}

}  // namespace measure::tool::doctor
