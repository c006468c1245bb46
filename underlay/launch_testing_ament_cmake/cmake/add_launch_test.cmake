# add_launch_test(file [TARGET name] [TIMEOUT seconds] [ENV NAME=value...] [APPEND_ENV NAME=value...]
#                 [ARGS name:=value...])
#
# Adds a launch test to CTest. The name is that of the file unless TARGET says another.
function(add_launch_test file)
  cmake_parse_arguments(ARG "" "TARGET;TIMEOUT" "ENV;APPEND_ENV;ARGS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_launch_test: the stand-in does not know ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(path ${file} ABSOLUTE)
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "add_launch_test: there is no file ${path}")
  endif()
  if(NOT ARG_TARGET)
    string(REPLACE "/" "_" ARG_TARGET ${file})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(result ${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${ARG_TARGET}.xunit.xml)
  set(environment)
  if(ARG_ENV)
    list(APPEND environment ENV ${ARG_ENV})
  endif()
  if(ARG_APPEND_ENV)
    list(APPEND environment APPEND_ENV ${ARG_APPEND_ENV})
  endif()
  ament_add_test(${ARG_TARGET}
    COMMAND ${Python3_EXECUTABLE} -m launch_testing.launch_test ${path} ${ARG_ARGS}
            --junit-xml=${result} --package-name=${PROJECT_NAME}
    OUTPUT_FILE ${CMAKE_BINARY_DIR}/launch_test/${ARG_TARGET}.txt
    RESULT_FILE ${result}
    TIMEOUT ${ARG_TIMEOUT}
    ${environment})
endfunction()
