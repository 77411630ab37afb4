"""Random chains: a base, steps of operations, and reads and stores in between, each compared with NumPy's on a twin."""

from chain_bases import base
from chain_checks import outside, read, store
from chain_steps import MOST, step
from outcomes import Wrong


def chain(pick):
    """Walk one chain; raise `Wrong` with its steps where mdview and NumPy differ."""
    done = []
    state = base(pick)
    done.append(f"{state.memory.format} {state.view.mapping!r} from {state.view.origin}")
    try:
        outside(pick, state)
        for _ in range(pick.randint(1, 7)):
            _link(pick, state, done)
            name, state = step(pick, state)
            done.append(f"{name} -> {state.view.mapping!r} from {state.view.origin}")
            if state.view.shape != state.places.shape:
                raise Wrong(f"shape {state.view.shape}, wanted {state.places.shape}")
            outside(pick, state)
        _link(pick, state, done)
        if not state.memory.agrees():
            raise Wrong("the memory differs")
    except Wrong as error:
        raise Wrong(f"{error}; after " + "; ".join(done)) from error
    except Exception as error:
        error.add_note("; ".join(done))
        raise


def _link(pick, state, done):
    """Store, read, or both, or neither."""
    if state.places.size > MOST and pick.randrange(4):
        return
    kind = pick.randrange(4)
    if kind == 1:
        done.append(store(pick, state) or "nothing")
        if not pick.randrange(3) and not state.memory.agrees():
            raise Wrong("the memory differs")
    if kind > 1 and pick.randrange(3):
        done.append(read(pick, state))
