#include "bench/suite/rows.hpp"

#include <cerrno>
#include <cstring>

#include "base/log.hpp"

namespace stretto::bench {

RowFile::RowFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) refuse(5, "cannot write %s: %s", path_.c_str(), std::strerror(errno));
}

RowFile::~RowFile() { static_cast<void>(std::fclose(file_)); }

void RowFile::append(const std::vector<Row>& rows) {
  if (rows.empty()) return;
  if (std::fwrite(rows.data(), sizeof(Row), rows.size(), file_) != rows.size() ||
      std::fflush(file_) != 0) {
    refuse(5, "cannot write %s: %s", path_.c_str(), std::strerror(errno));
  }
}

}  // namespace stretto::bench
