// SPDX-License-Identifier: BSD-3-Clause
/// The benchmarks of the file part.
#include "pmb/catalogue.hpp"
#include "pmb/operations/io_kernel.hpp"

#include <memory>
#include <string_view>

namespace pmb {

namespace {

using measure::Bytes;

/// Opens the shared file, writes one byte and closes it in each repetition. There is no preparation.
class OpenCloseKernel final : public Kernel {
public:
    explicit OpenCloseKernel(Task const& task) : task_{task}, file_{task_, Sharing::common} {}

    void begin(Mode, Bytes length) override {
        task_.verifier.begin(length);
        file_.agree();
    }
    Reading loop(std::int64_t n) override {
        auto operation = measure::op([this] { return repeat(); });
        auto const reading = time_repetitions(task_, operation, n, false, [](std::int64_t) {});
        file_.agree();
        return reading;
    }
    void warm_up(std::int64_t n) override { static_cast<void>(loop(n)); }
    Measured run(measure::Plan const& plan) override {
        Measured measured{measure::run(task_.team, plan, [this] { return repeat(); })};
        file_.agree();
        return measured;
    }
    void end() override {}

private:
    bool repeat() noexcept {
        bodies::File file;
        if (!file_.ok(file.open(file_.comm(), file_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR), "MPI_File_open"))
            return false;
        bool const written = file_.ok(bodies::Write::call({file.native(), 0, &byte_, 1}), "MPI_File_write");
        return file_.ok(file.close(), "MPI_File_close") && written;
    }

