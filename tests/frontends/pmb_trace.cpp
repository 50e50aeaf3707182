// SPDX-License-Identifier: BSD-3-Clause
/// Preloaded before an MPI program; uses the profiling interface of MPI.
///
/// PMB_TRACE_FILE=FILE: at the end of the program FILE contains the calls of world rank 0 in their order, one line
/// each: the name, then words KEY=VALUE. `comm` and `new` identify communicators, `size` is the number of their
/// processes.
/// PMB_TRACE_FAULT=N: changes element 3 of the Nth receive of at least 64 bytes on world rank 0.
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

namespace {

constexpr long smallest_altered = 64;
constexpr std::size_t altered_position = 12;

char const* variable(char const* name) {
    char const* const text = std::getenv(name);
    return text != nullptr && *text != '\0' ? text : nullptr;
}

class Trace {
public:
    void begin() {
        int rank = 0;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        path_ = rank == 0 ? variable("PMB_TRACE_FILE") : nullptr;
        char const* const fault = rank == 0 ? variable("PMB_TRACE_FAULT") : nullptr;
        altered_receive_ = fault != nullptr ? std::strtol(fault, nullptr, 10) : 0;
        line("Init").comm(MPI_COMM_WORLD);
    }

    class Line {
    public:
        Line(Trace* trace, char const* name) : trace_{trace} { append(name); }
        Line(Line const&) = delete;
        Line& operator=(Line const&) = delete;
        ~Line() {
            append("\n");
            if (trace_ == nullptr)
                return;
            std::lock_guard const alone{trace_->mutex_};
            trace_->text_ += text_;
        }
        Line& add(char const* key, long value) {
            append(" ");
            append(key);
            append("=");
            append(std::to_string(value).c_str());
            return *this;
        }
        Line& comm(MPI_Comm comm) {
            int size = 0;
            if (trace_ != nullptr)
                PMPI_Comm_size(comm, &size);
            return add("comm", MPI_Comm_c2f(comm)).add("size", size);
        }

    private:
        void append(char const* part) {
            if (trace_ != nullptr)
                text_ += part;
        }
        Trace* trace_;
        std::string text_{};
    };

    Line line(char const* name) { return {path_ != nullptr ? this : nullptr, name}; }

    void received(void* data, int count, MPI_Datatype type) {
        if (altered_receive_ == 0 || bytes(count, type) < smallest_altered || ++receives_ != altered_receive_)
            return;
        char* const place = static_cast<char*>(data) + altered_position;
        float value = 0;
        std::memcpy(&value, place, sizeof value);
        value = -1 - value;
        std::memcpy(place, &value, sizeof value);
    }

    void end() {
        if (path_ == nullptr)
            return;
        if (std::FILE* const file = std::fopen(path_, "w"); file != nullptr) {
            std::fputs(text_.c_str(), file);
            std::fclose(file);
        }
    }

    MPI_Request issued = MPI_REQUEST_NULL;  ///< last request of MPI_Ibcast; only its tests are traced

    static long bytes(int count, MPI_Datatype type) {
        int size = 0;
        PMPI_Type_size(type, &size);
        return static_cast<long>(count) * size;
    }

private:
    char const* path_ = nullptr;
    std::string text_{};
    std::mutex mutex_{};
    long altered_receive_ = 0;
    long receives_ = 0;
};

Trace trace;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
    int const result = PMPI_Init(argc, argv);
    trace.begin();
    return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    int const result = PMPI_Init_thread(argc, argv, required, provided);
    trace.begin();
    trace.line("Init_thread").add("level", required);
    return result;
}

int MPI_Finalize() {
    trace.end();
    return PMPI_Finalize();
}

double MPI_Wtime() {
    trace.line("Wtime");
    return PMPI_Wtime();
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
    int const result = PMPI_Comm_dup(comm, copy);
    trace.line("Comm_dup").comm(comm).add("new", MPI_Comm_c2f(*copy));
    return result;
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* copy) {
    int const result = PMPI_Comm_dup_with_info(comm, info, copy);
    trace.line("Comm_dup_with_info").comm(comm).add("new", MPI_Comm_c2f(*copy));
    return result;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part) {
    int const result = PMPI_Comm_split(comm, color, key, part);
    trace.line("Comm_split").comm(comm).add("color", color).add("new", MPI_Comm_c2f(*part));
    return result;
}

int MPI_Comm_free(MPI_Comm* comm) {
    trace.line("Comm_free").comm(*comm);
    return PMPI_Comm_free(comm);
}

int MPI_Barrier(MPI_Comm comm) {
    trace.line("Barrier").comm(comm);
    return PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    trace.line("Ibarrier").comm(comm);
    return PMPI_Ibarrier(comm, request);
}

