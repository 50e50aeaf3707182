// SPDX-License-Identifier: BSD-3-Clause
#include "measure/own_sync.hpp"

#include "clock/own_net.hpp"
#include "clock/synchronisers.hpp"
#include "core/agreed_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace measure {

/// Adapter: the functions of a Net that the exchanges of a pair need.
class SyncNet::Exchanges {
public:
    explicit Exchanges(SyncNet& net) : net_{net} {}
    [[nodiscard]] int rank() const { return net_.rank(); }
    [[nodiscard]] double step() const { return net_.resolution(); }
    [[nodiscard]] double now() const { return net_.now(); }
    [[nodiscard]] static double local(double stamp) { return stamp; }
    template <class V>
    void send(V const& value, int to, int tag) const {
        static_assert(sizeof value <= largest_message);
        net_.send_bytes(&value, sizeof value, to, tag);
    }
    template <class V>
    int receive(V& value, int from) const {
        return net_.receive_bytes(&value, sizeof value, from);
    }

private:
    SyncNet& net_;
};

std::vector<double> SyncNet::gather(double value) {
    if (rank() != 0) {
        send(value, 0);
        return {};
    }
    std::vector<double> all{value};
    for (int i = 1; i < size(); ++i)
        all.push_back(receive<double>(i));
    return all;
}

double SyncNet::scatter(std::span<double const> values) {
    if (rank() != 0)
        return receive<double>(0);
    if (values.size() != static_cast<std::size_t>(size()))
        throw UsageError(fmt::format("cannot scatter {} values over {} ranks", values.size(), size()));
    for (int i = 1; i < size(); ++i)
        send(values[static_cast<std::size_t>(i)], i);
    return values[0];
}

namespace {

constexpr int tries = detail::Walk<SyncNet>::tries;

void require_peer(SyncNet const& net, int peer) {
    if (peer < 0 || peer >= net.size() || peer == net.rank())
        throw UsageError(fmt::format("rank {} is not a peer among {} ranks", peer, net.size()));
}

/// The error in a result; empty if it is valid.
std::string fault_of(SyncResult const& result, bool is_root) {
    auto const& model = result.model;
    for (double const x : {model.offset, model.rate, model.anchor, model.offset_error, model.rate_error})
        if (!std::isfinite(x))
            return "a clock model needs finite numbers";
    if (!(model.rate > -1))
        return "a clock model needs a rate above -1";
    if (!(result.bound >= seconds{0}) || std::isinf(result.bound.count()))
        return "a bound must be >= 0 and finite";
    if (is_root && (model.offset != 0 || model.rate != 0))
        return "the root's own clock is root time: its model needs offset 0 and rate 0";
    return {};
}

}  // namespace

PairOffset SyncNet::ask(int server, PairOptions const& options) {
    require_peer(*this, server);
    Exchanges net(*this);
    return detail::ask_pair(net, server, options, tries).offset;
}

void SyncNet::serve(int client, PairOptions const& options, ClockModel const& answers) {
    require_peer(*this, client);
    Exchanges net(*this);
    detail::serve_pair(net, client, answers, options, tries);
}

namespace detail {

void OwnMessages::send_bytes(void const* data, std::size_t bytes, int to, int tag) {
    require_peer(*this, to);
    comm_.send(data, bytes, to, tag);
    ++messages_;
}

int OwnMessages::receive_bytes(void* data, std::size_t bytes, int from) {
    require_peer(*this, from);
    auto& ended = ended_[static_cast<std::size_t>(from)];
    int const tag = ended != 0 ? tag_end : comm_.receive(data, bytes, from, MPI_ANY_TAG);
    if (tag != tag_end)
        return tag;
    ended = 1;
    woken_ = true;
    throw BodyError(fmt::format("the synchroniser failed on rank {}", from));
}

void OwnMessages::end() {
    if (told_)
        return;
    told_ = true;
    for (int i = 0; i < size(); ++i)
        if (i != rank())
            comm_.send(nullptr, 0, i, tag_end);
}

void OwnMessages::drain() {
    std::array<std::byte, largest_message> nowhere{};
    for (int i = 0; i < size(); ++i)
        while (i != rank() && ended_[static_cast<std::size_t>(i)] == 0)
            ended_[static_cast<std::size_t>(i)] =
                comm_.receive(nowhere.data(), nowhere.size(), i, MPI_ANY_TAG) == tag_end;
}

SyncResult run_own(Comm const& comm, OwnMessages& net, OwnSync const& sync) {
    SyncResult result;
    std::string text;
    bool failed = false;
    try {
        result = sync(net);
        text = fault_of(result, comm.is_root());
        failed = !text.empty();
    } catch (std::exception const& e) {
        failed = true;
        text = net.was_woken() ? "" : e.what();
    } catch (...) {
        failed = true;
        text = "it threw something that is not a std::exception";
    }
    if (failed)
        net.end();
    if (comm.max(failed ? 1 : 0) == 0)
        return result;
    // Pending messages must not be confused with later messages of the library.
    net.end();
    net.drain();
    throw BodyError(fmt::format("synchroniser '{}': {}", sync.name(), agreed_text(comm, text)));
}

}  // namespace detail
}  // namespace measure
