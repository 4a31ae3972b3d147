// What a stretto_request is: an operation of Stretto's, or a request of the MPI's where
// the call was handed to it.
#pragma once

#include <memory>

#include "api/persistent.hpp"
#include "stretto/stretto.h"

struct stretto_request_s {
  stretto::Operation* operation = nullptr;
  MPI_Request native{};
  int error = 0;    // of the native one, once it has failed; its error handler was called
  MPI_Comm comm{};  // whose error handler hears of a failure
  // Of a persistent collective Stretto runs: `operation` is what it has started.
  std::unique_ptr<stretto::Persistent> persistent{};
  bool starts = false;  // is persistent, Stretto's or the MPI's
  bool active = false;  // of one that starts
};
