# Which ROS 2 this machine has; to be sourced. A real one is always preferred to the wheels.

# True for a prefix with a real rclcpp; the stand-in says in its package.xml that it is one.
real_prefix() { [[ -f $1/share/rclcpp/package.xml ]] && ! grep -q '<stand_in/>' "$1/share/rclcpp/package.xml"; }

# The prefix of a real ROS 2: the sourced one first, else the newest of /opt/ros, Jazzy before all others.
# Prints nothing where there is none.
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

# Brings a real ROS 2 into this shell, unless it is there already. $1: its prefix
source_real_ros() {
  [[ -z ${ROS_DISTRO:-} && -f $1/setup.bash ]] || return 0
  set +u # ROS's own scripts read variables that may not exist
  source "$1/setup.bash"
  set -u
}
