# The parts of PCL that are used, as the target `pointpng_pcl`. PCLConfig.cmake is not asked: it brings
# VTK, Qt and their definitions along, which no part here needs and which spoil the precompiled header.
find_path(POINTPNG_PCL_INCLUDE_DIR pcl/point_types.h REQUIRED
  PATH_SUFFIXES pcl-1.15 pcl-1.14 pcl-1.13 pcl-1.12 pcl-1.11 pcl-1.10)
file(STRINGS ${POINTPNG_PCL_INCLUDE_DIR}/pcl/pcl_config.h version_line REGEX "PCL_VERSION_PRETTY")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" POINTPNG_PCL_VERSION "${version_line}")

# What is used of PCL is instantiated here (PCL_NO_PRECOMPILE): its libraries hold every method for every type of
# point, and to load them takes longer than to register two clouds.
find_library(POINTPNG_PCL_common pcl_common REQUIRED)
add_library(pointpng_pcl_headers INTERFACE IMPORTED GLOBAL)
target_include_directories(pointpng_pcl_headers SYSTEM INTERFACE ${POINTPNG_PCL_INCLUDE_DIR})
target_compile_definitions(pointpng_pcl_headers INTERFACE PCL_NO_PRECOMPILE)
target_link_libraries(pointpng_pcl_headers INTERFACE ${POINTPNG_PCL_common})

# All of it, for the evaluation of its methods.
add_library(pointpng_pcl INTERFACE IMPORTED GLOBAL)
target_include_directories(pointpng_pcl SYSTEM INTERFACE ${POINTPNG_PCL_INCLUDE_DIR})
foreach(part registration sample_consensus filters features search kdtree octree common)
  find_library(POINTPNG_PCL_${part} pcl_${part} REQUIRED)
  target_link_libraries(pointpng_pcl INTERFACE ${POINTPNG_PCL_${part}})
endforeach()
