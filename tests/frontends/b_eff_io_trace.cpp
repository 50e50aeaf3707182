// SPDX-License-Identifier: BSD-3-Clause
/// Preloaded before an MPI program; uses the profiling interface of MPI.
///
/// B_EFF_IO_TRACE=FILE: at the end of the program FILE contains the file calls of world rank 0 in their order, one line
/// each: the name and, for MPI_File_open, the mode and the size of the communicator.
/// B_EFF_IO_FLIP=N: flips a bit in the first element of the Nth read of world rank 0; =CALL:N: of the Nth call with
/// that name.
/// B_EFF_IO_DIRECT=hints: files keep the hints direct_read and direct_write, like OMPIO's; =both: if these are true,
/// files are also opened a second time with O_DIRECT, like ROMIO's drivers for XFS and Lustre do.
/// B_EFF_IO_REFUSE=CALL:N: the Nth call with that name fails with MPI_ERR_NO_SPACE on the last world rank. It is not
/// executed unless it is collective.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace {

char const* variable(char const* name) {
    char const* const text = std::getenv(name);
    return text != nullptr && *text != '\0' ? text : nullptr;
}

class Trace {
public:
    void begin() {
        int rank = 0;
        int size = 0;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
        if (rank == 0) {
            path_ = variable("B_EFF_IO_TRACE");
            if (char const* const flip = variable("B_EFF_IO_FLIP")) {
                char const* const colon = std::strchr(flip, ':');
                flipped_.assign(flip, colon == nullptr ? 0 : static_cast<std::size_t>(colon - flip));
                flip_ = std::strtol(colon == nullptr ? flip : colon + 1, nullptr, 10);
            }
        }
        char const* const refuse = rank == size - 1 ? variable("B_EFF_IO_REFUSE") : nullptr;
        if (refuse == nullptr)
            return;
        char const* const colon = std::strchr(refuse, ':');
        refused_.assign(refuse, static_cast<std::size_t>(colon - refuse));
        refuse_ = std::strtol(colon + 1, nullptr, 10);
    }
    void call(char const* name, std::string const& more = {}) {
        if (path_ != nullptr)
            text_ += name + more + "\n";
    }
    bool refuses(char const* name) { return refused_ == name && --refuse_ == 0; }
    void read(char const* name, void* data) {
        if ((flipped_.empty() || flipped_ == name) && flip_ > 0 && --flip_ == 0)
            *static_cast<unsigned char*>(data) ^= 1;
    }
    void open_direct(char const* name, MPI_Info info) {
        char value[8] = {};
        int found = 0;
        if (info != MPI_INFO_NULL)
            PMPI_Info_get(info, "direct_write", sizeof value - 1, value, &found);
        if (found != 0 && std::strcmp(value, "true") == 0)
            direct_ = ::open(name, O_RDONLY | O_DIRECT | O_CLOEXEC);
    }
    void close_direct() {
        if (direct_ >= 0)
            ::close(std::exchange(direct_, -1));
    }
    void end() {
        if (path_ == nullptr)
            return;
        if (std::FILE* const file = std::fopen(path_, "w"); file != nullptr) {
            std::fputs(text_.c_str(), file);
            std::fclose(file);
        }
    }

private:
    char const* path_ = nullptr;
    std::string text_{};
    std::string flipped_{};
    long flip_ = 0;
    std::string refused_{};
    long refuse_ = 0;
    int direct_ = -1;  ///< descriptor that is open with O_DIRECT, otherwise -1
};

Trace trace;

/// \tparam collective  the other ranks wait for this call: it is executed and reported as failed afterwards
template <class Call>
int transfer(char const* name, bool reads, bool collective, void* data, Call&& call) {
    trace.call(name);
    bool const refused = trace.refuses(name);
    if (refused && !collective)
        return MPI_ERR_NO_SPACE;
    int const code = call();
    if (reads)
        trace.read(name, data);
    return refused ? MPI_ERR_NO_SPACE : code;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
    int const result = PMPI_Init(argc, argv);
    trace.begin();
    return result;
}

int MPI_Finalize() {
    trace.end();
    return PMPI_Finalize();
}

int MPI_File_get_info(MPI_File file, MPI_Info* info) {
    int const code = PMPI_File_get_info(file, info);
    if (variable("B_EFF_IO_DIRECT") != nullptr)
        for (char const* const key : {"direct_read", "direct_write"})
            PMPI_Info_set(*info, key, "true");
    return code;
}

int MPI_File_open(MPI_Comm comm, char const* name, int mode, MPI_Info info, MPI_File* file) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    std::string words = " size=" + std::to_string(size);
    for (auto const& [bit, word] : {std::pair{MPI_MODE_CREATE, "create"},
                                    {MPI_MODE_RDWR, "rdwr"},
                                    {MPI_MODE_RDONLY, "rdonly"},
                                    {MPI_MODE_DELETE_ON_CLOSE, "delete"},
                                    {MPI_MODE_UNIQUE_OPEN, "unique"}})
        if ((mode & bit) != 0)
            words += std::string{" "} + word;
    trace.call("MPI_File_open", words);
    if (trace.refuses("MPI_File_open"))
        return MPI_ERR_NO_SPACE;
    int const code = PMPI_File_open(comm, name, mode, info, file);
    char const* const direct = variable("B_EFF_IO_DIRECT");
    if (code == MPI_SUCCESS && direct != nullptr && std::strcmp(direct, "both") == 0)
        trace.open_direct(name, info);
    return code;
}

int MPI_File_close(MPI_File* file) {
    trace.call("MPI_File_close");
    trace.close_direct();
    return PMPI_File_close(file);
}

int MPI_File_sync(MPI_File file) {
    trace.call("MPI_File_sync");
    int const code = PMPI_File_sync(file);
    return trace.refuses("MPI_File_sync") ? MPI_ERR_NO_SPACE : code;
}

#define TRANSFER(NAME, CONST, READS, COLLECTIVE)                                                                       \
    int NAME(MPI_File file, CONST void* data, int count, MPI_Datatype type, MPI_Status* status) {                      \
        return transfer(#NAME, READS, COLLECTIVE, const_cast<void*>(data),                                             \
                        [&] { return P##NAME(file, data, count, type, status); });                                     \
    }
TRANSFER(MPI_File_write, const, false, false)
TRANSFER(MPI_File_write_all, const, false, true)
TRANSFER(MPI_File_write_ordered, const, false, true)
TRANSFER(MPI_File_read, , true, false)
TRANSFER(MPI_File_read_all, , true, true)
TRANSFER(MPI_File_read_ordered, , true, true)
#undef TRANSFER

int MPI_File_write_at(MPI_File file, MPI_Offset at, void const* data, int count, MPI_Datatype type,
                      MPI_Status* status) {
    return transfer("MPI_File_write_at", false, false, nullptr,
                    [&] { return PMPI_File_write_at(file, at, data, count, type, status); });
}

int MPI_File_read_at(MPI_File file, MPI_Offset at, void* data, int count, MPI_Datatype type, MPI_Status* status) {
    return transfer("MPI_File_read_at", true, false, data,
                    [&] { return PMPI_File_read_at(file, at, data, count, type, status); });
}

}  // extern "C"
#pragma GCC visibility pop
