#include "base/file.hpp"

#include <cstdio>

namespace stretto {
namespace {

bool write(const std::string& path, const char* mode, std::span<const std::byte> content) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return false;
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

bool write_file(const std::string& path, std::span<const std::byte> content) {
  return write(path, "w", content);
}

bool write_new_file(const std::string& path, std::span<const std::byte> content) {
  return write(path, "wx", content);
}

}  // namespace stretto
