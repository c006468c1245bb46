# How all packages of this project are compiled.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Headers of LibTorch, Eigen and JSON take longer to compile than our sources: several sources are compiled as one. A name
# in an anonymous namespace is therefore unique in its target, or an overload. OFF compiles file by file.
option(POINTPNG_UNITY "Compile several sources at once" ON)

# batch: how many sources are one; an incremental build compiles all of them.
function(pointpng_unity target batch)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${POINTPNG_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# Compiles sources of a library as one with options of their own: the batches above leave such sources out.
function(pointpng_batch library name options)
  set(batch ${ARGN})
  if(POINTPNG_UNITY)
    set(batch ${CMAKE_CURRENT_BINARY_DIR}/batches/${name}.cpp)
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"" OUTPUT_VARIABLE lines)
    list(JOIN lines "\n" text)
    file(CONFIGURE OUTPUT ${batch} CONTENT "${text}\n" @ONLY)
    set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
    target_sources(${library} PRIVATE ${batch})
  endif()
  set_source_files_properties(${batch} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# GCC 12 warns of overlapping copies inside std::string's operator+ (its bug 105651).
function(pointpng_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()

# What ROS 2's tools read of a plain CMake package: its description, its mark in the index of packages, and (listed in
# colcon.pkg) the hooks by which colcon puts its prefix on AMENT_PREFIX_PATH.
function(pointpng_install_description)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/description)
  file(WRITE ${folder}/${PROJECT_NAME} "")
  file(WRITE ${folder}/ament_prefix_path.dsv "prepend-non-duplicate;AMENT_PREFIX_PATH;\n")
  file(WRITE ${folder}/ament_prefix_path.sh
    "_colcon_prepend_unique_value AMENT_PREFIX_PATH \"$COLCON_CURRENT_PREFIX\"\n")
  install(FILES package.xml DESTINATION share/${PROJECT_NAME})
  install(FILES ${folder}/${PROJECT_NAME} DESTINATION share/ament_index/resource_index/packages)
  install(FILES ${folder}/ament_prefix_path.dsv ${folder}/ament_prefix_path.sh DESTINATION share/${PROJECT_NAME}/hook)
endfunction()

# Code that shares a library's precompiled header must be compiled as it was: with OpenMP and -fPIC, not an
# executable's -fPIE.
function(pointpng_share_headers target library)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_link_libraries(${target} PRIVATE OpenMP::OpenMP_CXX)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM ${library})
endfunction()
