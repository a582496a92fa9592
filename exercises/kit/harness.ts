/**
 * The Python that calls learners' functions: one expression a round trip, so that a hundred hidden inputs cost one message. It lives in a
 * namespace of its own and never touches the learner's names.
 */
const SOURCE = `
def call_each(namespace, calls):
    import sys, torch
    results = []
    for name, arguments, mode in calls:
        fn = namespace[name]
        try:
            if mode == "backward":
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
    return results

def run_variant(source):
    namespace = {"__name__": "variant"}
    exec(compile(source, "variant.py", "exec"), namespace)
    return namespace
`;

/** Calls functions of the learner's `__main__`. Bindings: `calls`, `harness`. */
export const CALL_EACH = `(lambda ns: (exec(harness, ns), ns["call_each"](globals(), calls))[1])({})`;

/** Calls functions defined by `source` instead. Bindings: `calls`, `harness`, `source`. */
export const CALL_VARIANT = `(lambda ns: (exec(harness, ns), ns["call_each"](ns["run_variant"](source), calls))[1])({})`;

export const HARNESS = SOURCE;
