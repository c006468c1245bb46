"""What the tests and benchmarks of the ROS 2 packages share: nodes that run, a listener beside them, clouds and bags, and
transforms as matrices."""

import os
import signal
import sqlite3
import subprocess
import time
import unittest
from pathlib import Path

import launch_testing.asserts
import numpy as np
import rclpy
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from diagnostic_msgs.msg import DiagnosticArray
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node
from launch_testing.actions import ReadyToTest
from pointpng_msgs.msg import Alignment
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import PointCloud2, PointField
from tf2_msgs.msg import TFMessage

MISSING_PART = "can't read /no/such/part.ply: No such file or directory"  # said wherever that file is given
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def rotation_of(q):
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def matrix_of(transform):
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_of(transform.rotation)
    matrix[:3, 3] = [transform.translation.x, transform.translation.y, transform.translation.z]
    return matrix


def degrees_between(a, b):
    cosine = (np.trace(a[:3, :3].T @ b[:3, :3]) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def motion(axis, degrees, shift=(0, 0, 0)):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    a = np.radians(degrees)
    matrix = np.eye(4)
    matrix[:3, :3] = np.eye(3) + np.sin(a) * k + (1 - np.cos(a)) * k @ k
    matrix[:3, 3] = shift
    return matrix


def quaternion_of(matrix):
    """x, y, z, w of a rotation by less than 180 degrees."""
    r = matrix[:3, :3]
    w = np.sqrt(1 + np.trace(r)) / 2
    return [float(value) for value in (np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / (4 * w))] + [float(w)]


def moved(points, matrix):
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def stamp_of(message):
    return message.sec * 10**9 + message.nanosec


def cloud_message(points, frame="camera", stamp_ns=None, padding=0, dtype=np.float32):
    """Consecutive x, y, z, and `padding` bytes after each point."""
    points = np.ascontiguousarray(points, dtype)
    item = points.dtype.itemsize
    message = PointCloud2()
    message.header.frame_id = frame
    stamp_ns = time.time_ns() if stamp_ns is None else stamp_ns
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp_ns, 10**9)
    message.height, message.width = 1, len(points)
    kind = PointField.FLOAT32 if item == 4 else PointField.FLOAT64
    message.fields = [PointField(name=name, offset=item * i, datatype=kind, count=1) for i, name in enumerate("xyz")]
    message.point_step = 3 * item + padding
    message.row_step = message.point_step * len(points)
    records = np.zeros((len(points), message.point_step), np.uint8)
    records[:, :3 * item] = points.view(np.uint8).reshape(len(points), 3 * item)
    message.data = records.tobytes()
    message.is_dense = True
    return message


def chair(points=3000, seed=0):
    """A chair of boxes, 0.6 m high, without symmetry."""
    boxes = [((-.2, -.2, 0), (.2, .2, .04)), ((-.2, .16, .04), (.2, .2, .34)), ((-.2, -.2, -.26), (-.16, -.16, 0)),
             ((.16, -.2, -.26), (.2, -.16, 0)), ((-.2, .16, -.26), (-.16, .2, 0)), ((.16, .16, -.26), (.2, .2, 0)),
             ((.16, -.2, .04), (.2, .1, .16))]
    random = np.random.default_rng(seed)
    faces = []
    for low, high in boxes:
        low, high = np.array(low), np.array(high)
        for axis in range(3):
            for side in (low, high):
                a, b = np.delete(high - low, axis)
                faces.append((a * b, low, high, axis, side[axis]))
    areas = np.array([face[0] for face in faces])
    chosen = random.choice(len(faces), points, p=areas / areas.sum())
    cloud = np.empty((points, 3))
    for i, k in enumerate(chosen):
        _, low, high, axis, at = faces[k]
        cloud[i] = random.uniform(low, high)
        cloud[i, axis] = at
    return cloud


def points_of(message):
    """x, y, z of a message as the nodes publish them: consecutive floats and nothing else."""
    return np.frombuffer(bytes(message.data), np.float32).reshape(-1, 3)


