// What a stretto_request is: an operation of Stretto's, or a request of the MPI's where
// the call was handed to it.
#pragma once

#include "engine/engine.hpp"
#include "stretto/stretto.h"

struct stretto_request_s {
  stretto::Operation* operation = nullptr;
  MPI_Request native{};
  int error = 0;    // of the native one, once it has failed; its error handler was called
  MPI_Comm comm{};  // whose error handler hears of a failure
};
