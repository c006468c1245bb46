# rclcpp_components_register_nodes(target class...)
#
# On a real ROS 2 this makes the classes loadable into a container. There is none here: nothing is left to do.
function(rclcpp_components_register_nodes target)
  if(NOT ARGN)
    message(FATAL_ERROR "rclcpp_components_register_nodes: no component class given")
  endif()
endfunction()
