# Training in several processes: LibTorch's c10d with Gloo between CPU processes and, where it has it, NCCL between
# GPUs. LibTorch's headers of both need those of Gloo and NCCL; where a program with them can't be linked, training
# runs in one process.
# Gloo is C++: its headers must be those that LibTorch was built with, beside its own (libgloo-dev for Debian's).
find_path(POINTPNG_GLOO_INCLUDE_DIR gloo/algorithm.h NO_DEFAULT_PATH PATHS ${POINTPNG_TORCH_HEADERS})
find_path(POINTPNG_NCCL_INCLUDE_DIR nccl.h)
find_path(POINTPNG_CUDA_INCLUDE_DIR cuda_runtime_api.h PATHS /usr/local/cuda/include)

# Sets `out` to whether a program with a kind of process group can be linked; then come its include folders.
function(pointpng_check_collectives out kind)
  if(NOT ${out})
    try_compile(${out} ${CMAKE_CURRENT_BINARY_DIR}/collectives_${kind}
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/collectives_check.cpp
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${ARGN}"
      COMPILE_DEFINITIONS -DUSE_C10D_${kind} LINK_LIBRARIES pointpng_torch CXX_STANDARD 20)
  endif()
endfunction()

set(definitions)
set(folders)
if(POINTPNG_GLOO_INCLUDE_DIR)
  pointpng_check_collectives(POINTPNG_HAS_GLOO GLOO ${POINTPNG_GLOO_INCLUDE_DIR})
endif()
if(POINTPNG_HAS_GLOO)
  list(APPEND definitions USE_C10D_GLOO)
  list(APPEND folders ${POINTPNG_GLOO_INCLUDE_DIR})
  if("${POINTPNG_TORCH_LIBRARIES}" MATCHES torch_cuda AND POINTPNG_NCCL_INCLUDE_DIR AND POINTPNG_CUDA_INCLUDE_DIR)
    pointpng_check_collectives(POINTPNG_HAS_NCCL NCCL ${POINTPNG_NCCL_INCLUDE_DIR} ${POINTPNG_CUDA_INCLUDE_DIR})
  endif()
  if(POINTPNG_HAS_NCCL)
    list(APPEND definitions USE_C10D_NCCL)
    list(APPEND folders ${POINTPNG_NCCL_INCLUDE_DIR} ${POINTPNG_CUDA_INCLUDE_DIR})
  endif()
else()
  message(STATUS "Training runs in one process: there are no headers of Gloo beside those of LibTorch. For several, install "
    "libgloo-dev (for Debian's LibTorch), or name their folder with -DPOINTPNG_GLOO_INCLUDE_DIR=<folder>.")
endif()
# The headers of c10d are large and used here only.
set_source_files_properties(src/train/process_group.cpp PROPERTIES COMPILE_DEFINITIONS "${definitions}"
  INCLUDE_DIRECTORIES "${folders}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
