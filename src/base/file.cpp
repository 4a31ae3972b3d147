#include "base/file.hpp"

#include <array>
#include <cstdio>

namespace stretto {
namespace {

bool write(const std::string& path, const char* mode, std::span<const std::byte> content) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return false;
  // Of nothing there may be no address.
  const bool written =
      content.empty() || std::fwrite(content.data(), 1, content.size(), file) == content.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return std::nullopt;
  std::string content;
  std::array<char, 4096> part{};
  while (std::feof(file) == 0 && std::ferror(file) == 0) {
    content.append(part.data(), std::fread(part.data(), 1, part.size(), file));
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) return std::nullopt;
  return content;
}

bool write_file(const std::string& path, std::span<const std::byte> content) {
  return write(path, "w", content);
}

bool write_new_file(const std::string& path, std::span<const std::byte> content) {
  return write(path, "wx", content);
}

}  // namespace stretto
