// A setting of Stretto's while a test runs.
#pragma once

#include <cstdlib>
#include <string>

namespace stretto {

class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Setting() { ::unsetenv(name_.c_str()); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  std::string name_;
};

}  // namespace stretto
