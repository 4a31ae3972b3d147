#include "base/file.hpp"

#include <cstdio>

namespace stretto {

bool write_file(const std::string& path, std::span<const std::byte> content) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace stretto
