"""Types that the checks share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Sound, -1 ..< 1: one channel (n), or interleaved by column (n, channels).
Samples = NDArray[np.float64]
# One line of `--json`, or what a comparison found.
Event = dict[str, Any]
