# The libraries: `stretto-core`, which knows no MPI, and per ABI
#   libstretto-<abi>.so             the C API (stretto_*)
#   libstretto-accelerate-<abi>.so  the drop-in: the same plus MPI_* and PMPI_*
#   libstretto-profile-<abi>.so     what `stretto profile` preloads: MPI_* and PMPI_* that count
#   libstretto-calibrate-<abi>.so   what `stretto calibrate` preloads: MPI_Init, which measures
#   libstretto-whatif-<abi>.so      what `stretto whatif` preloads: the same, and clocks, in virtual
#                                   time
# None links an MPI: they find the program's own at run time. So all must come
# out without one undefined MPI symbol, and with nothing needed beyond libc.

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS src/base/*.cpp src/topology/*.cpp
     src/patterns/*.cpp src/schedule/*.cpp src/collectives/*.cpp src/selection/*.cpp
     src/model/*.cpp src/trace/*.cpp src/replay/*.cpp)
list(FILTER core_sources EXCLUDE REGEX "/tool/")
include(Algorithms)
add_library(stretto-core STATIC ${core_sources} ${STRETTO_ALGORITHM_TABLE})
set_target_properties(stretto-core PROPERTIES CXX_VISIBILITY_PRESET hidden
                                              VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(stretto-core PUBLIC stretto-flags ${CMAKE_DL_LIBS})
# Its loops over all ranks are worth making vectors of. gcc 12 crashes on that with sanitizers.
if(NOT STRETTO_SANITIZE)
  set_source_files_properties(src/model/rounds_run.cpp PROPERTIES COMPILE_OPTIONS -O3)
endif()
# Reading these is a good part of what compiling a file takes. Each file includes what it needs
# all the same: clang-tidy reads it without them.
set(read_once <algorithm> <array> <functional> <memory> <optional> <string> <vector>)
target_precompile_headers(stretto-core PRIVATE ${read_once})

# stretto-schedule and stretto-replay, which know no MPI either.
foreach(tool schedule replay)
  file(GLOB tool_sources CONFIGURE_DEPENDS src/${tool}/tool/*.cpp)
  add_executable(stretto-${tool} ${tool_sources})
  target_link_libraries(stretto-${tool} PRIVATE stretto-core)
  if(NOT STRETTO_SANITIZE)
    target_link_options(stretto-${tool} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  set_target_properties(stretto-${tool} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                   ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS stretto-${tool} DESTINATION bin)
endforeach()

# By layer: what knows the MPI, what moves messages by it, the engine, the API, and a mode each.
file(GLOB_RECURSE mpi_sources CONFIGURE_DEPENDS src/mpi/*.cpp)
file(GLOB_RECURSE engine_sources CONFIGURE_DEPENDS src/transport/*.cpp src/engine/*.cpp)
file(GLOB_RECURSE api_sources CONFIGURE_DEPENDS src/api/*.cpp)
file(GLOB_RECURSE bench_sources CONFIGURE_DEPENDS src/bench/*.cpp)
file(GLOB intercept_sources CONFIGURE_DEPENDS src/intercept/*.cpp)
file(GLOB observing_sources CONFIGURE_DEPENDS src/intercept/calls/*.cpp)
list(APPEND observing_sources src/intercept/entry.cpp src/intercept/job_name.cpp
     src/intercept/roll_call.cpp
     src/intercept/this_rank.cpp)
file(GLOB profile_sources CONFIGURE_DEPENDS src/intercept/profile/*.cpp)
file(GLOB calibrate_sources CONFIGURE_DEPENDS src/intercept/calibrate/*.cpp)
file(GLOB whatif_sources CONFIGURE_DEPENDS src/intercept/whatif/*.cpp)
# The entry points themselves are written from a table, once for all ABIs.
set(generated ${PROJECT_BINARY_DIR}/generated)
file(GLOB generator CONFIGURE_DEPENDS src/generate/*)
add_custom_command(
  OUTPUT ${generated}/intercept/wrappers.cpp ${generated}/profile/wrappers.cpp
         ${generated}/whatif/wrappers.cpp ${generated}/api/collectives.cpp
  BYPRODUCTS ${generated}/include/stretto/collectives.h ${generated}/include/stretto/mpi4.h
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/src/generate/main.py ${generated}
  DEPENDS ${generator}
  VERBATIM)
add_custom_target(
  stretto-generated DEPENDS ${generated}/intercept/wrappers.cpp ${generated}/profile/wrappers.cpp
                            ${generated}/whatif/wrappers.cpp ${generated}/api/collectives.cpp)
install(DIRECTORY include/stretto ${generated}/include/stretto DESTINATION include)

# Objects against one MPI's headers. Those of the public faces (api, intercept) keep
# default visibility: the version script of the library says what gets out.
function(stretto_add_objects name abi visibility)
  add_library(${name} OBJECT ${ARGN})
  add_dependencies(${name} stretto-generated)
  target_link_libraries(${name} PUBLIC stretto-core mpi-headers-${abi})
  target_precompile_headers(${name} PRIVATE ${read_once} <atomic> <condition_variable> <mutex>)
  target_compile_definitions(${name} PRIVATE STRETTO_ABI="${abi}"
                                             STRETTO_VERSION="${PROJECT_VERSION}")
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET ${visibility}
                                           VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(stretto_add_library name exports)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${name} SHARED ${objects})
  target_link_libraries(${name} PRIVATE stretto-core)
  set(script ${PROJECT_SOURCE_DIR}/cmake/${exports})
  target_link_options(${name} PRIVATE -Wl,--version-script=${script})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${script} LIBRARY_OUTPUT_DIRECTORY
                                           ${PROJECT_BINARY_DIR}/lib)
  if(NOT STRETTO_SANITIZE)
    # A program may carry another C++ runtime, or none.
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--no-undefined)
  endif()
  install(TARGETS ${name} DESTINATION lib)
endfunction()

foreach(abi IN LISTS STRETTO_ABIS)
  stretto_add_objects(stretto-mpi-${abi} ${abi} hidden ${mpi_sources})
  stretto_add_objects(stretto-engine-${abi} ${abi} hidden ${engine_sources})
  stretto_add_objects(stretto-api-${abi} ${abi} default ${api_sources}
                      ${generated}/api/collectives.cpp)
  stretto_add_objects(stretto-intercept-${abi} ${abi} default ${intercept_sources}
                      ${generated}/intercept/wrappers.cpp)
  stretto_add_library(stretto-${abi} exports-api.map stretto-mpi-${abi} stretto-engine-${abi}
                      stretto-api-${abi})
  stretto_add_library(stretto-accelerate-${abi} exports-accelerate.map stretto-mpi-${abi}
                      stretto-engine-${abi} stretto-api-${abi} stretto-intercept-${abi})

  # The tests that run with sanitizers run none of those that follow.
  if(STRETTO_SANITIZE)
    continue()
  endif()
  stretto_add_objects(stretto-bench-${abi} ${abi} hidden ${bench_sources})
  stretto_add_objects(stretto-observing-${abi} ${abi} hidden ${observing_sources})
  stretto_add_objects(stretto-profiling-${abi} ${abi} default ${profile_sources}
                      ${generated}/profile/wrappers.cpp)
  stretto_add_library(stretto-profile-${abi} exports-mpi.map stretto-mpi-${abi}
                      stretto-observing-${abi} stretto-profiling-${abi})
  stretto_add_objects(stretto-measuring-${abi} ${abi} default ${calibrate_sources})
  stretto_add_library(stretto-calibrate-${abi} exports-mpi.map stretto-mpi-${abi}
                      stretto-bench-${abi} stretto-observing-${abi} stretto-measuring-${abi})
  stretto_add_objects(stretto-supposing-${abi} ${abi} default ${whatif_sources}
                      ${generated}/whatif/wrappers.cpp)
  stretto_add_library(stretto-whatif-${abi} exports-whatif.map stretto-mpi-${abi}
                      stretto-bench-${abi} stretto-observing-${abi} stretto-supposing-${abi})
endforeach()
