# rclcpp_components_register_nodes(target class...)
#
# On a real ROS 2 this makes the classes loadable into a container. There is none here: nothing is left to do.
function(rclcpp_components_register_nodes target)
  if(NOT ARGN)
    message(FATAL_ERROR "rclcpp_components_register_nodes: no component class given")
  endif()
endfunction()

# rclcpp_components_register_node(target PLUGIN class EXECUTABLE name [EXECUTOR executor])
#
# Makes and installs an executable that runs one component of the library `target`.
function(rclcpp_components_register_node target)
  cmake_parse_arguments(ARG "" "PLUGIN;EXECUTABLE;EXECUTOR" "" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_PLUGIN OR NOT ARG_EXECUTABLE)
    message(FATAL_ERROR "rclcpp_components_register_node: target PLUGIN class EXECUTABLE name [EXECUTOR executor]")
  endif()
  set(executor SingleThreadedExecutor)
  if(ARG_EXECUTOR)
    set(executor ${ARG_EXECUTOR})
  endif()
  if(NOT executor MATCHES "^(Single|Multi)ThreadedExecutor$")
    message(FATAL_ERROR "rclcpp_components_register_node: the stand-in has no ${executor}")
  endif()
  set(component ${ARG_PLUGIN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/rclcpp_components/node_main_${ARG_EXECUTABLE}.cpp)
  configure_file(${rclcpp_components_DIR}/node_main.cpp.in ${source} @ONLY)
  add_executable(${ARG_EXECUTABLE} ${source})
  # The component registers itself when its library is loaded: the linker must not drop the library.
  target_link_libraries(${ARG_EXECUTABLE} PRIVATE rclcpp_components::component -Wl,--no-as-needed ${target})
  install(TARGETS ${ARG_EXECUTABLE} DESTINATION lib/${PROJECT_NAME})
endfunction()
