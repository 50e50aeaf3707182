// SPDX-License-Identifier: BSD-3-Clause
/// Exchanges of one pair of ranks, client and server, over messages or a faster link between them.
#pragma once

#include "clock/offset_search.hpp"
#include "measure/clock_sync.hpp"

#include <algorithm>

namespace measure::detail {

enum SyncTag : int { tag_probe = 1, tag_stop = 2, tag_reply = 3, tag_word = 5 };

/// Exchanges stamps as messages of a Net. Every link has these functions: `question` returns the server's answer,
/// `stop` ends the questions, `asked` waits for a question and returns false after the last one, `reply` answers it.
template <class Net>
class MessageLink {
public:
    static constexpr bool is_shared = false;
    MessageLink(Net& net, int peer) : net_{net}, peer_{peer} {}

    double question() {
        double answer = 0;
        net_.send(nothing, peer_, tag_probe);
        net_.receive(answer, peer_);
        return answer;
    }
    void stop() { net_.send(nothing, peer_, tag_stop); }
    bool asked() {
        double probe = 0;
        return net_.receive(probe, peer_) != tag_stop;
    }
    void reply(double stamp) { net_.send(stamp, peer_, tag_reply); }

private:
    static constexpr double nothing = 0;
    Net& net_;
    int peer_;
};

/// Calls f with the link between this rank and `peer`, one of which is `client`. Uses the shared link of the Net if
/// there is one, otherwise messages. Both ranks must choose the same.
template <class Net, class F>
decltype(auto) over_link(Net& net, int client, int peer, F&& f) {
    if constexpr (requires { net.shared_link(client, peer); })
        if (auto link = net.shared_link(client, peer))
            return f(*link);
    MessageLink link(net, peer);
    return f(link);
}

template <class Net, class Link>
PairOffset ask(Net& net, Link& link, ClockModel const& model, PairOptions const& options) {
    OffsetSearch search(options, net.step());
    while (!search.done()) {
        auto const sa = net.now();
        double const p = link.question();
        auto const sb = net.now();
        double const a = model.to_root(net.local(sa));
        search.add(a, p, model.to_root(net.local(sb)) - a);
    }
    link.stop();
    return search.result();
}

template <class Net, class Link>
void answer(Net& net, Link& link, ClockModel const& model) {
    while (link.asked())
        link.reply(model.to_root(net.local(net.now())));
}

/// Result of a client, and whether a shared link was used.
struct AskedPair {
    PairOffset offset{};
    bool shared = false;
};

/// Measures a pair. Repeats up to `tries` times if the bounds contradict each other or all round trips were long (a
/// rank was not running). The client decides and keeps the best measurement.
template <class Net>
AskedPair ask_pair(Net& net, int server, PairOptions const& options, int tries) {
    return over_link(net, net.rank(), server, [&](auto& link) {
        PairOffset best;
        for (int i = 0; i < tries; ++i) {
            PairOffset found = ask(net, link, {}, options);
            if (options.both_ways) {
                answer(net, link, {});
                PairOffset backward;
                net.receive(backward, server);
                found = both_ways(found, backward);
            }
            if (i == 0 || is_better(found, best))
                best = found;
            bool const again = best.inconsistent || best.rtt > longest_sane(options, link.is_shared);
            net.send(again, server, tag_word);
            if (!again)
                break;
        }
        return AskedPair{best, link.is_shared};
    });
}

template <class Net>
void serve_pair(Net& net, int client, ClockModel const& model, PairOptions const& options, int tries) {
    over_link(net, client, client, [&](auto& link) {
        bool again = true;
        for (int i = 0; i < tries && again; ++i) {
            answer(net, link, model);
            if (options.both_ways)
                net.send(ask(net, link, model, options), client, tag_word);
            net.receive(again, client);
        }
    });
}

}  // namespace measure::detail