def write_bag(folder, clouds, topic="/points"):
    """A rosbag2 of these messages at the times of their stamps, in SQLite and without its metadata.yaml."""
    folder.mkdir(parents=True)
    database = sqlite3.connect(folder / "bag_0.db3")
    with database:
        database.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,"
                         " serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL)")
        database.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
                         " data BLOB NOT NULL)")
        database.execute("INSERT INTO topics VALUES(1, ?, 'sensor_msgs/msg/PointCloud2', 'cdr', '')", [topic])
        database.executemany("INSERT INTO messages(topic_id, timestamp, data) VALUES(1, ?, ?)",
                             [(stamp_of(cloud.header.stamp), serialize_message(cloud)) for cloud in clouds])
    database.close()


class Process:
    """Its output is in a file: a full pipe would stop it."""

    def __init__(self, log, command):
        self._log = Path(log)
        with open(self._log, "wb") as file:
            self._process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        self.id = self._process.pid

    @property
    def output(self):
        return self._log.read_text(errors="replace")

    def stop(self, number=signal.SIGINT, timeout=60):
        self._process.send_signal(number)
        return self.wait(timeout)

    def wait(self, timeout=60):
        return self._process.wait(timeout)

    def runs(self):
        return self._process.poll() is None

    def cpu_seconds(self):
        """CPU time so far, of all threads."""
        fields = Path(f"/proc/{self.id}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        if not self.runs():
            return
        try:
            self.stop()  # a launch stops its nodes too
        except subprocess.TimeoutExpired:
            os.killpg(self.id, signal.SIGKILL)
            self._process.wait()


def executable_of(node):
    return Path(get_package_prefix("pointpng_ros")) / "lib" / "pointpng_ros" / node


HAS_TRAINING = executable_of("pretrain_node").exists()  # not where pointpng_core was built without LibTorch


def node_command(executable, parameters=None, remappings=None):
    """The command that starts a node of pointpng_ros."""
    words = [str(executable_of(executable)), "--ros-args"]
    for name, value in (parameters or {}).items():
        words += ["-p", f"{name}:={str(value).lower() if isinstance(value, bool) else value}"]
    for source, target in (remappings or {}).items():
        words += ["-r", f"{source}:={target}"]
    return words


def camera(name="replay", remappings=(), respawn=False, **parameters):
    """A simulated camera, whose next cloud is sent when the last one was answered, unless `pace` says otherwise. Its object
    has no symmetry, so that global registration always finds it."""
    return Node(package="pointpng_ros", executable="replay_node", name=name, output="screen", respawn=respawn,
                parameters=[{"pace": "served", "points": 8000, "object": 2, **parameters}],
                remappings=[("alignment", "/pose/alignment"), *remappings])


def pose_launch(**arguments):
    """The launch file of the pose node."""
    file = os.path.join(get_package_share_directory("pointpng"), "launch", "pose.launch.py")
    return IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments=arguments.items())


def simulation(*actions):
    """These actions, then the tests."""
    return LaunchDescription([*actions, ReadyToTest()])


class BesideNodes(unittest.TestCase):
    """Tests beside a launch, with a listener for all of them."""

    @classmethod
    def setUpClass(cls):
        cls.listener = Listener()

    @classmethod
    def tearDownClass(cls):
        cls.listener.close()


@launch_testing.post_shutdown_test()
class StoppedCleanly(unittest.TestCase):
    def test_everything_stopped_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)


