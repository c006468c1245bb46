# The parts of PCL that are compared with in the evaluation, as the target `pointpng_pcl`. PCLConfig.cmake is not asked: it
# brings VTK, Qt and their definitions along, which no part here needs and which spoil the precompiled header.
find_path(POINTPNG_PCL_INCLUDE_DIR pcl/point_types.h
  PATH_SUFFIXES pcl-1.15 pcl-1.14 pcl-1.13 pcl-1.12 pcl-1.11 pcl-1.10)
if(NOT POINTPNG_PCL_INCLUDE_DIR)
  message(FATAL_ERROR "Evaluation compares with PCL, which is not installed: install libpcl-dev, or build without training and "
    "evaluation (-DPOINTPNG_LEARNING=OFF).")
endif()
add_library(pointpng_pcl INTERFACE IMPORTED GLOBAL)
target_include_directories(pointpng_pcl SYSTEM INTERFACE ${POINTPNG_PCL_INCLUDE_DIR})
foreach(part registration sample_consensus filters features search kdtree octree common)
  find_library(POINTPNG_PCL_${part} pcl_${part} REQUIRED)
  target_link_libraries(pointpng_pcl INTERFACE ${POINTPNG_PCL_${part}})
endforeach()
