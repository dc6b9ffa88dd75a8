"""@nn.layer: functions whose weights have a name of their own, or are shared by several calls."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar, cast

from vecc.nn.checks import bound_of, checked, is_text, refuse
from vecc.nn.places import fail
from vecc.nn.trace import current, describe

if TYPE_CHECKING:
    from typing import ParamSpec, Protocol, overload

    Inputs = ParamSpec("Inputs")
    Result = TypeVar("Result", covariant=True)

    class Layer(Protocol[Inputs, Result]):
        """What @layer makes of a function: the same, with a name for its weights."""

        @overload
        def __call__(self, *args: Inputs.args, **kwargs: Inputs.kwargs) -> Result: ...

        @overload
        def __call__(self, *args: Any, name: str, shared: bool = False, **kwargs: Any) -> Result: ...


@checked
def layer(function: Callable[Inputs, Result]) -> Layer[Inputs, Result]:
    """Its weights are `NAME/...`: the function's name, or a call's `name=`; a second is NAME_2, or
    with `shared=True` has the weights of NAME. An argument `shared` of the function's own stays its
    own."""
    if not callable(function):
        fail(f"layer({describe(function)}): expected a function, as @nn.layer above one has it")
    bound = bound_of(function)
    is_own = str(function.__module__).startswith("vecc.nn.")
    has_shared = "shared" in inspect.signature(function).parameters  # of its own, another one

    @functools.wraps(function)
    def scoped(*args: Any, name: Optional[str] = None, **kwargs: Any) -> Any:
        shared = False if has_shared else kwargs.pop("shared", False)
        if name is not None and not is_text(name):
            refuse(f"{function.__name__}(name=)", name, "a text")
        if not isinstance(shared, bool) or (shared and name is None):
            refuse(f"{function.__name__}(shared=)", shared, "True beside the name= of a layer")
        arguments = bound(args, kwargs)
        trace = current()
        with trace.scope(name or function.__name__, shared):
            if not is_own:
                return function(*args, **kwargs)
            arguments.apply_defaults()
            return trace.call(function.__name__, arguments.arguments,
                              lambda: function(*args, **kwargs))
    return cast("Layer[Inputs, Result]", scoped)
