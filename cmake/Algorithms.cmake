# The table of algorithms is the listing of src/collectives/<collective>/*.cpp:
# adding a file adds an algorithm. Writes algorithms.cpp into the build tree.

file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/collectives
     ${PROJECT_SOURCE_DIR}/src/collectives/*/*.cpp)
set(STRETTO_ALGORITHM_DECLARATIONS "")
set(STRETTO_ALGORITHM_ENTRIES "")
foreach(file IN LISTS files)
  string(REGEX REPLACE "^(.*)/(.*)\\.cpp$" "\\1_\\2" variable ${file})
  string(APPEND STRETTO_ALGORITHM_DECLARATIONS "extern const Algorithm ${variable};\n")
  string(APPEND STRETTO_ALGORITHM_ENTRIES "    &${variable},\n")
endforeach()
set(STRETTO_ALGORITHM_TABLE ${PROJECT_BINARY_DIR}/generated/collectives/algorithms.cpp)
configure_file(${PROJECT_SOURCE_DIR}/src/collectives/algorithms.cpp.in ${STRETTO_ALGORITHM_TABLE}
               @ONLY)
