"""Commands that talk to running nodes, through rclpy."""

import contextlib
import importlib
import time

import yaml


@contextlib.contextmanager
def node():
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    # Ctrl-C ends the command as any Python program.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    made = rclpy.create_node("_ros2cli", start_parameter_services=False, enable_rosout=False)
    try:
        yield made
    finally:
        made.destroy_node()
        rclpy.shutdown()


def wait_for(condition, timeout, what):
    end = time.monotonic() + timeout
    while not (found := condition()):
        if time.monotonic() > end:
            raise RuntimeError(f"{what} within {timeout:g} s")
        time.sleep(0.05)
    return found


def discovered(made, query):
    """What `query` gives once other nodes are known and nothing new has come for a second."""
    quiet, longest = 1.0, 5.0
    start = changed = time.monotonic()
    known = query()
    while time.monotonic() < start + longest:
        time.sleep(0.1)
        if (now := query()) != known:
            known, changed = now, time.monotonic()
        if len(made.get_node_names()) > 1 and time.monotonic() > changed + quiet:
            break
    return known


def interface(name):
    """The class of std_msgs/msg/String."""
    try:
        package, kind, type_name = name.split("/")
        return getattr(importlib.import_module(f"{package}.{kind}"), type_name)
    except (AttributeError, ImportError, ValueError) as error:
        raise RuntimeError(f"the type '{name}' is not known here") from error


def call(made, service_type, name, request, timeout=10.0):
    import rclpy

    client = made.create_client(service_type, name)
    wait_for(client.service_is_ready, timeout, f"service '{name}' did not come")
    future = client.call_async(request)
    rclpy.spin_until_future_complete(made, future, timeout_sec=timeout)
    if not future.done():
        raise RuntimeError(f"service '{name}' did not answer within {timeout:g} s")
    return future.result()


def add_nodes(commands):
    verbs = commands.add_parser("node", help="nodes").add_subparsers(required=True)
    verbs.add_parser("list", help="names of all nodes").set_defaults(main=list_nodes)


def full_name(name, name_space):
    return f"{name_space.rstrip('/')}/{name}"


def list_nodes(options):
    with node() as made:
        names = {full_name(*pair) for pair in discovered(made, made.get_node_names_and_namespaces)}
    print("\n".join(sorted(name for name in names if not name.split("/")[-1].startswith("_"))))


def add_topics(commands):
    verbs = commands.add_parser("topic", help="topics").add_subparsers(required=True)
    listing = verbs.add_parser("list", help="names of all topics")
    listing.add_argument("-t", "--show-types", action="store_true")
    listing.set_defaults(main=list_topics)
    echo = verbs.add_parser("echo", help="print the messages of a topic")
    echo.add_argument("topic")
    echo.add_argument("type", nargs="?")
    echo.add_argument("--once", action="store_true", help="end after one message")
    echo.set_defaults(main=echo_topic)
    hz = verbs.add_parser("hz", help="print the rate of a topic")
    hz.add_argument("topic")
    hz.set_defaults(main=topic_rate)


def list_topics(options):
    with node() as made:
        topics = discovered(made, made.get_topic_names_and_types)
    for name, types in sorted(topics):
        print(f"{name} [{', '.join(types)}]" if options.show_types else name)


def subscribe(made, topic, callback, type_name=None):
    """With the quality of the topic's publishers, so that every kind is heard."""
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

    publishers = wait_for(lambda: made.get_publishers_info_by_topic(topic), 10.0, f"topic '{topic}' was not published")
    qos = QoSProfile(depth=10)
    if any(info.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT for info in publishers):
        qos.reliability = ReliabilityPolicy.BEST_EFFORT
    if all(info.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for info in publishers):
        qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
    return made.create_subscription(interface(type_name or publishers[0].topic_type), topic, callback, qos)


def echo_topic(options):
    import rclpy

    with node() as made:
        seen = []

        def show(message):
            print(yaml.safe_dump(to_plain(message), sort_keys=False, default_flow_style=None) + "---", flush=True)
            seen.append(True)

        subscription = subscribe(made, made.resolve_topic_name(options.topic), show, options.type)
        while not (options.once and seen):
            rclpy.spin_once(made, timeout_sec=0.5)
        made.destroy_subscription(subscription)


def topic_rate(options):
    import rclpy

    with node() as made:
        stamps = []
        subscribe(made, made.resolve_topic_name(options.topic), lambda message: stamps.append(time.monotonic()))
        shown = time.monotonic()
        while True:
            rclpy.spin_once(made, timeout_sec=0.2)
            if time.monotonic() - shown > 1.0:
                shown = time.monotonic()
                del stamps[:-1000]
                if len(stamps) > 1:
                    print(f"average rate: {(len(stamps) - 1) / (stamps[-1] - stamps[0]):.3f}", flush=True)


