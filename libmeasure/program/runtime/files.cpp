// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace program {
namespace {

using measure::Comm;
using measure::UsageError;

/// A stream that drops what is written.
std::unique_ptr<std::ostream> nowhere() { return std::make_unique<std::ostream>(nullptr); }

std::string faults_text(std::vector<Fault> const& faults) {
    return fmt::format("{}:{}:{}: {}", faults.at(0).file, faults.at(0).line, faults.at(0).column, faults.at(0).text);
}

}  // namespace

std::string read_file(Comm const& comm, std::string const& path) {
    std::string text;
    int error = 0;
    if (comm.is_root()) {
        errno = 0;
        std::ifstream file{path, std::ios::binary};
        std::ostringstream content;
        if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(content << file.rdbuf())) || file.bad())
            error = errno != 0 ? errno : EIO;
        text = content.str();
    }
    comm.broadcast(error);
    if (error != 0)
        throw UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(error)));
    comm.broadcast(text);
    return text;
}

OutputFile::OutputFile() : stream_{nowhere()} {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

void OutputFile::flush() {
    if (!path_.empty() && !stream_->flush())
        throw std::runtime_error(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
}

OutputFile OutputFile::open(Comm const& comm, std::string path, bool mine) {
    OutputFile file;
    int error = 0;
    if (mine) {
        errno = 0;
        auto stream = std::make_unique<std::ofstream>(path, std::ios::binary | std::ios::trunc);
        if (*stream)
            file.stream_ = std::move(stream);
        else
            error = errno != 0 ? errno : EIO;
    }
    if (auto const worst = static_cast<int>(comm.max(error)); worst != 0)
        throw UsageError(fmt::format("cannot write '{}': {}", path, std::strerror(worst)));
    if (mine)
        file.path_ = std::move(path);
    return file;
}

bool is_same_path(std::string const& a, std::string const& b) {
    return std::filesystem::path{a}.lexically_normal() == std::filesystem::path{b}.lexically_normal();
}

OutputFile open_file(Comm const& comm, std::string const& path) { return OutputFile::open(comm, path, comm.is_root()); }

OutputFile open_file_per_rank(Comm const& comm, std::string const& path) {
    return OutputFile::open(comm, fmt::format("{}.{}", path, comm.rank()), true);
}

InputFaults::InputFaults(std::vector<Fault> faults)
    : measure::UsageError{faults_text(faults)}, faults_{std::move(faults)} {}

}  // namespace program
