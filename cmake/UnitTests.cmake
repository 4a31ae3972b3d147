# One GoogleTest binary of everything under tests/unit, which mirrors src.

file(GLOB_RECURSE unit_sources CONFIGURE_DEPENDS tests/unit/*.cpp)
# tools/setup.sh unpacks Debian's package into .deps where it may not install it.
find_package(GTest REQUIRED HINTS ${PROJECT_SOURCE_DIR}/.deps/usr)
# What of the engine knows no MPI.
add_executable(stretto-unit ${unit_sources} src/engine/plan.cpp src/engine/tags.cpp)
target_include_directories(stretto-unit PRIVATE ${PROJECT_SOURCE_DIR}/tests/unit)
# Reading GoogleTest would be most of what compiling a test takes.
target_precompile_headers(stretto-unit PRIVATE <gtest/gtest.h>)
target_link_libraries(stretto-unit PRIVATE stretto-core GTest::gtest_main)
set_target_properties(stretto-unit PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_test(NAME stretto-unit COMMAND stretto-unit --gtest_brief=1)
