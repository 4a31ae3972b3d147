# The libraries: `stretto-core`, which knows no MPI, and per ABI
#   libstretto-<abi>.so             the C API (stretto_*)
# and one for each mode, to be preloaded, with MPI_* and PMPI_*:
#   libstretto-accelerate-<abi>.so  what `stretto run` preloads: collectives are Stretto's; the C API
#   libstretto-profile-<abi>.so     what `stretto profile` preloads: calls are timed and counted
#   libstretto-calibrate-<abi>.so   what `stretto calibrate` preloads: MPI_Init measures
#   libstretto-whatif-<abi>.so      what `stretto whatif` preloads: calls take virtual time; clocks
# None links an MPI: they find the program's own at run time. So all must come
# out without one undefined MPI symbol, and with nothing needed beyond libc.

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS src/base/*.cpp src/topology/*.cpp
     src/patterns/*.cpp src/schedule/*.cpp src/collectives/*.cpp src/selection/*.cpp
     src/model/*.cpp src/trace/*.cpp src/replay/*.cpp)
include(Algorithms)
add_library(stretto-core STATIC ${core_sources} ${STRETTO_ALGORITHM_TABLE})
# Each has functions of the same names, `build` and `time` mostly.
file(GLOB_RECURSE algorithm_sources CONFIGURE_DEPENDS src/collectives/*/*.cpp)
set_source_files_properties(${algorithm_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set_target_properties(stretto-core PROPERTIES CXX_VISIBILITY_PRESET hidden
                                              VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(stretto-core PUBLIC stretto-flags ${CMAKE_DL_LIBS})
# Its loops over all ranks are worth making vectors of. gcc 12 crashes on that with sanitizers.
if(NOT STRETTO_SANITIZE)
  set_source_files_properties(src/model/rounds_run.cpp src/mpi/addition.cpp PROPERTIES COMPILE_OPTIONS -O3)
endif()
# Reading these is a good part of what compiling a file takes. Each file includes what it needs
# all the same: clang-tidy reads it without them.
set(read_once <algorithm> <array> <functional> <memory> <optional> <string> <vector>)
target_precompile_headers(stretto-core PRIVATE ${read_once})

# Precompiles these headers for all targets that are compiled with one set of options. Each target
# doing so itself fills gigabytes: 70 MB each.
function(stretto_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "" "HEADERS;LIBRARIES")
  set(empty ${PROJECT_BINARY_DIR}/empty.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${empty})
  target_link_libraries(${name} PRIVATE ${of_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${of_HEADERS})
endfunction()

# How what is shipped is linked: it needs no C++ runtime, and has of it only what it calls.
set(alone -static-libstdc++ -static-libgcc -Wl,--gc-sections)

# The programs, which know no MPI either: each is a folder.
file(GLOB programs CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/programs
     src/programs/*/main.cpp)
list(TRANSFORM programs REPLACE /main.cpp "")
foreach(program IN LISTS programs)
  file(GLOB program_sources CONFIGURE_DEPENDS src/programs/${program}/*.cpp)
  add_executable(stretto-${program} ${program_sources})
  target_link_libraries(stretto-${program} PRIVATE stretto-core)
  if(NOT STRETTO_SANITIZE)
    target_link_options(stretto-${program} PRIVATE ${alone})
  endif()
  set_target_properties(stretto-${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                      ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS stretto-${program} DESTINATION bin)
endforeach()

# What is written from the table of MPI functions, once for all ABIs: the C API's collectives with
# their headers, and the entry points of each mode.
set(generated ${PROJECT_BINARY_DIR}/generated)
file(GLOB generator CONFIGURE_DEPENDS src/generate/*.py src/generate/*.txt)
function(stretto_generate part)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "" "OUTPUT;BYPRODUCTS;DEPENDS")
  add_custom_command(
    OUTPUT ${of_OUTPUT}
    BYPRODUCTS ${of_BYPRODUCTS}
    COMMAND Python3::Interpreter -m generate ${generated} ${part}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/src
    DEPENDS ${generator} ${of_DEPENDS}
    VERBATIM)
  add_custom_target(stretto-generated-${part} DEPENDS ${of_OUTPUT})
endfunction()
stretto_generate(api OUTPUT ${generated}/api/collectives.cpp
                 BYPRODUCTS ${generated}/include/stretto/collectives.h
                            ${generated}/include/stretto/mpi4.h)
install(DIRECTORY include/stretto ${generated}/include/stretto DESTINATION include)

foreach(visibility IN ITEMS hidden default)
  stretto_precompile(stretto-headers-${visibility}
                     HEADERS ${read_once} <atomic> <condition_variable> <mutex>
                     LIBRARIES stretto-core stretto-counted)
  set_target_properties(stretto-headers-${visibility}
                        PROPERTIES CXX_VISIBILITY_PRESET ${visibility}
                                   VISIBILITY_INLINES_HIDDEN ON)
endforeach()

# Objects against one MPI's headers. Those of the public faces (api, intercept) keep
# default visibility: the version script of the library says what gets out.
function(stretto_add_objects name abi visibility)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  add_dependencies(${name} stretto-generated-api)
  target_link_libraries(${name} PUBLIC stretto-core mpi-headers-${abi} stretto-counted)
  target_precompile_headers(${name} REUSE_FROM stretto-headers-${visibility})
  target_compile_definitions(${name} PRIVATE STRETTO_ABI="${abi}"
                                             STRETTO_VERSION="${PROJECT_VERSION}")
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET ${visibility}
                                           VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# A library of the objects of these layers; `script` says what it exports.
function(stretto_add_library name abi script)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:stretto-\\1-${abi}>"
       OUTPUT_VARIABLE objects)
  add_library(${name} SHARED ${objects})
  target_link_libraries(${name} PRIVATE stretto-mpi-free)
  target_link_options(${name} PRIVATE -Wl,--version-script=${script})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${script} LIBRARY_OUTPUT_DIRECTORY
                                           ${PROJECT_BINARY_DIR}/lib)
  if(NOT STRETTO_SANITIZE)
    # A program may carry another C++ runtime, or none.
    target_link_options(${name} PRIVATE ${alone} -Wl,--no-undefined)
  endif()
  install(TARGETS ${name} DESTINATION lib)
endfunction()

# These of the layers below need no MPI's header, and are compiled once for all ABIs. What runs before
# `main` or after it belongs to one library, and not here.
file(GLOB mpi_free_sources CONFIGURE_DEPENDS src/transport/shm/*.cpp)
foreach(name IN ITEMS
    bench/suite/blocks bench/suite/buffers bench/suite/clock_model bench/suite/free_memory
    bench/suite/plan bench/suite/rows bench/suite/values bench/suite/warm_up bench/suite/work_unit
    engine/device_job engine/idle engine/plan engine/routes engine/tags
    intercept/shared/call_path intercept/shared/job_name intercept/shared/python)
  list(APPEND mpi_free_sources ${PROJECT_SOURCE_DIR}/src/${name}.cpp)
endforeach()
add_library(stretto-mpi-free STATIC EXCLUDE_FROM_ALL ${mpi_free_sources})
# Of it the unit tests that know no MPI link only what calls nothing that does.
set_target_properties(stretto-mpi-free PROPERTIES UNITY_BUILD OFF)
target_link_libraries(stretto-mpi-free PUBLIC stretto-core stretto-counted)
target_precompile_headers(stretto-mpi-free REUSE_FROM stretto-headers-hidden)
set_target_properties(stretto-mpi-free PROPERTIES CXX_VISIBILITY_PRESET hidden
                                                  VISIBILITY_INLINES_HIDDEN ON)

# By layer: what knows the MPI, what moves messages by it, the API, what measures, and what all
# modes have.
file(GLOB_RECURSE mpi_sources CONFIGURE_DEPENDS src/mpi/*.cpp)
file(GLOB_RECURSE engine_sources CONFIGURE_DEPENDS src/transport/*.cpp src/engine/*.cpp)
file(GLOB_RECURSE api_sources CONFIGURE_DEPENDS src/api/*.cpp)
file(GLOB bench_sources CONFIGURE_DEPENDS src/bench/*.cpp)
file(GLOB suite_sources CONFIGURE_DEPENDS src/bench/suite/*.cpp)
file(GLOB shared_sources CONFIGURE_DEPENDS src/intercept/shared/*.cpp)
# Each measures one thing, with a tag, sizes and rounds of its own. Two more by the name of their object:
# the fake MPI has what finds an MPI (UnitTests.cmake), and `atexit` is called in one place
# (tests/mpi/test_exit.py).
set_source_files_properties(${bench_sources} src/mpi/native.cpp src/intercept/calibrate/session.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
list(REMOVE_ITEM engine_sources ${mpi_free_sources})
list(REMOVE_ITEM suite_sources ${mpi_free_sources})
list(REMOVE_ITEM shared_sources ${mpi_free_sources})
foreach(abi IN LISTS STRETTO_ABIS)
  stretto_add_objects(stretto-mpi-${abi} ${abi} hidden ${mpi_sources})
  stretto_add_objects(stretto-engine-${abi} ${abi} hidden ${engine_sources})
  stretto_add_objects(stretto-api-${abi} ${abi} default ${api_sources}
                      ${generated}/api/collectives.cpp)
  stretto_add_objects(stretto-bench-${abi} ${abi} hidden ${bench_sources})
  stretto_add_objects(stretto-suite-${abi} ${abi} hidden ${suite_sources})
  stretto_add_objects(stretto-intercept-shared-${abi} ${abi} hidden ${shared_sources})
  stretto_add_library(stretto-${abi} ${abi} ${PROJECT_SOURCE_DIR}/cmake/exports-api.map
                      mpi engine api)
endforeach()

# A mode: what its folder in src/intercept holds, and the layers beneath it that are named. A mode
# that exports more than the MPI's functions says so in its folder.
function(stretto_add_mode mode)
  set(folder ${PROJECT_SOURCE_DIR}/src/intercept/${mode})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(wrappers ${generated}/intercept/${mode}/wrappers.cpp)
  if(mode STREQUAL whatif)
    # Hundreds of functions, each with its own copy of what calls do with virtual time: -O2 takes half
    # as long again to compile.
    set_source_files_properties(${wrappers} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:RelWithDebInfo>:-O1>")
  endif()
  stretto_generate(${mode} OUTPUT ${wrappers} DEPENDS ${folder}/wrappers.py)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports-mpi.map)
  if(EXISTS ${folder}/exports.map)
    set(exports ${folder}/exports.map)
  endif()
  foreach(abi IN LISTS STRETTO_ABIS)
    stretto_add_objects(stretto-intercept-${mode}-${abi} ${abi} default ${sources} ${wrappers})
    add_dependencies(stretto-intercept-${mode}-${abi} stretto-generated-${mode})
    stretto_add_library(stretto-${mode}-${abi} ${abi} ${exports} intercept-${mode}
                        intercept-shared mpi ${ARGN})
    if(STRETTO_SANITIZE AND NOT mode STREQUAL accelerate)
      # Its unit tests run with sanitizers, on one MPI's objects, and no program does.
      set_target_properties(stretto-${mode}-${abi} stretto-intercept-${mode}-${abi}
                            PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endfunction()

stretto_add_mode(accelerate engine api bench)
stretto_add_mode(calibrate bench)
stretto_add_mode(profile)
stretto_add_mode(whatif bench)

# What `stretto bench` launches: a program that finds its MPI as the libraries do.
foreach(abi IN LISTS STRETTO_ABIS)
  set(program bench-program-${abi})
  stretto_add_objects(stretto-bench-main-${abi} ${abi} hidden src/bench/program/main.cpp)
  add_executable(${program} $<TARGET_OBJECTS:stretto-bench-main-${abi}>
                            $<TARGET_OBJECTS:stretto-suite-${abi}>
                            $<TARGET_OBJECTS:stretto-mpi-${abi}>)
  target_link_libraries(${program} PRIVATE stretto-mpi-free)
  if(STRETTO_SANITIZE)
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    target_link_options(${program} PRIVATE ${alone})
    install(TARGETS ${program} DESTINATION bin)
  endif()
  set_target_properties(${program} PROPERTIES OUTPUT_NAME stretto-bench-${abi}
                                              RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endforeach()
