"""torch.return_types: results with named fields, such as those of max, sort and topk."""

from ._reductions import aminmax_result as aminmax
from ._reductions import cummax_result as cummax
from ._reductions import cummin_result as cummin
from ._reductions import kthvalue_result as kthvalue
from ._reductions import max_result as max
from ._reductions import median_result as median
from ._reductions import min_result as min
from ._reductions import mode_result as mode
from ._reductions import sort_result as sort
from ._reductions import topk_result as topk

__all__ = ["aminmax", "cummax", "cummin", "kthvalue", "max", "median", "min", "mode", "sort", "topk"]
