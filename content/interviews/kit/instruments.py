"""What a candidate can ask of a run. Each function runs the module `run` (a scenario's run.py) and gives {"blocks": plots and tables, "facts": what
they show, by name}. Facts are what citations are judged by: an answer is supported by a result that shows it, not by the name of an instrument."""

import math
import sys
import types

import run
import torch


def table(title, columns, rows):
    return {"kind": "table", "title": title, "columns": list(columns), "rows": [[_cell(c) for c in row] for row in rows]}


def plot(title, x, y, series, marks=()):
    """`x`, `y`: axis labels, or (label, "log"). `series`: (name, style, points); style is line, step, bars, dots or cross. `marks`: (x, label)."""
    axis = lambda a: {"label": a, "scale": "linear"} if isinstance(a, str) else {"label": a[0], "scale": a[1]}
    return {
        "kind": "plot",
        "title": title,
        "x": axis(x),
        "y": axis(y),
        "series": [{"name": n, "style": s, "points": [[float(p), float(q)] for p, q in points]} for n, s, points in series],
        "marks": [{"x": float(at), "label": label} for at, label in marks],
    }


def result(*blocks, **facts):
    return {"blocks": list(blocks), "facts": facts}


def _cell(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    return str(value)


def number(x):
    """Short, as one writes it on a whiteboard."""
    if x != x or math.isinf(x):
        return str(x)
    return f"{x:.4g}"


def short(dtype):
    return str(dtype).removeprefix("torch.")


# The run, replayed


def scale_of(scaler):
    return scaler.get_scale() if scaler is not None else 1.0


_remembered = []  # the history of the run as it is: computed once, as long as it stays loaded


def history(module=run):
    """[(step, loss, scale that the step used, whether the optimizer stepped)] over the whole run."""
    if module is run and _remembered:
        return _remembered
    model, optimizer, scaler = module.build()
    stepped = []
    optimizer.register_step_post_hook(lambda *_: stepped.append(True))
    rows = []
    for step in range(module.STEPS):
        before, scale = len(stepped), scale_of(scaler)
        loss = module.train_step(model, optimizer, scaler, module.batch_at(step))
        rows.append((step, float(loss.item()), scale, len(stepped) > before))
    if module is run:
        _remembered.extend(rows)
    return rows


def replay(until, module=run):
    """Model, optimizer and scaler as they are before step `until`, and that step's batch."""
    model, optimizer, scaler = module.build()
    for step in range(int(until)):
        module.train_step(model, optimizer, scaler, module.batch_at(step))
    return model, optimizer, scaler, module.batch_at(int(until))


def loss_of(model, batch, dtype=None):
    """The forward pass as train_step does it."""
    dtype = dtype or run.DTYPE
    with torch.autocast("cuda", dtype=dtype if dtype != torch.float32 else torch.float16, enabled=dtype != torch.float32):
        return run.compute_loss(model, batch)


def gradients(model, module):
    """The gradients of one module's parameters ("" is the whole model), as a flat list of floats."""
    values = []
    for p in model.get_submodule(module).parameters():
        if p.grad is not None:
            values += p.grad.detach().float().flatten().tolist()
    return values


def zero_share(values):
    return sum(v == 0 for v in values) / len(values) if values else 0.0


def nonfinite(values):
    return sum(not math.isfinite(v) for v in values)


def variant(replacements):
    """The run with lines of its source replaced; each must occur exactly once."""
    source = run.__source__
    for old, new in replacements:
        if source.count(old) != 1:
            raise ValueError(f"run.py has {old!r} {source.count(old)} times, expected once")
        source = source.replace(old, new)
    module = types.ModuleType("run_variant")
    exec(compile(source, "run_variant.py", "exec"), module.__dict__)
    return module


# The catalogue


def loss_axis(*runs):
    """Logarithmic where the losses span more than three decades: a run that diverges hides every other on a linear axis."""
    losses = [loss for rows in runs for _, loss, _, _ in rows if math.isfinite(loss)]
    wide = bool(losses) and min(losses) > 0 and max(losses) > 1000 * min(losses)
    return ("loss", "log") if wide else "loss"


def loss_curve():
    rows = history()
    lost = [step for step, loss, _, _ in rows if not math.isfinite(loss)]
    return result(
        plot("Loss", "step", loss_axis(rows), [
            ("loss", "line", [(s, l) for s, l, _, _ in rows]),
            ("not finite", "cross", [(s, math.inf) for s in lost]),
        ]),
        nonfinite=len(lost),
        first=lost[0] if lost else -1,
        final=rows[-1][1],
    )


def scale_trace():
    rows = history()
    scales = [scale for _, _, scale, _ in rows]
    return result(
        plot("Loss scale", "step", ("scale", "log"), [("scale", "step", [(s, max(c, 2.0**-40)) for s, _, c, _ in rows])]),
        first=scales[0],
        last=scales[-1],
        falls=sum(b < a for a, b in zip(scales, scales[1:])),
        rises=sum(b > a for a, b in zip(scales, scales[1:])),
    )


def skipped_steps():
    rows = history()
    skipped = [s for s, _, _, stepped in rows if not stepped]
    silent = [s for s, loss, _, stepped in rows if not stepped and math.isfinite(loss)]
    lost = [s for s, loss, _, _ in rows if not math.isfinite(loss)]
    done = 0
    taken = []
    for s, _, _, stepped in rows:
        done += stepped
        taken.append((s, done))
    return result(
        table("Updates", ["", "steps"], [
            ["taken", len(rows) - len(skipped)],
            ["skipped", len(skipped)],
            ["of them with a finite loss", len(silent)],
            ["loss not finite", len(lost)],
        ]),
        plot("Optimizer updates so far", "step", "updates", [("updates", "step", taken), ("skipped", "cross", [(s, taken[s][1]) for s in skipped])]),
        skipped=len(skipped),
        skipped_with_finite_loss=len(silent),
        nonfinite=len(lost),
        steps=len(rows),
    )


def gradient_histogram(step, module=""):
    model, optimizer, scaler, batch = replay(step)
    optimizer.zero_grad()
    loss = loss_of(model, batch)
    (scaler.scale(loss) if scaler is not None else loss).backward()
    before = gradients(model, module)
    if scaler is not None:
        scaler.unscale_(optimizer)
    after = gradients(model, module)
    where = module or "the whole model"

    def bins(values):
        counts = {}
        for v in values:
            if v != 0 and math.isfinite(v):
                e = math.frexp(abs(v))[1] - 1
                counts[e] = counts.get(e, 0) + 1
        return sorted(counts.items())

    blocks = [
        plot(f"Gradients of {where}, step {int(step)}", "binary exponent", "count", [
            ("as backward left them (scaled)", "bars", bins(before)),
            ("after unscale_", "line", bins(after)),
        ], [(-24, "smallest float16")]),
        table("", ["", "scaled", "after unscale_"], [
            ["zero", f"{100 * zero_share(before):.0f} %", f"{100 * zero_share(after):.0f} %"],
            ["not finite", nonfinite(before), nonfinite(after)],
            ["largest", largest(before), largest(after)],
            ["values", len(before), len(after)],
        ]),
    ]
    return result(
        *blocks,
        module=module,
        step=int(step),
        zero_share=zero_share(before),
        nonfinite=nonfinite(before),
        largest=largest(before),
        scale=scale_of(scaler),
        loss_finite=math.isfinite(loss.item()),
    )


def largest(values):
    finite = [abs(v) for v in values if math.isfinite(v)]
    return max(finite) if finite else math.nan


SWEEP = [2.0**e for e in range(0, 25, 2)]


def scale_sweep(step, module=""):
    """Zeros and nonfinite values among one module's gradients as the loss scale grows, on one batch."""
    model, optimizer, _, batch = replay(step)
    rows = []
    for scale in SWEEP:
        optimizer.zero_grad()
        (loss_of(model, batch) * scale).backward()
        values = gradients(model, module)
        rows.append((scale, zero_share(values), nonfinite(values)))
    alive = [s for s, zeros, bad in rows if zeros < 0.5 and bad == 0]
    where = module or "the whole model"
    return result(
        plot(f"Zero gradients of {where} by loss scale, step {int(step)}", ("loss scale", "log"), "% zero", [
            ("zero", "line", [(s, 100 * z) for s, z, _ in rows]),
            ("not all finite", "cross", [(s, 0) for s, _, bad in rows if bad]),
        ]),
        table("", ["scale", "zero", "not finite"], [[f"{s:.0f}", f"{100 * z:.0f} %", bad] for s, z, bad in rows]),
        module=module,
        step=int(step),
        zero_share_at_1=rows[0][1],
        zero_share_at_1024=rows[5][1],
        alive_from=alive[0] if alive else -1,
        nonfinite_at_1=rows[0][2],
        nonfinite_at_65536=rows[8][2],
    )


def finite_check(step, module):
    """Inputs and outputs of one module in one forward pass."""
    model, _, _, batch = replay(step)
    seen = {}

    def hook(_, inputs, output):
        outputs = output if isinstance(output, tuple) else (output,)
        seen["rows"] = [describe(f"input {i}", t) for i, t in enumerate(inputs)] + [describe(f"output {i}", t) for i, t in enumerate(outputs)]

    handle = model.get_submodule(module).register_forward_hook(hook)
    with torch.no_grad():
        loss_of(model, batch)
    handle.remove()
    rows = seen["rows"]
    ins = [r for r in rows if r["name"].startswith("input")]
    outs = [r for r in rows if r["name"].startswith("output")]
    return result(
        table(f"{module} in the forward of step {int(step)}", ["", "dtype", "shape", "nan", "inf", "zero", "largest finite"], [
            [r["name"], r["dtype"], r["shape"], r["nan"], r["inf"], r["zero"], r["largest"]] for r in rows
        ]),
        module=module,
        step=int(step),
        inputs_finite=all(r["nan"] + r["inf"] == 0 for r in ins),
        outputs_finite=all(r["nan"] + r["inf"] == 0 for r in outs),
        largest_input=max((r["largest"] for r in ins if not math.isnan(r["largest"])), default=math.nan),
        largest_output=max((r["largest"] for r in outs if not math.isnan(r["largest"])), default=math.nan),
        input_dtype=ins[0]["dtype"],
        output_dtype=outs[0]["dtype"],
    )


def describe(name, t):
    values = t.detach().double().flatten().tolist()
    return {
        "name": name,
        "dtype": short(t.dtype),
        "shape": "×".join(str(n) for n in t.shape) or "0-dim",
        "nan": sum(v != v for v in values),
        "inf": sum(math.isinf(v) for v in values),
        "zero": sum(v == 0 for v in values),
        "largest": largest(values),
    }


def same_batch(step):
    """One batch, the same weights, three dtypes; no update."""
    rows, facts = [], {}
    own = run.DTYPE
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        run.DTYPE = own
        model, optimizer, _, batch = replay(step)
        run.DTYPE = dtype
        optimizer.zero_grad()
        loss = loss_of(model, batch, dtype)
        loss.backward()
        bad = nonfinite(gradients(model, ""))
        rows.append([short(dtype), float(loss.item()), bad == 0 and math.isfinite(loss.item()), bad])
        facts[f"{short(dtype)}_finite"] = math.isfinite(loss.item())
        facts[f"{short(dtype)}_gradients_finite"] = bad == 0
    run.DTYPE = own
    return result(
        table(f"The batch of step {int(step)}, weights as they were then", ["dtype", "loss", "all finite", "nonfinite gradients"], rows),
        step=int(step),
        **facts,
    )


def state_dtypes():
    """Parameters, gradients and optimizer state after a few steps."""
    model, optimizer, scaler = run.build()
    for step in range(min(4, run.STEPS)):
        run.train_step(model, optimizer, scaler, run.batch_at(step))
    loss_of(model, run.batch_at(0)).backward()
    rows = []
    for name, p in model.named_parameters():
        state = optimizer.state.get(p, {})
        kinds = ", ".join(f"{k} {short(v.dtype)}" for k, v in state.items() if isinstance(v, torch.Tensor)) or "none yet"
        rows.append([name, short(p.dtype), short(p.grad.dtype) if p.grad is not None else "none", kinds])
    dtypes = {r[1] for r in rows}
    return result(
        table("Parameters and what the optimizer keeps of them", ["parameter", "dtype", "gradient", "state"], rows),
        parameters=", ".join(sorted(dtypes)),
        parameters_float32=dtypes == {"float32"},
    )


def data_statistics(names):
    """Inputs over the whole run: range, mean, spread, what isn't finite; and the largest value by step."""
    batches = [[t.detach().double().flatten().tolist() for t in run.batch_at(s)] for s in range(run.STEPS)]
    dtypes = [short(t.dtype) for t in run.batch_at(0)]
    rows, series, facts = [], [], {}
    for i, name in enumerate(names):
        values = [v for b in batches for v in b[i]]
        finite = [v for v in values if math.isfinite(v)]
        mean = sum(finite) / len(finite)
        spread = math.sqrt(sum((v - mean) ** 2 for v in finite) / len(finite))
        rows.append([name, dtypes[i], min(finite), max(finite), mean, spread, len(values) - len(finite)])
        tops = [(s, max(abs(v) for v in b[i])) for s, b in enumerate(batches)]
        series.append((name, "line", [(s, max(top, 1e-6)) for s, top in tops]))
        facts[f"largest_{name}"] = largest(values)
        facts[f"nonfinite_{name}"] = len(values) - len(finite)
    return result(
        table("Inputs over the run", ["input", "dtype", "min", "max", "mean", "std", "nonfinite"], rows),
        plot("Largest magnitude by step", "step", ("largest", "log"), series),
        **facts,
    )


def compare_runs(title, replacements, **facts):
    """The whole run again with lines of it replaced, beside the run as it is."""
    before, after = history(), history(variant(replacements))
    count = lambda rows: (sum(not math.isfinite(l) for _, l, _, _ in rows), sum(not s for _, _, _, s in rows), rows[-1][2])
    (bad0, skip0, scale0), (bad1, skip1, scale1) = count(before), count(after)
    return result(
        plot(title, "step", loss_axis(before, after), [
            ("as it is", "line", [(s, l) for s, l, _, _ in before]),
            ("changed", "line", [(s, l) for s, l, _, _ in after]),
        ]),
        table("", ["", "as it is", "changed"], [["loss not finite", bad0, bad1], ["updates skipped", skip0, skip1], ["last scale", scale0, scale1], ["last loss", before[-1][1], after[-1][1]]]),
        nonfinite_before=bad0,
        nonfinite_after=bad1,
        skipped_before=skip0,
        skipped_after=skip1,
        last_scale=scale1,
        final_before=before[-1][1],
        final_after=after[-1][1],
        **facts,
    )


def modules():
    return [name for name, _ in run.build()[0].named_modules() if name]


_forward = None


def prepare_forward(step):
    """Replays up to `step`; forward_only then runs just that step's forward, for the trace."""
    global _forward
    model, _, _, batch = replay(step)
    _forward = lambda: loss_of(model, batch)


def forward_only():
    _forward()


def compare_change(changes, chosen):
    change = next(c for c in changes if c["id"] == chosen)
    return compare_runs(change["title"], change["replace"], change=chosen)