def to_plain(message):
    """A message as dictionaries, lists and numbers; long arrays are cut as ros2 topic echo does."""
    if hasattr(message, "get_fields_and_field_types"):
        return {name: to_plain(getattr(message, name)) for name in message.get_fields_and_field_types()}
    if isinstance(message, (bool, int, float, str)):
        return message
    if isinstance(message, bytes):
        return list(message)
    values = [to_plain(value.item() if hasattr(value, "item") else value) for value in list(message[:129])]
    return values[:128] + ["..."] if len(values) > 128 else values


def add_services(commands):
    verbs = commands.add_parser("service", help="services").add_subparsers(required=True)
    verbs.add_parser("list", help="names of all services").set_defaults(main=list_services)
    caller = verbs.add_parser("call", help="call a service")
    caller.add_argument("name")
    caller.add_argument("type")
    caller.add_argument("values", nargs="?", default="{}", help="the request, as YAML")
    caller.set_defaults(main=call_service)


def list_services(options):
    with node() as made:
        print("\n".join(sorted(name for name, _ in discovered(made, made.get_service_names_and_types))))


def fill(message, values):
    for name, value in values.items():
        current = getattr(message, name)
        if hasattr(current, "get_fields_and_field_types"):
            fill(current, value)
        else:
            setattr(message, name, value if isinstance(current, list) else type(current)(value))


def call_service(options):
    service_type = interface(options.type)
    request = service_type.Request()
    fill(request, yaml.safe_load(options.values) or {})
    with node() as made:
        response = call(made, service_type, options.name, request)
    print(yaml.safe_dump(to_plain(response), sort_keys=False, default_flow_style=None), end="")


def add_parameters(commands):
    verbs = commands.add_parser("param", help="parameters").add_subparsers(required=True)
    listing = verbs.add_parser("list", help="names of a node's parameters")
    listing.add_argument("node")
    listing.set_defaults(main=list_parameters)
    getter = verbs.add_parser("get", help="value of a parameter")
    getter.add_argument("node")
    getter.add_argument("name")
    getter.add_argument("--hide-type", action="store_true")
    getter.set_defaults(main=get_parameter)
    setter = verbs.add_parser("set", help="set a parameter")
    setter.add_argument("node")
    setter.add_argument("name")
    setter.add_argument("value", help="as YAML")
    setter.set_defaults(main=set_parameter)
    describer = verbs.add_parser("describe", help="what a parameter is")
    describer.add_argument("node")
    describer.add_argument("name")
    describer.set_defaults(main=describe_parameter)
    dumper = verbs.add_parser("dump", help="all parameters of a node, as a parameter file")
    dumper.add_argument("node")
    dumper.set_defaults(main=dump_parameters)


def node_path(name):
    return name if name.startswith("/") else "/" + name


def names_of(made, target):
    from rcl_interfaces.srv import ListParameters

    answer = call(made, ListParameters, f"{target}/list_parameters", ListParameters.Request())
    return sorted(answer.result.names)


def values_of(made, target, names):
    from rcl_interfaces.srv import GetParameters
    from rclpy.parameter import parameter_value_to_python

    answer = call(made, GetParameters, f"{target}/get_parameters", GetParameters.Request(names=names))
    if len(answer.values) != len(names):
        raise RuntimeError("Parameter not set")
    values = [parameter_value_to_python(value) for value in answer.values]
    return [list(value) if hasattr(value, "tolist") else value for value in values]


def list_parameters(options):
    with node() as made:
        print("\n".join(f"  {name}" for name in names_of(made, node_path(options.node))))


def get_parameter(options):
    with node() as made:
        value = values_of(made, node_path(options.node), [options.name])[0]
    kinds = {bool: "Boolean", int: "Integer", float: "Double", str: "String"}
    kind = kinds.get(type(value), "Values are" if isinstance(value, list) else "")
    label = "" if options.hide_type else f"{kind} value is: " if kind in kinds.values() else f"{kind}: "
    print(f"{label}{value}")


def set_parameter(options):
    from rcl_interfaces.msg import Parameter
    from rcl_interfaces.srv import SetParameters
    from rclpy.parameter import get_parameter_value

    parameter = Parameter(name=options.name, value=get_parameter_value(options.value))
    with node() as made:
        target = node_path(options.node)
        answer = call(made, SetParameters, f"{target}/set_parameters", SetParameters.Request(parameters=[parameter]))
    if not answer.results[0].successful:
        raise RuntimeError(f"Setting parameter failed: {answer.results[0].reason}")
    print("Set parameter successful")


def describe_parameter(options):
    from rcl_interfaces.srv import DescribeParameters

    with node() as made:
        target = node_path(options.node)
        request = DescribeParameters.Request(names=[options.name])
        answer = call(made, DescribeParameters, f"{target}/describe_parameters", request)
    if not answer.descriptors:
        raise RuntimeError("Parameter not set")
    print(yaml.safe_dump(to_plain(answer.descriptors[0]), sort_keys=False), end="")


def dump_parameters(options):
    with node() as made:
        target = node_path(options.node)
        names = names_of(made, target)
        values = values_of(made, target, names)
    print(yaml.safe_dump({target: {"ros__parameters": dict(zip(names, values))}}, sort_keys=False), end="")


COMMANDS = (add_nodes, add_topics, add_services, add_parameters)
