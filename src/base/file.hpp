// Whole files.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stretto {

// Nothing where it cannot be read.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path);
// False where not all of it was written.
[[nodiscard]] bool write_file(const std::string& path, std::span<const std::byte> content);
// The same; false, too, where there is a file of that name.
[[nodiscard]] bool write_new_file(const std::string& path, std::span<const std::byte> content);

}  // namespace stretto
