# LibTorch as the target `pointpng_torch`: the one that the user names (Torch_DIR, CMAKE_PREFIX_PATH),
# else the system's. Headers of one and libraries of another compile and then crash, so a mixture is
# refused here.
#
# LibTorch's own TorchConfig.cmake is located, but not loaded: it looks for its libraries in the
# system before its own folder, so that beside Debian's LibTorch any other gets Debian's libraries; and
# that of a CUDA build wants the CUDA compiler, which only those need who write CUDA kernels.

# Sets `out` to the folder of the first TorchConfig.cmake in the order in which CMake would search, or to nothing.
function(pointpng_find_torch_config out)
  set(folders ${Torch_DIR} $ENV{Torch_DIR})
  file(TO_CMAKE_PATH "$ENV{CMAKE_PREFIX_PATH}" environment_prefixes)
  foreach(prefix IN LISTS Torch_ROOT CMAKE_PREFIX_PATH environment_prefixes CMAKE_SYSTEM_PREFIX_PATH)
    foreach(library_folder IN ITEMS share lib/${CMAKE_LIBRARY_ARCHITECTURE} lib)
      list(APPEND folders ${prefix}/${library_folder}/cmake/Torch)
    endforeach()
    list(APPEND folders ${prefix}/Torch)  # what Python's torch.utils.cmake_prefix_path leads to
  endforeach()
  foreach(folder IN LISTS folders)
    if(EXISTS ${folder}/TorchConfig.cmake)
      get_filename_component(folder ${folder} REALPATH)
      set(${out} ${folder} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

# Sets `out` to the prefix that a folder <prefix>/…/cmake/Torch belongs to: the one with the headers.
function(pointpng_torch_prefix out config)
  set(prefix ${config})
  while(NOT EXISTS ${prefix}/include/torch/csrc/api/include/torch/version.h)
    get_filename_component(parent ${prefix} DIRECTORY)
    if(parent STREQUAL prefix)
      message(FATAL_ERROR "The LibTorch of ${config} has no headers beside it: install its "
        "development files, or name another with -DTorch_DIR=….")
    endif()
    set(prefix ${parent})
  endwhile()
  set(${out} ${prefix} PARENT_SCOPE)
endfunction()

# Sets `out` to a folder of LibTorch's headers. Its builds for all systems bring fmt's along, of another
# version than the system's library, and would hide it: they are given through links without that.
function(pointpng_torch_headers out prefix)
  set(headers ${prefix}/include)
  if(EXISTS ${headers}/fmt AND NOT headers IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set(links ${CMAKE_CURRENT_BINARY_DIR}/torch_headers)
    file(REMOVE_RECURSE ${links})
    file(MAKE_DIRECTORY ${links})
    file(GLOB entries RELATIVE ${headers} ${headers}/*)
    list(REMOVE_ITEM entries fmt)
    foreach(entry IN LISTS entries)
      file(CREATE_LINK ${headers}/${entry} ${links}/${entry} SYMBOLIC)
    endforeach()
    set(headers ${links})
  endif()
  set(${out} ${headers} PARENT_SCOPE)
endfunction()

# Sets `out` to LibTorch's libraries in that prefix and nowhere else, the CUDA ones where it has them.
function(pointpng_torch_libraries out prefix)
  set(found)
  foreach(name IN ITEMS torch torch_cpu c10 torch_cuda c10_cuda)
    find_library(POINTPNG_LIB_${name} lib${name}.so NO_CACHE NO_DEFAULT_PATH
      PATHS ${prefix}/lib ${prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE} ${prefix}/lib64)
    if(POINTPNG_LIB_${name})
      list(APPEND found ${POINTPNG_LIB_${name}})
    elseif(NOT name MATCHES cuda)
      message(FATAL_ERROR "The LibTorch in ${prefix} has no lib${name}.so: this project needs a complete, "
        "shared LibTorch; name one with -DTorch_DIR=….")
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Wheels before 2.6 used the C++ library's old ABI, in which no other library of a system is built.
function(pointpng_refuse_old_abi config)
  file(STRINGS ${config}/TorchConfig.cmake old_abi REGEX "_GLIBCXX_USE_CXX11_ABI=0")
  if(old_abi)
    message(FATAL_ERROR "The LibTorch of ${config} is built for the old C++ ABI and can't be linked with "
      "PCL and the other libraries: take a cxx11-abi build, or version 2.6 or later.")
  endif()
endfunction()

# Compiles and runs a few lines against the target and looks at what the compiler and the loader took.
function(pointpng_refuse_mixed_torch config prefix libraries)
  set(PACKAGE_FIND_VERSION 0)
  include(${config}/TorchConfigVersion.cmake)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" expected "${PACKAGE_VERSION}")
  list(GET libraries 0 library)
  get_filename_component(expected_folder ${library} DIRECTORY)
  get_filename_component(expected_folder ${expected_folder} REALPATH)
  # Not remembered from an earlier configuration: the user may have changed what was wrong.
  unset(POINTPNG_TORCH_STATUS CACHE)
  unset(POINTPNG_TORCH_COMPILES CACHE)
  try_run(POINTPNG_TORCH_STATUS POINTPNG_TORCH_COMPILES ${CMAKE_CURRENT_BINARY_DIR}/one_torch
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/one_torch_check.cpp
    LINK_LIBRARIES pointpng_torch ${CMAKE_DL_LIBS}
    CXX_STANDARD 20 COMPILE_OUTPUT_VARIABLE compile_output RUN_OUTPUT_VARIABLE seen)
  if(NOT POINTPNG_TORCH_COMPILES OR NOT POINTPNG_TORCH_STATUS EQUAL 0)
    message(FATAL_ERROR "A program of a few lines can't be built and run with the LibTorch in ${prefix}: "
      "take another LibTorch out of LD_LIBRARY_PATH if there is one, or reinstall this, or name another "
      "with -DTorch_DIR=….\n${compile_output}${seen}")
  endif()
  foreach(fact IN LISTS seen)
    if(fact MATCHES "^headers (.*)" AND NOT CMAKE_MATCH_1 STREQUAL expected)
      message(FATAL_ERROR "Two LibTorch are mixed: the compiler finds headers of ${CMAKE_MATCH_1}, but the "
        "one in ${prefix} is ${PACKAGE_VERSION}. Take one out of the compiler's paths, or name the one "
        "you want with -DTorch_DIR=….")
    elseif(fact MATCHES "^library (.*)/[^/]*" AND NOT CMAKE_MATCH_1 STREQUAL expected_folder)
      message(FATAL_ERROR "Two LibTorch are mixed: this build takes the one in ${prefix}, but programs "
        "load the one in ${CMAKE_MATCH_1}. Take that out of LD_LIBRARY_PATH, or name it with "
        "-DTorch_DIR=….")
    endif()
  endforeach()
  message(STATUS "LibTorch ${PACKAGE_VERSION} in ${prefix}")
endfunction()

pointpng_find_torch_config(POINTPNG_TORCH_CONFIG)
if(NOT POINTPNG_TORCH_CONFIG)
  if("${POINTPNG_LEARNING}${Torch_DIR}$ENV{Torch_DIR}" STREQUAL AUTO)  # nobody asked for one
    return()
  endif()
  message(FATAL_ERROR "There is no LibTorch: install libtorch-dev ('make setup' does), or name your own "
    "with -DTorch_DIR=<prefix>/share/cmake/Torch.")
endif()
# Remembered, so that a later configuration without the environment of the first takes the same.
set(Torch_DIR ${POINTPNG_TORCH_CONFIG} CACHE PATH "Folder of LibTorch's TorchConfig.cmake")
pointpng_torch_prefix(POINTPNG_TORCH_PREFIX ${POINTPNG_TORCH_CONFIG})
pointpng_torch_headers(POINTPNG_TORCH_HEADERS ${POINTPNG_TORCH_PREFIX})
pointpng_torch_libraries(POINTPNG_TORCH_LIBRARIES ${POINTPNG_TORCH_PREFIX})
pointpng_refuse_old_abi(${POINTPNG_TORCH_CONFIG})

add_library(pointpng_torch INTERFACE IMPORTED GLOBAL)
target_include_directories(pointpng_torch SYSTEM INTERFACE
  ${POINTPNG_TORCH_HEADERS} ${POINTPNG_TORCH_HEADERS}/torch/csrc/api/include)
# Nothing of ours refers to the CUDA libraries by name: they register themselves when loaded. Their own
# dependencies are found by the loader, from paths written in them that the linker does not follow.
target_link_libraries(pointpng_torch INTERFACE
  -Wl,--push-state,--no-as-needed ${POINTPNG_TORCH_LIBRARIES} -Wl,--pop-state
  -Wl,--unresolved-symbols=ignore-in-shared-libs)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

if(NOT CMAKE_CROSSCOMPILING)
  pointpng_refuse_mixed_torch(${POINTPNG_TORCH_CONFIG} ${POINTPNG_TORCH_PREFIX}
    "${POINTPNG_TORCH_LIBRARIES}")
endif()
