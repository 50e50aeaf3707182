// At which rate do the blocks of my checkpoint reach the file system, with collective or with independent writes?
// SPDX-License-Identifier: BSD-3-Clause
//
// Every sample writes for 50 ms, whatever the speed of the file system. All ranks agree on the number of blocks, and
// the following sync is part of the time. The file is removed at every exit, including signals and the watchdog.
#include <measure/main.hpp>
#include <measure/temporary_file.hpp>

#include <mpi.h>

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

/// The file of a team, open for writing. Collective.
class File {
public:
    File(measure::Comm const& team, std::string const& path) : name_{team, path} {
        measure::check(
            MPI_File_open(team.native(), path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file_),
            "MPI_File_open");
    }
    File(File&& other) noexcept : name_{std::move(other.name_)}, file_{std::exchange(other.file_, MPI_FILE_NULL)} {}
    File& operator=(File&&) = delete;
    ~File() {
        if (file_ != MPI_FILE_NULL)
            MPI_File_close(&file_);
    }
    [[nodiscard]] MPI_File native() const noexcept { return file_; }

private:
    measure::TemporaryFile name_;
    MPI_File file_ = MPI_FILE_NULL;
};

using Write = int (*)(MPI_File, MPI_Offset, void const*, int, MPI_Datatype, MPI_Status*);

/// Writes the blocks of all ranks next to each other, one row after another. The file grows to 64 rows.
template <Write write>
auto checkpoint(measure::Comm const& team, measure::Point const& at) {
    constexpr std::int64_t rows = 64;
    File file{team, at.text("file")};
    MPI_File const handle = file.native();
    auto const bytes = at.bytes("bytes");
    int const count = measure::to_int(bytes, "bytes");
    auto body = [=, file = std::move(file), block = std::vector<char>(static_cast<std::size_t>(bytes), 'x'),
                 ranks = team.size(), rank = team.rank()](measure::Iteration it) {
        auto const offset = (it.index % rows * ranks + rank) * bytes;
        return write(handle, offset, block.data(), count, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    };
    return measure::op(std::move(body)).finish([handle] { MPI_File_sync(handle); });
}

void to_bandwidth(measure::Record& record) {
    auto const bytes = static_cast<double>(record.at.bytes("bytes") * record.at.ranks());
    record = measure::as_rate(record, measure::Quantity::bandwidth, bytes);
}

/// One number for each kind of write: the logarithmic mean over the block sizes.
std::vector<measure::Summary> summaries(std::span<measure::Record const> records) {
    std::vector<measure::Summary> result;
    for (auto const& folded : measure::fold(records, "bytes", measure::join::log_mean))
        result.push_back({.name = folded.benchmark, .value = folded.value, .unit = "B/s"});
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    measure::Program program{.name = "own_checkpoint", .summary = "Writes blocks of all ranks to one file."};
    program.plan = {.start = measure::BarrierStart{},
                    .batch = measure::TimeBudget{50ms},
                    .stop = measure::stop::Count{3},
                    .warm_up = 1,
                    .stage = 1};
    program.axes = {measure::values("bytes", {4096, 65536}), {"file", {std::string{"check.tmp"}}}};
    program.benchmarks = {
        {"together", checkpoint<MPI_File_write_at_all>, "MPI_File_write_at_all", to_bandwidth},
        {"each_alone", checkpoint<MPI_File_write_at>, "MPI_File_write_at", to_bandwidth},
    };
    program.reference = "each_alone";
    program.summarize = summaries;
    return measure::run_main(argc, argv, program);
}