int MPI_Send(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    trace.line("Send").comm(comm).add("bytes", Trace::bytes(count, type)).add("to", to).add("tag", tag);
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Isend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    trace.line("Isend").comm(comm).add("bytes", Trace::bytes(count, type)).add("to", to).add("tag", tag);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    trace.line("Recv")
        .comm(comm)
        .add("bytes", Trace::bytes(count, type))
        .add("from", from)
        .add("any_source", from == MPI_ANY_SOURCE)
        .add("any_tag", tag == MPI_ANY_TAG);
    int const result = PMPI_Recv(data, count, type, from, tag, comm, status);
    trace.received(data, count, type);
    return result;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    trace.line("Wait");
    if (*request == trace.issued)
        trace.issued = MPI_REQUEST_NULL;
    return PMPI_Wait(request, status);
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
    bool const is_issued = *request != MPI_REQUEST_NULL && *request == trace.issued;
    if (is_issued)
        trace.line("Test");
    int const result = PMPI_Test(request, done, status);
    // Another request may reuse its handle.
    if (is_issued && *request == MPI_REQUEST_NULL)
        trace.issued = MPI_REQUEST_NULL;
    return result;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
    trace.line("Waitall").add("count", count);
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Sendrecv(void const* data, int count, MPI_Datatype type, int to, int tag, void* received, int received_count,
                 MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm, MPI_Status* status) {
    trace.line("Sendrecv")
        .comm(comm)
        .add("bytes", Trace::bytes(count, type))
        .add("to", to)
        .add("tag", tag)
        .add("from", from)
        .add("any_tag", received_tag == MPI_ANY_TAG);
    int const result = PMPI_Sendrecv(data, count, type, to, tag, received, received_count, received_type, from,
                                     received_tag, comm, status);
    trace.received(received, received_count, received_type);
    return result;
}

int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int tag, int from, int received_tag,
                         MPI_Comm comm, MPI_Status* status) {
    trace.line("Sendrecv_replace")
        .comm(comm)
        .add("bytes", Trace::bytes(count, type))
        .add("to", to)
        .add("tag", tag)
        .add("from", from);
    return PMPI_Sendrecv_replace(data, count, type, to, tag, from, received_tag, comm, status);
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    trace.line("Bcast").comm(comm).add("bytes", Trace::bytes(count, type)).add("root", root);
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    trace.line("Ibcast").comm(comm).add("bytes", Trace::bytes(count, type)).add("root", root);
    int const result = PMPI_Ibcast(data, count, type, root, comm, request);
    trace.issued = *request;
    return result;
}

int MPI_Reduce(void const* data, void* result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    trace.line("Reduce").comm(comm).add("bytes", Trace::bytes(count, type)).add("root", root);
    return PMPI_Reduce(data, result, count, type, op, root, comm);
}

int MPI_Reduce_scatter(void const* data, void* result, int const counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
    trace.line("Reduce_scatter").comm(comm).add("mine", counts[0]);
    return PMPI_Reduce_scatter(data, result, counts, type, op, comm);
}

int MPI_Gather(void const* data, int count, MPI_Datatype type, void* gathered, int each, MPI_Datatype gathered_type,
               int root, MPI_Comm comm) {
    trace.line("Gather").comm(comm).add("bytes", Trace::bytes(count, type)).add("root", root);
    return PMPI_Gather(data, count, type, gathered, each, gathered_type, root, comm);
}

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window) {
    trace.line("Win_create").comm(comm).add("bytes", size).add("unit", unit);
    return PMPI_Win_create(base, size, unit, info, comm, window);
}

int MPI_Win_fence(int assertion, MPI_Win window) {
    trace.line("Win_fence").add("assertion", assertion);
    return PMPI_Win_fence(assertion, window);
}

int MPI_Win_free(MPI_Win* window) {
    trace.line("Win_free");
    return PMPI_Win_free(window);
}

int MPI_Win_lock(int type, int rank, int assertion, MPI_Win window) {
    trace.line("Win_lock").add("to", rank).add("shared", type == MPI_LOCK_SHARED);
    return PMPI_Win_lock(type, rank, assertion, window);
}

int MPI_Win_unlock(int rank, MPI_Win window) {
    trace.line("Win_unlock").add("to", rank);
    return PMPI_Win_unlock(rank, window);
}

int MPI_Win_lock_all(int assertion, MPI_Win window) {
    trace.line("Win_lock_all").add("assertion", assertion);
    return PMPI_Win_lock_all(assertion, window);
}

int MPI_Win_unlock_all(MPI_Win window) {
    trace.line("Win_unlock_all");
    return PMPI_Win_unlock_all(window);
}

int MPI_Win_flush(int rank, MPI_Win window) {
    trace.line("Win_flush").add("to", rank);
    return PMPI_Win_flush(rank, window);
}

int MPI_Win_flush_local(int rank, MPI_Win window) {
    trace.line("Win_flush_local").add("to", rank);
    return PMPI_Win_flush_local(rank, window);
}

int MPI_Win_flush_all(MPI_Win window) {
    trace.line("Win_flush_all");
    return PMPI_Win_flush_all(window);
}

int MPI_Win_flush_local_all(MPI_Win window) {
    trace.line("Win_flush_local_all");
    return PMPI_Win_flush_local_all(window);
}

int MPI_Get(void* data, int count, MPI_Datatype type, int from, MPI_Aint place, int there, MPI_Datatype type_there,
            MPI_Win window) {
    trace.line("Get").add("bytes", Trace::bytes(count, type)).add("from", from).add("place", place);
    return PMPI_Get(data, count, type, from, place, there, type_there, window);
}

int MPI_Put(void const* data, int count, MPI_Datatype type, int to, MPI_Aint place, int there, MPI_Datatype type_there,
            MPI_Win window) {
    trace.line("Put").add("bytes", Trace::bytes(count, type)).add("to", to).add("place", place);
    return PMPI_Put(data, count, type, to, place, there, type_there, window);
}

int MPI_Accumulate(void const* data, int count, MPI_Datatype type, int to, MPI_Aint place, int there,
                   MPI_Datatype type_there, MPI_Op op, MPI_Win window) {
    trace.line("Accumulate").add("bytes", Trace::bytes(count, type)).add("to", to).add("place", place);
    return PMPI_Accumulate(data, count, type, to, place, there, type_there, op, window);
}

int MPI_File_sync(MPI_File file) {
    trace.line("File_sync");
    return PMPI_File_sync(file);
}

}  // extern "C"
#pragma GCC visibility pop
