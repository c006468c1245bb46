# Finds this machine's ROS 2; to be sourced. A real one always takes precedence over the wheels.

# True for a prefix with a real rclcpp; the stand-in is marked in its package.xml.
real_prefix() { [[ -f $1/share/rclcpp/package.xml ]] && ! grep -q '<stand_in/>' "$1/share/rclcpp/package.xml"; }

# Prints the prefix of a real ROS 2: the sourced one, else /opt/ros/jazzy, else the newest in /opt/ros.
# Prints nothing if there is none.
real_ros() {
  local prefix prefixes
  IFS=: read -ra prefixes <<<"${AMENT_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}" /opt/ros/jazzy $(printf '%s\n' /opt/ros/*/ | sort -r); do
    if real_prefix "${prefix%/}"; then
      echo "${prefix%/}"
      return 0
    fi
  done
}

# Sources a real ROS 2, unless one is sourced already. $1: its prefix
source_real_ros() {
  [[ -z ${ROS_DISTRO:-} && -f $1/setup.bash ]] || return 0
  set +u # ROS's setup scripts read unset variables
  source "$1/setup.bash"
  set -u
}
