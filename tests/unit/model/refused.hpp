// Descriptions of machines and scenarios that must not be read.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "topology/machine.hpp"

namespace stretto::model {

struct Wrong {
  const char* description;
  const char* complaint;
};

template <typename Read>
void expect_refused(const Wrong& wrong, const Read& read) {
  try {
    (void)read(wrong.description);
    ADD_FAILURE() << "was accepted";
  } catch (const BadMachine& bad) {
    EXPECT_EQ(std::string(bad.what()), wrong.complaint);
  }
}

}  // namespace stretto::model
