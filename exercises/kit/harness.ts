/**
 * The Python that calls learners' functions: one expression a round trip, so that a hundred hidden inputs cost one message. It lives in a
 * namespace of its own and never touches the learner's names.
 */
const SOURCE = `
def call_each(namespace, calls):
    import time, torch
    results = []
    started = time.perf_counter()
    scenarios = {}
    for name, arguments, mode, scenario in calls:
        fn = namespace[name]
        try:
            if scenario is not None:
                if scenario not in scenarios:
                    own = {"__name__": "scenario"}
                    exec(compile(scenario, "scenario.py", "exec"), own)
                    scenarios[scenario] = own["scenario"]
                value = scenarios[scenario](namespace, *arguments)
            elif mode == "backward":
                x, *middle, grad_output = arguments
                x.requires_grad_(True)
                y = fn(x, *middle)
                y.backward(grad_output)
                value = x.grad
                arguments = [x.detach(), *middle, grad_output]
            else:
                value = fn(*arguments)
            results.append(("returned", value, list(arguments)))
        except Exception as error:
            line, tb = None, error.__traceback__
            while tb is not None:
                if tb.tb_frame.f_code.co_filename == "main.py":
                    line = tb.tb_lineno
                tb = tb.tb_next
            results.append(("raised", type(error).__name__, str(error), line))
    return [1000 * (time.perf_counter() - started), results]

def forbidden_use(namespace, functions, forbidden):
    import types

    waiting, seen = [namespace[name] for name in functions], []

    def uses(code):
        yield from ((name, code.co_firstlineno) for name in code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield from uses(constant)

    while waiting:
        fn = waiting.pop()
        if not isinstance(fn, types.FunctionType) or fn in seen:
            continue
        seen.append(fn)
        for name, line in uses(fn.__code__):
            value = namespace.get(name)
            # "import struct as s", "from struct import pack" (its C half is _struct) and "f = float" all have another name
            origins = (getattr(value, "__name__", ""), getattr(value, "__module__", ""))
            roots = {name, *(str(origin).split(".")[0].lstrip("_") for origin in origins)}
            for found in roots & set(forbidden):
                return [found, line]
            waiting.append(value)  # the functions that it calls
    return None

def run_variant(source):
    namespace = {"__name__": "variant"}
    exec(compile(source, "variant.py", "exec"), namespace)
    return namespace
`;

/** Calls functions of the learner's `__main__`. Bindings: `calls`, `harness`. */
export const CALL_EACH = `(lambda ns: (exec(harness, ns), ns["call_each"](globals(), calls))[1])({})`;

/** Calls functions defined by `source` instead. Bindings: `calls`, `harness`, `source`. */
export const CALL_VARIANT = `(lambda ns: (exec(harness, ns), ns["call_each"](ns["run_variant"](source), calls))[1])({})`;

/**
 * What the learner's `functions`, and those they call, use of the list `names`: [name, first line of its function] or None. Bindings:
 * `functions`, `names`, `harness`.
 */
export const FORBIDDEN_USE = `(lambda ns: (exec(harness, ns), ns["forbidden_use"](globals(), functions, names))[1])({})`;

export const HARNESS = SOURCE;
