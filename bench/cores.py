"""How many cores the libraries of a benchmark use."""
import os


def use_cores(count):
    """Call before importing the libraries, which read these variables when loaded. The affinity limits those that don't."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TBB_NUM_THREADS"):
        os.environ[name] = str(count)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])
