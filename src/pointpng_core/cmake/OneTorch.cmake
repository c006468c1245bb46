# LibTorch as the target `pointpng_torch`: the one that the user names (Torch_DIR, CMAKE_PREFIX_PATH),
# else the system's. Two in one build crash at run time, so a mixture stops here.
find_package(Torch REQUIRED)

add_library(pointpng_torch INTERFACE)
target_link_libraries(pointpng_torch INTERFACE ${TORCH_LIBRARIES})
set_target_properties(torch PROPERTIES INTERFACE_COMPILE_OPTIONS "")
