#include "base/config.hpp"

#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>

#include "base/log.hpp"
#include "base/number.hpp"

namespace stretto {

namespace {

// Of what follows, and of the environment as far as it is read here: a process may have several
// ranks, each a thread.
constinit std::mutex mutex;

// Never destroyed: who writes a report as exit() runs reads it.
std::map<std::string, std::string, std::less<>>& taken() {
  static auto* const instance = new std::map<std::string, std::string, std::less<>>;
  return *instance;
}

}  // namespace

void take_from_environment(const char* name) {
  const std::lock_guard lock(mutex);
  const char* value = std::getenv(name);
  if (value == nullptr) return;
  taken().insert_or_assign(name, value);
  ::unsetenv(name);
}

std::optional<std::string> setting(const char* name) {
  const std::lock_guard lock(mutex);
  const auto found = taken().find(std::string_view(name));
  const char* value = found == taken().end() ? std::getenv(name) : found->second.c_str();
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::optional<bool> switch_setting(const char* name) {
  const std::optional<std::string> value = setting(name);
  if (!value) return std::nullopt;
  for (const char* yes : {"1", "on", "true", "yes"}) {
    if (*value == yes) return true;
  }
  for (const char* no : {"0", "off", "false", "no"}) {
    if (*value == no) return false;
  }
  refuse(2, "%s=%s is neither on nor off", name, value->c_str());
}

std::optional<long> number_setting(const char* name, long minimum) {
  const std::optional<std::string> value = setting(name);
  if (!value) return std::nullopt;
  const auto number = number_in<long>(*value);
  if (!number || *number < minimum) {
    refuse(2, "%s=%s is not a whole number of at least %ld", name, value->c_str(), minimum);
  }
  return number;
}

}  // namespace stretto
