# GoogleTest binaries of what is under tests/unit, which mirrors src:
#   stretto-unit             what knows no MPI
#   stretto-unit-<mode>      what does, on the MPI of tests/unit/fake_mpi, one binary a mode, since
#                            each defines the MPI's functions; accelerate's has mpi, transport,
#                            engine and api, too

# tools/setup.sh unpacks Debian's package into .deps where it may not install it.
find_package(GTest REQUIRED HINTS ${PROJECT_SOURCE_DIR}/.deps/usr)

add_custom_target(unit-tests)

add_library(stretto-unoptimized INTERFACE)
target_compile_options(stretto-unoptimized INTERFACE -O0 -g1)

# Optimizing what they check at every turn would take long. Last of all options.
set(unit_libraries stretto-mpi-free stretto-core stretto-counted GTest::gtest_main stretto-unoptimized)
# Reading GoogleTest would be most of what compiling a test takes.
stretto_precompile(stretto-unit-headers HEADERS <gtest/gtest.h> LIBRARIES ${unit_libraries})
# One option for programs and objects alike: CMake has two.
set_target_properties(stretto-unit-headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)

function(stretto_compile_tests name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/unit)
  target_precompile_headers(${name} REUSE_FROM stretto-unit-headers)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_link_libraries(${name} PRIVATE ${unit_libraries})
endfunction()

# Run in `parts`, so that a long binary keeps no core waiting.
function(stretto_add_unit_tests name parts)
  add_executable(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY stretto_unit_sources ${ARGN})
  stretto_compile_tests(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_dependencies(unit-tests ${name})
  foreach(part RANGE 1 ${parts})
    math(EXPR index "${part} - 1")
    add_test(NAME ${name}-${part} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(
      ${name}-${part} PROPERTIES ENVIRONMENT
                                 "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

set(unit ${PROJECT_SOURCE_DIR}/tests/unit)
file(GLOB_RECURSE unit_sources CONFIGURE_DEPENDS ${unit}/*.cpp)
list(FILTER unit_sources EXCLUDE REGEX "${unit}/(fake_mpi|mpi|transport|engine|api|intercept)/")
# What of the engine and of profile knows no MPI.
foreach(name IN ITEMS engine/in_flight engine/plan engine/rhythm engine/sequence engine/tags
                      intercept/profile/event_log)
  list(APPEND unit_sources ${unit}/${name}_test.cpp)
  list(APPEND mpi_free_tests ${unit}/${name}_test.cpp)
endforeach()
if(STRETTO_MPI_FREE_TESTS)
  stretto_add_unit_tests(stretto-unit 3 ${unit_sources})
  # As where the C library or the kernel has no rseq, or a container forbids it.
  add_test(NAME stretto-unit-without-rseq COMMAND stretto-unit --gtest_brief=1
                                                  --gtest_filter=ThreadClock.*)
  set_tests_properties(stretto-unit-without-rseq PROPERTIES ENVIRONMENT
                                                            GLIBC_TUNABLES=glibc.pthread.rseq=0)
endif()

if(NOT mpich IN_LIST STRETTO_ABIS)
  message(STATUS "No MPI of the mpich ABI: no unit tests of what knows an MPI")
  return()
endif()

file(GLOB fake_mpi_sources CONFIGURE_DEPENDS ${unit}/fake_mpi/*.cpp)
add_library(stretto-unit-fake-mpi OBJECT ${fake_mpi_sources})
stretto_compile_tests(stretto-unit-fake-mpi)
target_link_libraries(stretto-unit-fake-mpi PRIVATE mpi-headers-mpich)

# With the objects of a library, but for what finds the MPI, and tests of these folders.
function(stretto_add_mode_tests mode parts objects)
  list(TRANSFORM ARGN REPLACE "(.+)" "${unit}/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  list(REMOVE_ITEM sources ${mpi_free_tests})
  list(APPEND sources $<TARGET_OBJECTS:stretto-unit-fake-mpi>)
  foreach(library IN LISTS objects)
    list(APPEND sources
         $<FILTER:$<TARGET_OBJECTS:stretto-${library}-mpich>,EXCLUDE,/native\\.cpp\\.o$>)
  endforeach()
  stretto_add_unit_tests(stretto-unit-${mode} ${parts} ${sources})
  # Random buffers are made as the programs of tests/mpi make them.
  target_include_directories(stretto-unit-${mode} PRIVATE ${PROJECT_SOURCE_DIR}/tests/mpi)
  target_link_libraries(stretto-unit-${mode} PRIVATE mpi-headers-mpich)
endfunction()

stretto_add_mode_tests(
  accelerate 3 "mpi;engine;api;bench;intercept-shared;intercept-accelerate" mpi transport engine api
  intercept/shared intercept/accelerate)
stretto_add_mode_tests(profile 1 "mpi;intercept-shared;intercept-profile" intercept/profile)
stretto_add_mode_tests(whatif 1 "mpi;bench;intercept-shared;intercept-whatif" intercept/whatif)
stretto_add_mode_tests(calibrate 1 "mpi;bench;intercept-shared;intercept-calibrate"
                       intercept/calibrate)
if(TARGET standin-cuda)
  add_dependencies(stretto-unit-accelerate standin-cuda)
  target_compile_definitions(stretto-unit-accelerate
                             PRIVATE STANDIN_CUDA="$<TARGET_FILE:standin-cuda>")
endif()

# A test that no pattern finds would pass for good.
if(STRETTO_MPI_FREE_TESTS)
  get_property(compiled GLOBAL PROPERTY stretto_unit_sources)
  file(GLOB_RECURSE forgotten CONFIGURE_DEPENDS ${unit}/*.cpp)
  list(REMOVE_ITEM forgotten ${compiled} ${fake_mpi_sources})
  if(forgotten)
    message(FATAL_ERROR "These unit tests are in no binary: ${forgotten}")
  endif()
endif()
