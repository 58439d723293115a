"""What is known of `examples/step_through.py`, which the sessions in debuggers step through."""

from pathlib import Path
from typing import Dict, List, NamedTuple

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = EXAMPLES / "step_through.py"
RESULT = "result [0.0, 0.5, 0.6666666865348816, 0.75]"
ONES = "tensor([1., 1., 1., 1.]"


class Stop(NamedTuple):
    """A line of a dumped file, by some of its text, and a variable that holds a tensor there."""

    file: str
    text: str
    variable: str


# Where the forward and the backward pass run, by backend.
STOPS: Dict[str, List[Stop]] = {
    "aot_eager": [
        Stop("__compiled_fn_3.Forward_graph.0.py", "aten.mul.Tensor(primals_1", "primals_2"),
        Stop("__compiled_fn_3.Backward_graph.0.py", "aten.mul.Tensor(tangents_1", "tangents_1"),
    ],
    "inductor": [
        Stop("__compiled_fn_3.kernel_0.0.py", "cpp_fused_mul_0(primals_1", "primals_2"),
        Stop("__compiled_fn_3.kernel_1.0.py", "cpp_fused_mul_0(tangents_1", "tangents_1"),
    ],
}
