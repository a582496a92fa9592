"""Instruments of this scenario alone."""

import math

import instruments
import run
import torch

SHOWN = (0, 4, 8, 16, 24, 32, 39)
RESUMED_STEPS = 24


def opening():
    """Loss and scale at a few steps: the scale is halved all the way down, and the loss is an ordinary number throughout."""
    rows = instruments.history()
    scales = [scale for _, _, scale, _ in rows]
    return instruments.result(
        instruments.table("The run, as it was logged", ["step", "loss", "scale"], [[s, rows[s][1], rows[s][2]] for s in SHOWN]),
        first_scale=scales[0],
        last_scale=scales[-1],
        falls=sum(b < a for a, b in zip(scales, scales[1:])),
        loss_finite=all(math.isfinite(loss) for _, loss, _, _ in rows),
        lowest=min(loss for _, loss, _, _ in rows),
    )


# In the order in which a backward reaches them.
BACKWARD = ("head", "pool", "norm", "down", "up", "project")


def backward(step):
    """What gradient arrives at the output of each module, and what leaves it through its input."""
    model, optimizer, scaler, batch = instruments.replay(step)
    optimizer.zero_grad()
    arrived, left = {}, {}

    def watch(name):
        def hook(module, inputs, output):
            output.register_hook(lambda g: arrived.__setitem__(name, g.detach()))
            if inputs[0].requires_grad:
                inputs[0].register_hook(lambda g: left.__setitem__(name, g.detach()))

        return hook

    for name in BACKWARD:
        model.get_submodule(name).register_forward_hook(watch(name))
    scaler.scale(instruments.loss_of(model, batch)).backward()

    def bad(g):
        return "no gradient" if g is None else instruments.nonfinite(g.float().flatten().tolist())

    born = ""
    rows = []
    for name in BACKWARD:
        into, out = bad(arrived.get(name)), bad(left.get(name))
        if not born and into == 0 and out not in (0, "no gradient"):
            born = name
        own = instruments.nonfinite(instruments.gradients(model, name))
        rows.append([name, into, out, own])
    return instruments.result(
        instruments.table(
            f"Nonfinite gradients in the backward of step {int(step)}",
            ["module", "arriving at its output", "leaving through its input", "of its parameters"],
            rows,
        ),
        step=int(step),
        born=born,
        scale=instruments.scale_of(scaler),
        head_nonfinite=rows[0][3],
        project_nonfinite=rows[-1][3],
    )


def token_rows(step, module):
    """Real tokens and padding apart: what a module gives for them, and what they weigh in the pool."""
    model, _, _, batch = instruments.replay(step)
    padded = batch[1].flatten().tolist()
    seen = {}
    model.get_submodule(module).register_forward_hook(lambda m, i, o: seen.__setitem__("output", o))
    model.pool.score.register_forward_hook(lambda m, i, o: seen.__setitem__("scores", o))
    with torch.no_grad():
        instruments.loss_of(model, batch)
        weights = torch.softmax(seen["scores"].float().squeeze(-1).masked_fill(batch[1], -1e4), dim=-1)
    tokens = seen["output"].double().flatten(0, 1).tolist()
    weights = weights.flatten().tolist()
    rows, facts = [], {}
    for name, wanted in (("real", False), ("padding", True)):
        chosen = [row for row, p in zip(tokens, padded) if p == wanted]
        nonfinite = sum(any(not math.isfinite(v) for v in row) for row in chosen)
        zero = sum(all(v == 0 for v in row) for row in chosen)
        weight = max((w for w, p in zip(weights, padded) if p == wanted), default=0.0)
        rows.append([name, len(chosen), nonfinite, zero, instruments.largest([v for row in chosen for v in row]), weight])
        facts |= {f"{name}_rows": len(chosen), f"{name}_nonfinite": nonfinite, f"{name}_zero": zero, f"{name}_weight": weight}
    empty = sum(all(row) for row in batch[1].tolist())
    return instruments.result(
        instruments.table(
            f"Output of {module} by token, step {int(step)}",
            ["tokens", "how many", "not finite", "all zero", "largest finite", "largest weight in the pool"],
            rows,
        ),
        instruments.table("", ["tickets", "how many"], [["in the batch", len(batch[1])], ["all padding", empty]]),
        step=int(step),
        module=module,
        empty_tickets=empty,
        **facts,
    )


def constants():
    """The constants of the code, as each dtype stores them."""
    rows, facts = [], {}
    for name, where, value in (("eps", "RMSNorm", 1e-8), ("mask", "Pool", -1e4), ("rate", "AdamW", 1e-2), ("clip", "train_step", 1.0)):
        stored = {instruments.short(d): torch.tensor(value).to(d).item() for d in (torch.float32, torch.float16, torch.bfloat16)}
        rows.append([f"{value:g}", where, *stored.values()])
        facts |= {f"{name}_{dtype}": v for dtype, v in stored.items()}
    return instruments.result(instruments.table("Constants of run.py", ["constant", "where", "float32", "float16", "bfloat16"], rows), **facts)


REPAIRED = [("            x = x.to(DTYPE)\n", "            x = x.float()\n")]


def resume(scaler_from):
    """The repaired run from the last checkpoint on: the weights as they were left, and the scaler from it or a new one."""
    module = instruments.variant(REPAIRED)
    model, optimizer, scaler = module.build()
    before = run.build()
    for step in range(run.STEPS):
        run.train_step(*before, run.batch_at(step))
    model.load_state_dict(before[0].state_dict())
    if scaler_from == "checkpoint":
        scaler.load_state_dict(before[2].state_dict())
    stepped = []
    optimizer.register_step_post_hook(lambda *_: stepped.append(True))
    losses, first = [], []
    for step in range(RESUMED_STEPS):
        losses.append(module.train_step(model, optimizer, scaler, module.batch_at(run.STEPS + step)).item())
        if step == 0:
            first = instruments.gradients(model, "")
    scale = scaler.get_scale()
    return instruments.result(
        instruments.plot(f"Repaired and resumed, scaler from {scaler_from}", "step", "loss", [("loss", "line", [(run.STEPS + s, l) for s, l in enumerate(losses)])]),
        instruments.table("", ["", ""], [
            ["updates skipped", RESUMED_STEPS - len(stepped)],
            ["gradients of the first step that are zero", f"{100 * instruments.zero_share(first):.0f} %"],
            ["gradients of the first step that aren’t finite", instruments.nonfinite(first)],
            ["scale at the end", scale],
        ]),
        scaler=scaler_from,
        skipped=RESUMED_STEPS - len(stepped),
        zero_share=instruments.zero_share(first),
        nonfinite=instruments.nonfinite(first),
        fall=sum(losses[:4]) / 4 - sum(losses[-4:]) / 4,
    )
