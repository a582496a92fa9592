"""Instruments of this scenario alone."""

import math

import instruments
import run
import torch


def opening():
    """Loss, scale and updates so far at every fourth step: skips first, then growth, then no loss at all."""
    rows = instruments.history()
    lost = [s for s, loss, _, _ in rows if not math.isfinite(loss)]
    first_update = next((s for s, _, _, stepped in rows if stepped), -1)
    shown = []
    updates = 0
    for step, loss, scale, stepped in rows:
        if step % 4 == 0 or step == run.STEPS - 1:
            shown.append([step, loss, scale, updates])
        updates += stepped
    return instruments.result(
        instruments.table("The run, as it was logged", ["step", "loss per article", "scale", "updates before it"], shown),
        first_lost=lost[0] if lost else -1,
        early_skips=first_update,
        lost=len(lost),
        updates=updates,
        first_loss=rows[0][1],
        last_scale=rows[-1][2],
    )


def commit():
    """What Tuesday's commit changed in run.py."""
    rows = [["AMP", "False", "True"], ["BATCH", "16", "128"], ["RATE", "0.0005", "0.004"]]
    return instruments.result(
        instruments.table("Tuesday: “Mixed precision; use the memory that it frees”", ["", "before", "since"], rows), changed=len(rows)
    )


WITHOUT_AMP = [("AMP = True", "AMP = False")]


def norm_of(values):
    return math.sqrt(sum(v * v for v in values)) if all(math.isfinite(v) for v in values) else math.inf


def growth(precision):
    """At every update that is really made: the gradient that the optimizer sees, and by how much the weights move."""
    module = run if precision == "amp" else instruments.variant(WITHOUT_AMP)
    model, optimizer, scaler = module.build()
    weights = lambda: [v for p in model.parameters() for v in p.detach().flatten().tolist()]
    stepped = []
    optimizer.register_step_post_hook(lambda *_: stepped.append(True))
    gradient, ratio, size = [], [], []
    lost = -1
    for step in range(module.STEPS):
        before, made = weights(), len(stepped)
        loss = module.train_step(model, optimizer, scaler, module.batch_at(step)).item()
        if not math.isfinite(loss) and lost < 0:
            lost = step
        if len(stepped) == made:
            continue
        after = weights()
        g, w = norm_of(instruments.gradients(model, "")), norm_of(before)
        moved = norm_of([b - a for a, b in zip(before, after)])
        if math.isfinite(g) and math.isfinite(moved) and w > 0:
            gradient.append((step, g))
            ratio.append((step, moved / w))
            size.append((step, norm_of(after)))
    title = "with AMP" if precision == "amp" else "in float32"
    return instruments.result(
        instruments.plot(f"Updates, {title}", "step", ("norm", "log"), [
            ("gradient, as the optimizer sees it", "dots", gradient),
            ("weights after it", "dots", size),
            ("update / weights", "dots", ratio),
        ]),
        instruments.table("", ["step", "gradient", "update / weights", "weights after it"], [
            [s, g, r, w] for (s, g), (_, r), (_, w) in zip(gradient, ratio, size)
        ]),
        precision=precision,
        updates=len(ratio),
        first_update=ratio[0][0],
        first_ratio=ratio[0][1],
        first_lost=lost,
        grows=len(gradient) > 1 and gradient[-1][1] > 10 * gradient[0][1],
        finite_before=len(gradient) > 1 and (lost < 0 or gradient[-1][0] < lost),
    )


def batch_size(step):
    """The same weights and the same articles, in parts of several sizes: what one part's loss and gradient come to, in float32."""
    model, optimizer, _, (features, demand) = instruments.replay(step)
    whole = len(demand)
    sizes = [whole // 8, whole // 4, whole // 2, whole]
    rows, losses, norms = [], [], []
    for size in sizes:
        loss = norm = 0.0
        for start in range(0, whole, size):
            optimizer.zero_grad()
            part = instruments.loss_of(model, (features[start : start + size], demand[start : start + size]), torch.float32)
            part.backward()
            loss += part.item() * size / whole
            norm += norm_of(instruments.gradients(model, "")) * size / whole
        losses.append(loss)
        norms.append(norm)
        rows.append([size, loss, norm])
    return instruments.result(
        instruments.plot(f"compute_loss by size of the part, step {int(step)}", ("articles", "log"), ("mean over the parts", "log"), [
            ("loss", "line", list(zip(sizes, losses))),
            ("norm of the gradient", "line", list(zip(sizes, norms))),
        ]),
        instruments.table("Mean over the parts", ["articles in a part", "compute_loss", "norm of its gradient"], rows),
        step=int(step),
        loss_ratio=losses[-1] / losses[0],
        gradient_ratio=norms[-1] / norms[0],
    )


# Truths of predictions


def step_factor():
    """By how much the update of eight times the batch is larger than before, where all articles are alike: the loss a sum, the rate times eight."""

    def update(batch, rate):
        w = torch.ones(1, device="cuda", requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=rate)
        torch.nn.functional.mse_loss(w.expand(batch), torch.zeros(batch, device="cuda"), reduction="sum").backward()
        optimizer.step()
        return 1 - w.item()

    return round(update(128, 0.004) / update(16, 0.0005), 2)


def edge():
    """The first rate at which SGD on w * w ends further from 0 than it began, to a hundredth."""
    for hundredths in range(80, 300):
        w = torch.ones(1, device="cuda", requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=hundredths / 100)
        for _ in range(8):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
        if abs(w.item()) > 1.01:
            return hundredths / 100
