# Which MPIs are here, by ABI. Sets STRETTO_ABIS and, for each ABI in it, an
# interface target `mpi-<abi>` (headers and libraries, for programs) and
# `mpi-headers-<abi>` (headers alone, for what finds the MPI at run time).
#
# An MPI is told by its mpi.h, never by its name: `mpicc` can be anybody's.
# -DSTRETTO_OPENMPI_MPICC=..., -DSTRETTO_MPICH_MPICC=... and -DSTRETTO_MPIABI_MPICC=...
# name a wrapper.

set(STRETTO_VARIANTS openmpi mpich mpiabi CACHE STRING "ABIs to build for, of MPIs that are here")
set(STRETTO_OPENMPI_MPICC "" CACHE FILEPATH "Open MPI's mpicc")
set(STRETTO_MPICH_MPICC "" CACHE FILEPATH "mpicc of MPICH or of an MPI with its ABI")
set(STRETTO_MPIABI_MPICC "" CACHE FILEPATH "A wrapper for the MPI 5.0 standard ABI (mpicc_abi)")

# The ABI of the mpi.h that `mpicc` compiles against; empty where there is none.
function(stretto_abi_of mpicc result)
  execute_process(
    COMMAND ${mpicc} -E -dM -include mpi.h -x c /dev/null
    OUTPUT_VARIABLE macros ERROR_QUIET RESULT_VARIABLE status)
  set(abi "")
  if(status EQUAL 0)
    if(macros MATCHES "#define OPEN_MPI ")
      set(abi openmpi)
    elseif(macros MATCHES "#define MPICH_VERSION ")
      set(abi mpich)
    elseif(macros MATCHES "#define MPI_ABI_VERSION +1")
      set(abi mpiabi)
    endif()
  endif()
  set(${result} "${abi}" PARENT_SCOPE)
endfunction()

# The flags that `wrapper` adds, sorted by purpose: <prefix>_INCLUDES, <prefix>_DEFINITIONS,
# <prefix>_LINK.
function(stretto_wrapper_flags wrapper prefix)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE line OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${line}")
  list(POP_FRONT words compiler)
  set(includes "")
  set(definitions "")
  set(link "")
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      list(APPEND includes ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-D(.+)")
      list(APPEND definitions ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-(L|l|Wl,)|^/.*\\.(so|a)")
      list(APPEND link ${word})
    endif()
  endforeach()
  set(${prefix}_INCLUDES ${includes} PARENT_SCOPE)
  set(${prefix}_DEFINITIONS ${definitions} PARENT_SCOPE)
  set(${prefix}_LINK "${link}" PARENT_SCOPE)
endfunction()

function(stretto_add_mpi abi mpicc)
  stretto_wrapper_flags(${mpicc} flags)
  add_library(mpi-headers-${abi} INTERFACE)
  target_include_directories(mpi-headers-${abi} SYSTEM INTERFACE ${flags_INCLUDES})
  # The C++ bindings that MPI-3 removed would pull the whole MPI in.
  target_compile_definitions(mpi-headers-${abi} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX
                                                             ${flags_DEFINITIONS})
  add_library(mpi-${abi} INTERFACE)
  target_link_libraries(mpi-${abi} INTERFACE mpi-headers-${abi} ${flags_LINK})
  message(STATUS "MPI of the ${abi} ABI: ${mpicc}")
endfunction()

# Fortran bindings, where both gfortran and this MPI's are here: `mpi-fortran-<abi>`.
function(stretto_add_mpi_fortran abi mpicc)
  string(REGEX REPLACE "mpicc([^/]*)$" "mpifort\\1" mpifort ${mpicc})
  if(NOT EXISTS ${mpifort} OR NOT CMAKE_Fortran_COMPILER)
    message(STATUS "MPI of the ${abi} ABI: no Fortran")
    return()
  endif()
  stretto_wrapper_flags(${mpifort} flags)
  add_library(mpi-fortran-${abi} INTERFACE)
  target_include_directories(mpi-fortran-${abi} SYSTEM INTERFACE ${flags_INCLUDES})
  target_link_libraries(mpi-fortran-${abi} INTERFACE ${flags_LINK})
endfunction()

# .venv's come first: its MPICH is the version we pin, whatever the system has.
set(candidates "")
foreach(name IN ITEMS mpicc mpicc_abi)
  find_program(STRETTO_VENV_${name} ${name} PATHS ${PROJECT_SOURCE_DIR}/.venv/bin NO_DEFAULT_PATH)
  list(APPEND candidates ${STRETTO_VENV_${name}})
  mark_as_advanced(STRETTO_VENV_${name})
endforeach()
foreach(name IN ITEMS mpicc mpicc.openmpi mpicc.mpich mpicc_abi)
  find_program(STRETTO_PATH_${name} ${name})
  list(APPEND candidates ${STRETTO_PATH_${name}})
  mark_as_advanced(STRETTO_PATH_${name})
endforeach()
list(FILTER candidates EXCLUDE REGEX "-NOTFOUND$")

include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
endif()

set(STRETTO_ABIS "")
foreach(abi IN LISTS STRETTO_VARIANTS)
  string(TOUPPER ${abi} ABI)
  set(found "")
  if(STRETTO_${ABI}_MPICC)
    stretto_abi_of(${STRETTO_${ABI}_MPICC} actual)
    if(NOT actual STREQUAL abi)
      message(FATAL_ERROR "STRETTO_${ABI}_MPICC=${STRETTO_${ABI}_MPICC} is not an mpicc of the "
                          "${abi} ABI. Name another, or leave it out to skip that variant.")
    endif()
    set(found ${STRETTO_${ABI}_MPICC})
  else()
    foreach(mpicc IN LISTS candidates)
      stretto_abi_of(${mpicc} actual)
      if(actual STREQUAL abi)
        set(found ${mpicc})
        break()
      endif()
    endforeach()
  endif()
  if(found)
    list(APPEND STRETTO_ABIS ${abi})
    stretto_add_mpi(${abi} ${found})
    stretto_add_mpi_fortran(${abi} ${found})
  else()
    message(STATUS "MPI of the ${abi} ABI: none found, its variant is skipped")
  endif()
endforeach()
if(NOT STRETTO_ABIS)
  message(WARNING "No MPI found: only the MPI-free parts are built. Install libopenmpi-dev, "
                  "or run tools/setup.sh.")
endif()