    Task task_;
    ScratchFile file_;
    std::byte byte_{};
};

Bytes memory(Bytes length, int, Parameters const&, bool) { return 2 * length; }

/// \tparam Overlapped  the non-blocking or split variant of `Call`
template <class Call, class Overlapped>
constexpr Calls calls() {
    if constexpr (requires(bodies::Piece const& piece) { Overlapped::begin(piece); })
        return {.blocking = Call::call, .begin = Overlapped::begin, .end = Overlapped::end};
    else
        return {.blocking = Call::call, .start = Overlapped::start};
}

template <class K, Manner manner, class Call, class Overlapped>
Benchmark benchmark(std::string_view name, std::string_view text, Class kind, bool overlapped) {
    Benchmark b{.name = name,
                .text = text,
                .kind = kind,
                .messages = 1,
                .modes = {Mode::aggregate},
                .non_blocking = overlapped,
                .memory = memory,
                .make = [](Task const& task) -> std::unique_ptr<Kernel> {
                    return std::make_unique<K>(task, manner, calls<Call, Overlapped>());
                }};
    if (manner.writes && !overlapped)
        b.modes.push_back(Mode::non_aggregate);
    return b;
}

/// Adds a blocking benchmark and its overlapped variant.
template <Manner manner, class Call, class Overlapped>
void add(std::vector<Benchmark>& table, Class kind, std::string_view name, std::string_view overlapped,
         std::string_view text) {
    table.push_back(benchmark<BlockingKernel, manner, Call, Overlapped>(name, text, kind, false));
    table.push_back(benchmark<OverlappedKernel, manner, Call, Overlapped>(overlapped, text, kind, true));
}

/// The manners of each class: file, pointer, and whether calls are collective.
template <bool writes>
struct Of {
    static constexpr Manner alone{writes, Sharing::own, Pointer::individual, false};
    static constexpr Manner alone_at{writes, Sharing::own, Pointer::explicit_offset, false};
    static constexpr Manner individual{writes, Sharing::common, Pointer::individual, false};
    static constexpr Manner shared{writes, Sharing::common, Pointer::shared, false};
    static constexpr Manner at{writes, Sharing::common, Pointer::explicit_offset, false};
    static constexpr Manner all_individual{writes, Sharing::common, Pointer::individual, true};
    static constexpr Manner all_shared{writes, Sharing::common, Pointer::shared, true};
    static constexpr Manner all_at{writes, Sharing::common, Pointer::explicit_offset, true};
};

constexpr std::string_view one_individual = "one process, its own file, file pointer";
constexpr std::string_view one_explicit = "one process, its own file, explicit offsets";
constexpr std::string_view common_individual = "blocks of a common file, file pointer and view";
constexpr std::string_view common_shared = "blocks of a common file, shared file pointer";
constexpr std::string_view common_explicit = "blocks of a common file, explicit offsets";
constexpr std::string_view own_individual = "blocks of own files, file pointer";
constexpr std::string_view all_individual = "collective, common file, file pointer and view";
constexpr std::string_view all_shared = "collective, common file, shared file pointer, in the order of ranks";
constexpr std::string_view all_explicit = "collective, common file, explicit offsets";

void add_writes(std::vector<Benchmark>& t) {
    using namespace bodies;
    using M = Of<true>;
    add<M::alone, Write, IWrite>(t, Class::single, "S_Write_Indv", "S_IWrite_Indv", one_individual);
    add<M::alone_at, WriteAt, IWriteAt>(t, Class::single, "S_Write_Expl", "S_IWrite_Expl", one_explicit);
    add<M::individual, Write, IWrite>(t, Class::parallel, "P_Write_Indv", "P_IWrite_Indv", common_individual);
    add<M::shared, WriteShared, IWriteShared>(t, Class::parallel, "P_Write_Shared", "P_IWrite_Shared", common_shared);
    add<M::alone, Write, IWrite>(t, Class::parallel, "P_Write_Priv", "P_IWrite_Priv", own_individual);
    add<M::at, WriteAt, IWriteAt>(t, Class::parallel, "P_Write_Expl", "P_IWrite_Expl", common_explicit);
    add<M::all_individual, WriteAll, SplitWriteAll>(t, Class::collective, "C_Write_Indv", "C_IWrite_Indv",
                                                    all_individual);
    add<M::all_shared, WriteOrdered, SplitWriteOrdered>(t, Class::collective, "C_Write_Shared", "C_IWrite_Shared",
                                                        all_shared);
    add<M::all_at, WriteAtAll, SplitWriteAtAll>(t, Class::collective, "C_Write_Expl", "C_IWrite_Expl", all_explicit);
}

void add_reads(std::vector<Benchmark>& t) {
    using namespace bodies;
    using M = Of<false>;
    add<M::alone, Read, IRead>(t, Class::single, "S_Read_Indv", "S_IRead_Indv", one_individual);
    add<M::alone_at, bodies::ReadAt, IReadAt>(t, Class::single, "S_Read_Expl", "S_IRead_Expl", one_explicit);
    add<M::individual, Read, IRead>(t, Class::parallel, "P_Read_Indv", "P_IRead_Indv", common_individual);
    add<M::shared, ReadShared, IReadShared>(t, Class::parallel, "P_Read_Shared", "P_IRead_Shared", common_shared);
    add<M::alone, Read, IRead>(t, Class::parallel, "P_Read_Priv", "P_IRead_Priv", own_individual);
    add<M::at, bodies::ReadAt, IReadAt>(t, Class::parallel, "P_Read_Expl", "P_IRead_Expl", common_explicit);
    add<M::all_individual, ReadAll, SplitReadAll>(t, Class::collective, "C_Read_Indv", "C_IRead_Indv", all_individual);
    add<M::all_shared, ReadOrdered, SplitReadOrdered>(t, Class::collective, "C_Read_Shared", "C_IRead_Shared",
                                                      all_shared);
    add<M::all_at, ReadAtAll, SplitReadAtAll>(t, Class::collective, "C_Read_Expl", "C_IRead_Expl", all_explicit);
}

Benchmark open_close() {
    return {
        .name = "Open_Close",
        .text = "open a common file, write one byte, close it",
        .kind = Class::sync,
        .few = true,
        .checked = false,
        .memory = [](Bytes, int, Parameters const&, bool) { return Bytes{0}; },
        .make = [](Task const& task) -> std::unique_ptr<Kernel> { return std::make_unique<OpenCloseKernel>(task); }};
}

}  // namespace

std::vector<Benchmark> io_benchmarks() {
    std::vector<Benchmark> table;
    add_writes(table);
    add_reads(table);
    table.push_back(open_close());
    return table;
}

}  // namespace pmb
