#pragma once

// Set by the build from pyproject.toml; a build by hand need not care.
#ifndef STRETTO_VERSION
#define STRETTO_VERSION "0.1.0"
#endif
