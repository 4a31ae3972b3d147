# How everything of ours is compiled: one interface target, `stretto-flags`.

set(STRETTO_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
option(STRETTO_WERROR "Warnings are errors" OFF)
option(STRETTO_COVERAGE "Count which lines run (tools/coverage.py)" OFF)

# Reading headers is most of what compiling a file takes, so files of a target are compiled several
# at a time, in half the time. Names in their unnamed namespaces must differ, and each includes what
# it needs: the presets of those who change it, and of the sanitizers, compile each alone.
option(CMAKE_UNITY_BUILD "Compile several files at a time" ON)

find_program(STRETTO_CCACHE ccache)
mark_as_advanced(STRETTO_CCACHE)
if(STRETTO_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${STRETTO_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${STRETTO_CCACHE})
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Threads REQUIRED)

add_library(stretto-flags INTERFACE)
target_include_directories(stretto-flags INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                   ${PROJECT_SOURCE_DIR}/include
                                                   ${PROJECT_BINARY_DIR}/generated/include)
set(shadow -Wshadow)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(shadow -Wshadow=local)  # another file's names are not hidden
endif()
target_compile_options(
  stretto-flags INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wconversion;${shadow}>")
# Line numbers suffice for backtraces and profiles; more takes a third of the time of compiling.
target_compile_options(stretto-flags INTERFACE "$<$<CONFIG:RelWithDebInfo>:-g1>")
# What nothing calls, most of all of the C++ runtime, stays out of what is linked.
target_compile_options(stretto-flags INTERFACE -ffunction-sections -fdata-sections)
if(STRETTO_WERROR)
  target_compile_options(stretto-flags INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:-Werror>")
endif()
if(STRETTO_SANITIZE)
  target_compile_options(
    stretto-flags INTERFACE -O1 -g1 -fsanitize=${STRETTO_SANITIZE} -fno-omit-frame-pointer
                            -fno-sanitize-recover=undefined)
  target_link_options(stretto-flags INTERFACE -fsanitize=${STRETTO_SANITIZE})
endif()
target_link_libraries(stretto-flags INTERFACE Threads::Threads)

# For what STRETTO_COVERAGE counts, and what that is linked to.
add_library(stretto-counted INTERFACE)
if(STRETTO_COVERAGE)
  # Ranks are threads, which must not lose each other's counts.
  target_compile_options(stretto-counted INTERFACE -O1 --coverage -fprofile-update=atomic)
  target_compile_definitions(stretto-counted INTERFACE STRETTO_COUNTED)
  target_link_options(stretto-counted INTERFACE --coverage)
endif()
