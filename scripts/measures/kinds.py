"""Types that the measuring scripts share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float64]
# One measurement, as the benches print and keep it.
Row = dict[str, Any]
