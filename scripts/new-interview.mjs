// The scaffold of an interview: a run that overflows in one place, one question about it. Search for TODO.

/** `exercise(slug)` gives the files of an exercise's scaffold; the fix is one, in a folder of its own. */
export const interview = (slug, title, order, exercise) => ({
  [`content/interviews/${slug}/run.py`]: `"""TODO what this run trains, as its authors would say it. No hint of the fault."""

import torch
from torch import nn
from torch.nn import functional as F

SEED = 20261130
DTYPE = torch.float16  # autocast's, and that of code which leaves it
STEPS = 24


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(8, 8)
        self.leave = nn.Linear(8, 1)

    def forward(self, x):
        h = self.enter(x)
        return self.leave(h * h).squeeze(-1)  # TODO the fault: here a square that leaves float16


def build():
    torch.manual_seed(SEED)
    model = Model().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return model, optimizer, torch.amp.GradScaler("cuda", init_scale=1024.0)


def batch_at(step):
    g = torch.Generator().manual_seed(1000 * SEED + step)
    size = 400.0 if step % 7 == 3 else 1.0
    return (size * torch.randn(8, 8, generator=g)).to("cuda"), torch.rand(8, generator=g).to("cuda")


def compute_loss(model, batch):
    x, y = batch
    return F.mse_loss(model(x), y)


def train_step(model, optimizer, scaler, batch):
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=DTYPE):
        loss = compute_loss(model, batch)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss


if __name__ == "__main__":
    model, optimizer, scaler = build()
    for step in range(STEPS):
        print(step, train_step(model, optimizer, scaler, batch_at(step)).item())
`,
  [`content/interviews/${slug}/scenario.py`]: `"""Instruments of this scenario alone."""

import math

import instruments


def opening():
    """TODO the symptoms that the interviewer puts on the table."""
    rows = instruments.history()
    lost = [step for step, loss, _, _ in rows if not math.isfinite(loss)]
    return instruments.result(
        instruments.table("Steps whose loss isn't finite", ["steps", "first"], [[len(lost), lost[0]]]),
        lost=len(lost),
        first=lost[0],
    )
`,
  [`content/interviews/${slug}/interview.ts`]: `import { catalogue } from '../kit/catalogue';
import { defineInterview, type Support } from '../kit/schema';

// TODO what shows it, and what contradicts the wrong readings. \`ask\` is how the gate asks for it; {fact} is a fact of the opening.
const spoils: Support = {
  evidence: 'same-batch',
  shows: (f, o) => f.step === o.first && f.float32_finite === true && f.float16_finite === false,
  says: 'TODO the batch is finite in float32 and not in float16',
  ask: { step: '{first}' },
};
const finiteBefore: Support = {
  evidence: 'finite-check',
  shows: (f, o) => f.module === 'enter' && f.step === o.first && f.outputs_finite === true,
  says: 'TODO what enter gives is finite',
  ask: { module: 'enter', step: '{first}' },
};
const cleanData: Support = {
  evidence: 'data',
  shows: (f) => f.nonfinite_x === 0,
  says: 'TODO the inputs are finite',
  ask: {},
};

export default defineInterview({
  title: '${title}',
  summary: 'TODO the situation in a sentence or two, without the answer.',
  order: ${order},
  version: 1,
  seeds: [1, 2, 3],
  steps: 24,
  brief: ['TODO what the interviewer says at the start.'],
  opening: 'scenario.opening()',
  symptoms: [{ says: 'TODO some losses are not finite', shows: (f) => Number(f.lost) > 0 }],
  evidence: catalogue({
    modules: ['enter', 'leave'].map((id) => ({ id, title: id })),
    inputs: ['x', 'y'],
    places: ['Model', 'build', 'batch_at', 'compute_loss', 'train_step'],
    changes: [{ id: 'no-scale', title: 'No loss scaling', replace: [['init_scale=1024.0', 'enabled=False']] }],
  }),
  probeCost: 3,
  questions: [
    {
      id: 'what',
      title: 'TODO a few words',
      kind: 'diagnose',
      from: 15,
      prompt: 'TODO the loss of step {first} is not finite. Why?',
      diagnoses: [
        { id: 'square', text: 'TODO the right one' },
        {
          id: 'data',
          text: 'TODO a wrong one',
          wrong: {
            contradictedBy: [cleanData],
            misconception: 'todo',
            followUp: {
              question: 'TODO what probes the misconception?',
              choices: [
                { text: 'TODO right', right: true, because: 'TODO' },
                { text: 'TODO wrong', because: 'TODO', misconception: 'todo' },
              ],
            },
          },
        },
        {
          id: 'enter',
          text: 'TODO another wrong one',
          wrong: {
            contradictedBy: [finiteBefore],
            misconception: 'todo',
            followUp: {
              question: 'TODO what probes the misconception?',
              choices: [
                { text: 'TODO right', right: true, because: 'TODO' },
                { text: 'TODO wrong', because: 'TODO', misconception: 'todo' },
              ],
            },
          },
        },
      ],
      needs: [[spoils], [finiteBefore]],
      repairs: [
        { id: 'widen', text: 'TODO what an expert would do', worth: 1, because: 'TODO' },
        { id: 'scale', text: 'TODO what does not help', worth: 0, because: 'TODO', misconception: 'todo' },
      ],
      repairNeeds: [[spoils]],
    },
    {
      id: 'number',
      title: 'TODO a number',
      kind: 'predict',
      from: 15,
      prompt: 'TODO which number?',
      truth: 'torch.finfo(torch.float16).max',
      tolerance: { relative: 0.01 },
      because: 'TODO why',
    },
    { id: 'fix', title: 'The fix', kind: 'fix', from: 15, prompt: 'TODO what to write.' },
    {
      id: 'explain',
      title: 'TODO explain it',
      kind: 'explain',
      from: 30,
      prompt: 'TODO to whom, and what?',
      seconds: 120,
      rubric: [{ id: 'todo', text: 'TODO a point that a good answer makes' }],
      model: 'TODO the model answer.',
    },
  ],
  interruptions: [],
  misconceptions: { todo: { title: 'TODO', text: 'TODO', lesson: 'three-failures' } },
  expert: [
    { ask: { evidence: 'same-batch', parameters: { step: '{first}' } }, why: 'TODO' },
    { ask: { evidence: 'finite-check', parameters: { module: 'enter', step: '{first}' } }, why: 'TODO' },
  ],
});
`,
  ...Object.fromEntries(
    Object.entries(exercise)
      .filter(([file]) => !file.endsWith('.mdx'))
      .map(([file, text]) => [
        file.replace(/^exercises\/[^/]+\//, `content/interviews/${slug}/fix/`),
        text.replaceAll("'../kit/", "'@/exercises/kit/"),
      ]),
  ),
});