class Listener:
    """A node of rclpy that remembers transforms, alignments and diagnostics."""

    def __init__(self, pose_node="/pose"):
        rclpy.init()
        self.node = rclpy.create_node("listener")
        self.pose_node = pose_node
        self.transforms = {}  # (parent, child) -> {stamp: matrix}
        self.alignments, self.diagnostics = [], []
        self.node.create_subscription(TFMessage, "/tf", self._hear_tf, 100)
        self.node.create_subscription(Alignment, f"{pose_node}/alignment", self.alignments.append, 100)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._hear_diagnostics, 10)

    def close(self):
        self.node.destroy_node()
        rclpy.shutdown()

    def _hear_tf(self, message):
        for transform in message.transforms:
            key = (transform.header.frame_id, transform.child_frame_id)
            self.transforms.setdefault(key, {})[stamp_of(transform.header.stamp)] = matrix_of(transform.transform)

    def _hear_diagnostics(self, message):
        self.diagnostics += message.status

    def spin_until(self, condition, timeout=120.0, meanwhile=None, every=0.1):
        end, due = time.monotonic() + timeout, 0.0
        while not condition():
            assert time.monotonic() < end, f"nothing came in {timeout:g} s; diagnostics: {self.last_diagnostic()}"
            if meanwhile and time.monotonic() >= due:
                meanwhile()
                due = time.monotonic() + every
            rclpy.spin_once(self.node, timeout_sec=0.02)

    def spin_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.02)

    def accepted(self):
        return [alignment for alignment in self.alignments if alignment.accepted]

    def last_diagnostic(self):
        own = [status for status in self.diagnostics if status.name.startswith(f"{self.pose_node}:")]
        if not own:
            return None
        return {"level": own[-1].level, "message": own[-1].message, **{v.key: v.value for v in own[-1].values}}

    def told(self, key):
        """A count of the last diagnostics; 0 before the first ones."""
        return int((self.last_diagnostic() or {}).get(key, 0))

    def subscribe(self, message_type, topic, qos=10):
        """A list that collects the messages."""
        heard = []
        self.node.create_subscription(message_type, topic, heard.append, qos)
        return heard

    def publisher(self, topic, message_type=PointCloud2, qos=10):
        publisher = self.node.create_publisher(message_type, topic, qos)
        self.spin_until(lambda: publisher.get_subscription_count() > 0)
        return publisher

    def compared(self, true, found):
        """The true and the estimated transform of a pair of frames, for each stamp that has both."""
        truth, answers = (self.transforms.get(frames, {}) for frames in (true, found))
        return [(truth[stamp], answers[stamp]) for stamp in sorted(answers) if stamp in truth]

    def call(self, service_type, name, request=None, timeout=120.0):
        client = self.node.create_client(service_type, name)
        self.spin_until(client.service_is_ready, timeout)
        # A service may discover its client after the client discovers it: a response lost then is requested again.
        futures = []
        self.spin_until(lambda: any(future.done() for future in futures), timeout, every=20.0,
                        meanwhile=lambda: futures.append(client.call_async(request or service_type.Request())))
        return next(future.result() for future in futures if future.done())

    def parameters(self, node):
        """All values of a node's parameters, and their descriptors."""
        names = sorted(self.call(ListParameters, f"{node}/list_parameters").result.names)
        values = self.call(GetParameters, f"{node}/get_parameters", GetParameters.Request(names=names)).values
        descriptors = self.call(
            DescribeParameters, f"{node}/describe_parameters", DescribeParameters.Request(names=names)).descriptors
        return {name: value_of(value) for name, value in zip(names, values)}, dict(zip(names, descriptors))

    def set_parameter(self, node, name, value):
        kinds = {bool: ("bool_value", ParameterType.PARAMETER_BOOL), int: ("integer_value", ParameterType.PARAMETER_INTEGER),
                 float: ("double_value", ParameterType.PARAMETER_DOUBLE), str: ("string_value", ParameterType.PARAMETER_STRING),
                 list: ("string_array_value", ParameterType.PARAMETER_STRING_ARRAY)}
        field, kind = kinds[type(value)]
        parameter = Parameter(name=name, value=ParameterValue(type=kind, **{field: value}))
        request = SetParameters.Request(parameters=[parameter])
        return self.call(SetParameters, f"{node}/set_parameters", request).results[0]


def value_of(value):
    fields = {ParameterType.PARAMETER_BOOL: "bool_value", ParameterType.PARAMETER_INTEGER: "integer_value",
              ParameterType.PARAMETER_DOUBLE: "double_value", ParameterType.PARAMETER_STRING: "string_value",
              ParameterType.PARAMETER_DOUBLE_ARRAY: "double_array_value",
              ParameterType.PARAMETER_STRING_ARRAY: "string_array_value"}
    result = getattr(value, fields[value.type])
    return result if isinstance(result, (bool, int, float, str)) else list(result)
