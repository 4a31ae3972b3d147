# Plain MPI programs, built once for each ABI as a user would build them:
#   apps/<name>/*.c or apps/<name>.c  ->  apps/<abi>/<name>
#   tests/mpi/<name>.{c,cpp,f,f90}    ->  tests/<abi>/<name>
#   tests/differential/*.cpp          ->  tests/<abi>/sequences
#   tests/mpi/standin/*.c             ->  what stands in for a GPU's runtime and for other MPIs

file(GLOB app_sources CONFIGURE_DEPENDS apps/*.c apps/*/*.c)
file(GLOB test_sources CONFIGURE_DEPENDS tests/mpi/*.c tests/mpi/*.cpp)
file(GLOB sequences_sources CONFIGURE_DEPENDS tests/differential/*.cpp)
file(GLOB fortran_sources CONFIGURE_DEPENDS tests/mpi/*.f tests/mpi/*.f90)

find_package(OpenMP QUIET COMPONENTS C)

if(STRETTO_SANITIZE)
  # The programs of the tests that run with sanitizers, and sequences.
  set(app_sources)
  set(fortran_sources)
  list(FILTER test_sources INCLUDE REGEX "/(api_random|threads|no_contexts|planted_race)\\.cpp$")
endif()

set(counting_tool ${PROJECT_BINARY_DIR}/generated/counting_tool.c)
add_custom_command(
  OUTPUT ${counting_tool}
  COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/src
          $<TARGET_FILE:Python3::Interpreter> ${PROJECT_SOURCE_DIR}/tests/tools/counting.py
          ${counting_tool}
  DEPENDS ${generator} ${PROJECT_SOURCE_DIR}/tests/tools/counting.py
  VERBATIM)
add_custom_target(counting-tool-source DEPENDS ${counting_tool})

function(stretto_add_program kind abi name)
  set(target ${kind}-${abi}-${name})
  add_executable(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)  # as users do
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                             ${PROJECT_BINARY_DIR}/${kind}/${abi})
endfunction()

foreach(abi IN LISTS STRETTO_ABIS)
  foreach(source IN LISTS app_sources)
    cmake_path(GET source STEM name)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL ${PROJECT_SOURCE_DIR}/apps)
      cmake_path(GET folder FILENAME name)
    endif()
    if(TARGET apps-${abi}-${name})
      target_sources(apps-${abi}-${name} PRIVATE ${source})
    else()
      stretto_add_program(apps ${abi} ${name} ${source})
      target_link_libraries(apps-${abi}-${name} PRIVATE stretto-flags mpi-${abi} m)
    endif()
  endforeach()

  foreach(source IN LISTS test_sources)
    cmake_path(GET source STEM name)
    stretto_add_program(tests ${abi} ${name} ${source})
    if(name STREQUAL dropin_persistent)
      # It needs functions that its MPI may not have.
      target_link_libraries(tests-${abi}-${name} PRIVATE stretto-accelerate-${abi})
    endif()
    if(name STREQUAL openmp AND OpenMP_C_FOUND)
      target_link_libraries(tests-${abi}-${name} PRIVATE OpenMP::OpenMP_C)
    endif()
    # Only those that call stretto_* come out needing it: the drop-in's tests must not.
    target_link_libraries(tests-${abi}-${name} PRIVATE stretto-flags mpi-${abi} m -Wl,--as-needed
                                                       stretto-${abi})
  endforeach()

  # Another tool, as a library to preload, linked to a program, and in the program itself.
  if(NOT STRETTO_SANITIZE)
    add_library(counting-tool-${abi} SHARED ${counting_tool})
    set_target_properties(counting-tool-${abi} PROPERTIES
      OUTPUT_NAME counting_tool LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${abi})
    target_link_libraries(counting-tool-${abi} PRIVATE mpi-${abi})
    add_dependencies(counting-tool-${abi} counting-tool-source)
    stretto_add_program(tests ${abi} wrapped_within tests/mpi/wrapped.c ${counting_tool})
    target_link_libraries(tests-${abi}-wrapped_within PRIVATE mpi-${abi})
    add_dependencies(tests-${abi}-wrapped_within counting-tool-source)
    stretto_add_program(tests ${abi} wrapped_linked tests/mpi/wrapped.c)
    target_link_libraries(tests-${abi}-wrapped_linked
                          PRIVATE -Wl,--no-as-needed counting-tool-${abi} mpi-${abi})

    # A tool that spoils a result, and one whose calls change.
    foreach(tool corrupting hanging switching)
      add_library(${tool}-tool-${abi} SHARED tests/mpi/standin/${tool}.c)
      set_target_properties(${tool}-tool-${abi} PROPERTIES
        OUTPUT_NAME ${tool}_tool LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${abi})
      target_link_libraries(${tool}-tool-${abi} PRIVATE stretto-flags mpi-${abi})
    endforeach()

    # Where the MPI's own library is looked for, this is found: a file of its name, before it.
    set(library_of_openmpi libmpi.so.40)
    set(library_of_mpich libmpi.so.12)
    set(library_of_mpiabi libmpi_abi.so.1)
    foreach(name aware counting)
      set(standin ${name}-mpi-${abi})
      add_library(${standin} SHARED tests/mpi/standin/${name}_mpi.c)
      target_link_libraries(${standin} PRIVATE stretto-flags -Wl,--no-as-needed mpi-${abi}
                                               ${CMAKE_DL_LIBS})
      # With the MPI's soname, too, it would be taken for the library that it needs itself.
      target_link_options(${standin} PRIVATE -Wl,-soname,lib${name}.so)
      set_target_properties(
        ${standin}
        PROPERTIES NO_SONAME ON
                   PREFIX ""
                   SUFFIX ""
                   OUTPUT_NAME ${library_of_${abi}}
                   LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${abi}/standin/${name})
    endforeach()
  endif()

  stretto_add_program(tests ${abi} sequences ${sequences_sources})
  target_link_libraries(tests-${abi}-sequences PRIVATE stretto-flags mpi-${abi} ${CMAKE_DL_LIBS})
  # Compiled sooner; nothing is measured with it.
  target_compile_options(tests-${abi}-sequences PRIVATE "$<$<CONFIG:RelWithDebInfo>:-O1>")
  set_target_properties(tests-${abi}-sequences PROPERTIES UNITY_BUILD ${CMAKE_UNITY_BUILD})

  if(TARGET mpi-fortran-${abi})
    foreach(source IN LISTS fortran_sources)
      cmake_path(GET source STEM name)
      stretto_add_program(tests ${abi} ${name} ${source})
      target_link_libraries(tests-${abi}-${name} PRIVATE mpi-fortran-${abi})
      # Who called whom is what one of them is about.
      target_compile_options(tests-${abi}-${name} PRIVATE -fno-inline)
    endforeach()
  endif()
endforeach()

# What tools/demo.sh runs, on the MPI that it takes.
if(NOT STRETTO_SANITIZE AND STRETTO_ABIS)
  set(abi mpich)
  if(openmpi IN_LIST STRETTO_ABIS)
    set(abi openmpi)
  endif()
  add_custom_target(demo DEPENDS stretto-accelerate-${abi})
  foreach(program IN ITEMS jacobi3d latency relaxation transpose)
    add_dependencies(demo apps-${abi}-${program})
  endforeach()
endif()

if(NOT STRETTO_SANITIZE)
  add_library(standin-cuda SHARED tests/mpi/standin/cuda.c)
  target_link_libraries(standin-cuda PRIVATE stretto-flags)
  set_target_properties(standin-cuda PROPERTIES OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY
                                                ${PROJECT_BINARY_DIR}/tests/standin)
endif()

# A program of a million ranks, one of which runs, on an MPI that makes up the others.
if(mpich IN_LIST STRETTO_ABIS AND NOT STRETTO_SANITIZE)
  add_library(fake-mpi SHARED tests/scale/fake_mpi.c)
  target_link_libraries(fake-mpi PRIVATE stretto-flags mpi-headers-mpich)
  add_executable(many-ranks tests/scale/many_ranks.c)
  target_link_libraries(many-ranks PRIVATE stretto-flags mpi-headers-mpich fake-mpi)
  # An MPI calls its own functions, whoever is preloaded.
  target_link_options(fake-mpi PRIVATE -Wl,-Bsymbolic)
  set_target_properties(fake-mpi PROPERTIES OUTPUT_NAME mpi SOVERSION 12 LIBRARY_OUTPUT_DIRECTORY
                                            ${PROJECT_BINARY_DIR}/tests/scale)
  set_target_properties(many-ranks PROPERTIES OUTPUT_NAME many_ranks RUNTIME_OUTPUT_DIRECTORY
                                              ${PROJECT_BINARY_DIR}/tests/scale)
endif()
