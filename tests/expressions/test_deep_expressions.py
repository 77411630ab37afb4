"""No analysis recurses, or walks a part again: expressions of thousands of parts take a moment, whatever is asked.

What looked at parts as often as they stand somewhere would not end at all; what looked at all parts below each part
would take minutes. So the questions run in a process that ends after a minute of the processor, and says where.
"""

from pathlib import Path

import pytest
from processes import output_of

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.deep

SECONDS = 60

BODIES = {
    "hash": "(x ^ (x >> 1)) & 255",
    "sum and hash": "(x + (x >> 1)) & 255",
    "remainders": "(x * 3 + 1) % 257",
    "nested": "x * 3 + 1",
    "more terms at each round": "x - x // 3",
    "negatives": "-(x // 3) + x",
    "doubled": "x + x",
    "two indices": "(x + j) % 97",
}

QUESTIONS = {
    "tracing": "assert len(each_part(root)) <= 6 * ROUNDS",
    "equality": "assert root == traced() and root != traced(1) and hash(root) == hash(traced())",
    "text": "assert len(str(root)) < 50_000",
    "ranges": "ranging(LEAF, None)(root)",
    "ranges in 64 bits": "suppressed(lambda: ranging(LEAF, 64)(root))",
    "simplifying": "assert len(each_part(simplified(root, LEAF))) <= 10 * ROUNDS",
    "simplifying what may be anything": "simplified(root, within(((-(1 << 60), 1 << 60),) * 2))",
    "sums": "NormalForm().collected(root)",
    "polynomials": "form = NormalForm(LEAF); form.expression(form(root))",
    "separability": "is_separable(root)",
    "linear form": "linear_form(root, ((3, 40, 2), (0, 30, 1)))",
    "linear form of few indices": "linear_form(root, ((3, 4, 2), (0, 3, 1)))",
    "Python source": "assert python_codegen.python_function(root, 2)(5, 4) == body_at(5, 4)",
    "NumPy source": "assert python_codegen.on_arrays(root, 2)(5, 4) == body_at(5, 4)",
    "evaluation": "assert root.eval({I: 5, J: 4}) == body_at(5, 4)",
    "substitution": "root.substitute({I: J})",
    "a chain of negatives": "simplified(negated(), LEAF)",
    "a chain of tests": "assert len(each_part(simplified(compared(), LEAF))) > 60",
    "letting go": "endless()",
}

PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
from contextlib import suppress
from mdview.expressions import python_codegen
from mdview.expressions.expression_tree import Index, Op, Param, each_part
from mdview.expressions.range_analysis import RangeError, ranging, within
from mdview.expressions.normal_form import NormalForm
from mdview.expressions.simplification import is_separable, linear_form, simplified
from mdview.expressions.tracing import explored, numbers

I, J = Index(0), Index(1)
LEAF = within(((0, 99), (0, 30)))

def body_at(x, j, rounds=ROUNDS):
    for _ in range(rounds):
        x = BODY
    return x

def traced(shift=0):
    return explored(lambda decide: body_at(*numbers((I, J), decide)) + shift)

def suppressed(call):
    with suppress(RangeError):
        call()

def negated():
    node = I
    for _ in range(ROUNDS):
        node = -(node ^ 1)
    return node

def compared():
    def run(decide):
        i, j = numbers((I, J), decide)
        for k in range(60):
            if i * k > j:
                return body_at(i, j, ROUNDS // 40) + k
        return 0
    return explored(run)

def endless():
    node = I
    for _ in range(60_000):
        node = Op("add", node, 1)
    del node

root = traced()
QUESTIONS
"""


@pytest.mark.parametrize(("body", "rounds"), [(body, 4000 if body == "hash" else 200) for body in BODIES])
def test_every_question_about_thousands_of_parts_ends(body, rounds):
    asked = "\n".join([f"print({name!r}, flush=True)\n{text}" for name, text in QUESTIONS.items()])
    program = PROGRAM.replace("QUESTIONS", asked).replace("BODY", BODIES[body])
    program = program.replace("SECONDS", str(SECONDS)).replace("ROUNDS", str(rounds))
    assert output_of(program, cwd=Path(__file__).parent).splitlines() == list(QUESTIONS)
