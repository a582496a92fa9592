"""Instruments of this scenario alone."""

import math

import instruments
import run


def opening():
    """Three observations: a step that Fields spoils, one that the attention spoils, and one on which the dwell head has no gradient."""
    model, optimizer, scaler = run.build()
    finite = {}

    def watch(name):
        def hook(module, inputs, output):
            finite[name] = bool(output.isfinite().all().item())

        return hook

    model.fields.register_forward_hook(watch("fields"))
    model.attention.register_forward_hook(watch("attention"))
    overflow = softmax = dead = -1
    losses = []
    for step in range(run.STEPS):
        loss = run.train_step(model, optimizer, scaler, run.batch_at(step)).item()
        losses.append(loss)
        if overflow < 0 and not finite["fields"] and finite["attention"]:
            overflow = step
        if softmax < 0 and finite["fields"] and not finite["attention"]:
            softmax = step
        if math.isfinite(loss) and instruments.zero_share(instruments.gradients(model, "dwell")) == 1:
            dead = step
    rows = [
        [overflow, losses[overflow], "all parameters: not finite, update skipped"],
        [softmax, losses[softmax], "all parameters: not finite, update skipped"],
        [dead, losses[dead], "dwell: exactly 0, all of it"],
    ]
    lost = sum(not math.isfinite(l) for l in losses)
    return instruments.result(
        instruments.table("Three steps of this run", ["step", "loss", "gradients"], sorted(rows)),
        overflow_step=overflow,
        softmax_step=softmax,
        dead_step=dead,
        overflow_loss_finite=math.isfinite(losses[overflow]),
        softmax_loss_finite=math.isfinite(losses[softmax]),
        dead_loss_finite=math.isfinite(losses[dead]),
        lost=lost,
    )
