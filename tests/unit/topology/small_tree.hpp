// A tree like those of /sys and /proc, of what a test says alone, in a folder that is gone with it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace stretto {

class SmallTree {
 public:
  SmallTree() {
    static int number = 0;
    root_ = std::filesystem::temp_directory_path() /
            ("stretto-tree-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(root_);
  }
  ~SmallTree() { std::filesystem::remove_all(root_); }
  SmallTree(const SmallTree&) = delete;
  SmallTree& operator=(const SmallTree&) = delete;

  [[nodiscard]] std::string root() const { return root_.string(); }

  void describe(int core, int cache, const std::string& level, const std::string& type,
                const std::string& sharing) const {
    const auto folder = root_ / "devices/system/cpu" / ("cpu" + std::to_string(core)) / "cache" /
                        ("index" + std::to_string(cache));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << "\n";
    std::ofstream(folder / "type") << type << "\n";
    std::ofstream(folder / "shared_cpu_list") << sharing << "\n";
  }
  // Any file of it.
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  // Its package, in the file of this name.
  void describe_socket(int core, const std::string& name, const std::string& list) const {
    const auto folder = root_ / "devices/system/cpu" / ("cpu" + std::to_string(core)) / "topology";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name) << list << "\n";
  }

 private:
  std::filesystem::path root_;
};

}  // namespace stretto
