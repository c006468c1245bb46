"""A node in a process of its own."""

import os

from launch.actions import ExecuteProcess
from launch.utilities import perform

from ..parameter_descriptions import ParameterFile, flatten, write_parameter_file
from ..substitutions import ExecutableInPackage
from .settings import global_parameters, global_remaps, join_namespaces, namespace


class Node(ExecuteProcess):
    def __init__(self, *, executable, package=None, name=None, namespace=None, parameters=None, remappings=None,
                 ros_arguments=None, arguments=None, exec_name=None, **kwargs):
        program = executable if package is None else ExecutableInPackage(executable, package)
        super().__init__(cmd=[program], name=exec_name, **kwargs)
        self._node_name, self._namespace = name, namespace
        self._parameters = list(parameters or [])
        if isinstance(parameters, (str, dict)):
            raise TypeError("parameters of a Node must be a list")
        self._remappings = list(remappings or [])
        self._ros_arguments, self._arguments = list(ros_arguments or []), list(arguments or [])
        self._final_name = None

    @property
    def node_name(self):
        """The full name; known once the node was started."""
        if self._final_name is None:
            raise RuntimeError("the name of a node is known once it was started")
        return self._final_name

    def resolve(self, context):
        words = super().resolve(context) + [perform(context, argument) for argument in self._arguments]
        words.append("--ros-args")
        words += [perform(context, argument) for argument in self._ros_arguments]
        own = perform(context, self._namespace) if self._namespace is not None else ""
        space = join_namespaces(namespace(context), own)
        if space and not space.startswith("/"):
            space = "/" + space
        name = perform(context, self._node_name) if self._node_name is not None else None
        self._final_name = f"{space.rstrip('/')}/{name or os.path.basename(words[0])}"
        if name is not None:
            words += ["-r", f"__node:={name}"]
        if space:
            words += ["-r", f"__ns:={space}"]
        words += self._parameter_arguments(context, f"{space.rstrip('/')}/{name}" if name and space else "/**")
        for source, target in global_remaps(context) + self._remappings:
            words += ["-r", f"{perform(context, source)}:={perform(context, target)}"]
        return words

    def _parameter_arguments(self, context, pattern):
        words = []
        settings = global_parameters(context)
        if settings:
            words += ["--params-file", write_parameter_file("/**", settings)]
        for parameters in self._parameters:
            if isinstance(parameters, dict):
                path = write_parameter_file(pattern, flatten(context, parameters))
            else:
                file = parameters if isinstance(parameters, ParameterFile) else ParameterFile(parameters)
                path = file.evaluate(context)
                if not os.path.isfile(path):
                    raise RuntimeError(f"parameter file does not exist: {path}")
            words += ["--params-file", path]
        return words
