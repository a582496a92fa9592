/** Autograd: flags, `.grad`, hooks, custom functions, and backward as a run that Python resumes. */
import { BackwardRun, type Pause } from '../../core/autograd';
import type { Engine } from '../../core/engine';
import { pool } from '../../core/lifetime';
import { gradientEdge } from '../../core/node';
import { PythonFunctionNode } from '../../core/python-function';
import type { Tensor } from '../../core/tensor';
import * as variable from '../../core/variable';
import { isFloating } from '../../formats/dtype';
import { TorchError } from '../../ops/record';
import type { Handles } from './handles';

/** Codes of a pause. */
const codes: Record<Pause['kind'], number> = { hook: 1, 'post-accumulate': 2, function: 3, wait: 4 };

export function autogradFunctions(engine: Engine, handles: Handles) {
  const get = (h: number) => handles.get(h);
  const runs = new Map<number, BackwardRun>();
  const functions = new Map<number, PythonFunctionNode>();
  let nextRun = 1;

  const runOf = (id: number): BackwardRun => {
    const run = runs.get(id);
    if (run === undefined) throw new Error(`backward run ${id} is over`);
    return run;
  };

  const advance = (id: number, reply: readonly (Tensor | null)[]): number => {
    const run = runOf(id);
    try {
      const pause = run.resume(reply);
      return pause === null ? 0 : codes[pause.kind];
    } catch (error) {
      runs.delete(id);
      throw error;
    }
  };

  return {
    /** set_requires_grad(h, flag): requires_grad_(). Errors: integer dtypes; a non-leaf set to false. */
    set_requires_grad: (h: number, flag: boolean): void => variable.setRequiresGrad(engine, get(h), Boolean(flag)),
    /** requires_grad(h). */
    requires_grad: (h: number): boolean => get(h).requiresGrad,
    /** is_leaf(h). */
    is_leaf: (h: number): boolean => get(h).isLeaf,
    /** output_nr(h). */
    output_nr: (h: number): number => get(h).outputNr,
    /** grad(h): a new handle of t.grad, or 0. */
    grad(h: number): number {
      const { grad } = get(h);
      return grad === null ? 0 : handles.add(grad);
    },
    /** set_grad(h, g): t.grad = g; 0 for None. Errors: another shape, dtype or device, as torch. */
    set_grad: (h: number, g: number): void => variable.assignGrad(get(h), handles.optional(g)),
    /** detach(h): shares memory and version, has no history. */
    detach: (h: number): number => handles.add(engine.detach(get(h))),
    /** detach_(h): drops the history in place. */
    detach_: (h: number): void => variable.detachInPlace(get(h)),
    /** data(h): t.data: shares memory, has no history and a version counter of its own. */
    data: (h: number): number => handles.add(variable.dataOf(get(h))),
    /** set_data(h, source): t.data = source. Errors: incompatible dtype of a tensor that requires grad. */
    set_data: (h: number, source: number): void => variable.setData(get(h), get(source)),
    /** retain_grad(h); retains_grad(h). */
    retain_grad: (h: number): void => variable.retainGrad(get(h)),
    retains_grad: (h: number): boolean => get(h).retainsGrad,
    /** add_hook(h, id, name): a hook on the gradient of t. Ids are Python's, one number space with function ids. Errors: no requires_grad. */
    add_hook(h: number, id: number, name = '<unknown>'): void {
      variable.addHook(get(h), id);
      engine.hookNames.set(id, name);
    },
    /** remove_hook(h, id): of either kind. No error if it is gone. */
    remove_hook: (h: number, id: number): void => variable.removeHook(get(h), id),
    /** add_post_accumulate_hook(h, id): after t.grad has been accumulated. Errors: not a leaf. */
    add_post_accumulate_hook: (h: number, id: number): void => variable.addPostAccumulateHook(get(h), id),
    /** released_callbacks(): ids (hooks, functions) that the engine has dropped since the last call, so Python can drop them too. */
    released_callbacks(): number[] {
      const ids = pool.takeReleasedCallbacks();
      for (const id of ids) {
        functions.delete(id);
        engine.hookNames.delete(id);
      }
      return ids;
    },

    /** set_grad_enabled(flag): gives the former flag. */
    set_grad_enabled(flag: boolean): boolean {
      const before = engine.gradEnabled;
      engine.gradEnabled = Boolean(flag);
      return before;
    },
    /** is_grad_enabled(). */
    is_grad_enabled: (): boolean => engine.gradEnabled,
    /** set_inference_mode(flag): gives the former flag. Python also turns grad mode off while it lasts. */
    set_inference_mode(flag: boolean): boolean {
      const before = engine.inferenceMode;
      engine.inferenceMode = Boolean(flag);
      return before;
    },
    is_inference_mode_enabled: (): boolean => engine.inferenceMode,
    is_inference: (h: number): boolean => get(h).inference,
    /** set_anomaly(enabled, checkNan). */
    set_anomaly(enabled: boolean, checkNan: boolean): void {
      engine.anomalyMode = Boolean(enabled);
      engine.anomalyCheckNan = Boolean(enabled) && Boolean(checkNan);
    },

    /**
     * backward_start(flags, nOutputs, ...outputs, ...grads (0 for None), nInputs, ...inputs): prepares a run and gives its id.
     * flags: 1 retain_graph, 2 create_graph, 4 accumulate into .grad, 8 allow_unused. nInputs -1 (then nothing follows): all leaves, as
     * backward(). With inputs and without 4: autograd.grad; fetch the results with backward_results.
     */
    backward_start(flags: number, count: number, ...rest: number[]): number {
      const outputs = rest.slice(0, count).map(get);
      const grads = rest.slice(count, 2 * count).map((h) => handles.optional(h));
      const inputCount = rest[2 * count];
      const inputs = inputCount < 0 ? null : rest.slice(2 * count + 1, 2 * count + 1 + inputCount).map(get);
      const run = new BackwardRun(engine, {
        outputs,
        grads,
        inputs,
        retainGraph: (flags & 1) !== 0 || (flags & 2) !== 0,
        createGraph: (flags & 2) !== 0,
        accumulate: inputs === null || (flags & 4) !== 0,
        allowUnused: (flags & 8) !== 0,
      });
      runs.set(nextRun, run);
      return nextRun++;
    },
    /**
     * backward_step(run): runs until Python is needed. 0: done (then backward_results, or backward_end). 1: a hook is to be called with a
     * gradient. 2: a post-accumulate hook with its tensor. 3: a Function's backward. 4: run_sync(backward_wait(run)). backward_payload says
     * with what. Answer with backward_resume, which goes on and gives the next code.
     */
    backward_step: (run: number): number => advance(run, []),
    /**
     * backward_payload(run): for 1 [id, grad]; for 2 [id, tensor]; for 3 [id, release, ...grads], 0 for None, `release` 1 if the
     * function's saved tensors go after this call. Handles are new: Python owns them.
     */
    backward_payload(id: number): number[] {
      const { pause } = runOf(id);
      if (pause === null) return [];
      switch (pause.kind) {
        case 'hook':
          return [pause.id, handles.add(pause.grad)];
        case 'post-accumulate':
          return [pause.id, handles.add(pause.tensor)];
        case 'function':
          return [pause.node.id, pause.release ? 1 : 0, ...pause.grads.map((g) => (g === null ? 0 : handles.add(g)))];
        case 'wait':
          return [];
      }
    },
    /** backward_wait(run): the promise to wait for after code 4. */
    backward_wait(id: number): Promise<void> {
      const { pause } = runOf(id);
      return pause?.kind === 'wait' ? pause.promise : Promise.resolve();
    },
    /** backward_resume(run, ...handles): the answer (1: a gradient, or 0 to keep it; 2, 4: nothing; 3: one gradient a tensor input, 0 for None). Gives the next code. */
    backward_resume: (run: number, ...answers: number[]): number =>
      advance(
        run,
        answers.map((h) => handles.optional(h)),
      ),
    /** backward_results(run): after 0, for autograd.grad: a handle for each input, 0 where unused. Ends the run. */
    backward_results(id: number): number[] {
      const run = runOf(id);
      const out = run.results.map((g) => (g === null ? 0 : handles.add(g)));
      run.abandon();
      runs.delete(id);
      return out;
    },
    /** backward_end(run): forgets a run: after 0, or after an error in Python's part. */
    backward_end(id: number): void {
      runs.get(id)?.abandon();
      runs.delete(id);
    },

    /**
     * make_function_node(id, name, nInputs, ...inputs (tensor inputs in order, 0 for others), nOutputs, ...outputs (0 for
     * non-differentiable)): makes `name` ("MyExpBackward") the history of the outputs, if grad mode is on and an input requires grad; gives whether it did.
     * Outputs must be fresh tensors (made under no_grad) or inputs changed in place (mark_dirty).
     */
    make_function_node(id: number, name: string, count: number, ...rest: number[]): boolean {
      const inputs = rest.slice(0, count).map((h) => handles.optional(h));
      const outputs = rest.slice(count + 1, count + 1 + rest[count]).map((h) => handles.optional(h));
      if (!engine.gradEnabled || !inputs.some((x) => x?.requiresGrad)) return false;
      for (const y of outputs) {
        if (y === null || !inputs.includes(y)) continue;
        // An input that comes back as an output was changed in place (mark_dirty).
        if (y.requiresGradFlag && y.isLeaf) {
          throw new TorchError(
            'RuntimeError',
            'a leaf Variable that requires grad has been used in an in-place operation.',
          );
        }
        if (y.viewInfo !== null) {
          throw new TorchError(
            'NotImplementedError',
            'a custom Function that changes a view in place (mark_dirty) is not supported here. Call .clone() on the view first.',
          );
        }
      }
      const node = new PythonFunctionNode(name, id);
      for (const x of inputs) node.addEdge(x === null ? null : gradientEdge(x));
      outputs.forEach((y) => {
        if (y === null || !isFloating(y.dtype)) {
          node.outputs.push({ dtype: 'float32', shape: [], device: 'cpu' });
          return;
        }
        const nr = node.addOutput(y);
        y.requiresGradFlag = false;
        y.setGradFn(node, nr);
      });
      functions.set(id, node);
      return true;
    },
    /** function_save(id, ...handles): ctx.save_for_backward, after make_function_node; 0 for None. */
    function_save: (id: number, ...hs: number[]): void => functions.get(id)?.save(hs.map((h) => handles.optional(h))),
    /** function_saved(id): ctx.saved_tensors: new handles, 0 for None. Errors: freed; changed in place since. */
    function_saved(id: number): number[] {
      const node = functions.get(id);
      if (node === undefined) throw new Error(`function ${id} is not in the graph`);
      return node.unpack(engine.anomalyMode).map((t) => (t === null ? 0 : handles.add(t)));
    },
    /** function_needs(id): for each input 1 if its gradient is needed. */
    function_needs: (id: number): number[] => (functions.get(id)?.edges ?? []).map((e) => (e === null ? 0 : 1)),
    /** grad_fn_next(h): the names of the nodes behind t.grad_fn, comma-separated, '' for none: t.grad_fn.next_functions. */
    grad_fn_next: (h: number): string => (get(h).gradFn?.nextEdges ?? []).map((e) => e?.node.name ?? '').join(','),
  };
}
