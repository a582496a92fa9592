/**
 * The bridge: every function that Python (engine/python/torch/_C.py) calls. Flat values only: numbers, strings, booleans, None; a tensor is
 * an integer handle (docs/ARCHITECTURE.md, "Bridge"). The functions are documented where they are defined:
 *
 *   bridge/calls.ts     op, op_, op_params
 *   bridge/tensors.ts   creation, meta, reads, copies, devices, lifetime
 *   bridge/views.ts     view, reshape, slice, …
 *   bridge/autograd.ts  requires_grad, grad, hooks, backward_*, custom functions, grad mode
 *   bridge/indices.ts   nonzero
 *   bridge/random.ts    generators, random, random_, bernoulli, multinomial
 *   bridge/state.ts     autocast, trace, backend_info
 *
 * A TorchError crosses as an exception whose `name` (and `pythonType`) is the Python type. Any other Error is a fault of the engine.
 */
import type { Backend } from '../backends/backend';
import { CpuBackend } from '../backends/cpu/cpu-backend';
import { Engine } from '../core/engine';
import '../ops';
import { autogradFunctions } from './bridge/autograd';
import { opFunctions } from './bridge/calls';
import { Handles, sweeping } from './bridge/handles';
import { indexFunctions } from './bridge/indices';
import { randomFunctions } from './bridge/random';
import { type ServedBy, stateFunctions } from './bridge/state';
import { tensorFunctions } from './bridge/tensors';
import { viewFunctions } from './bridge/views';

export interface BridgeOptions {
  readonly cpu?: Backend;
  /** What serves "cuda"; the reference backend by default. */
  readonly cuda?: Backend;
  readonly info?: ServedBy;
  /** Called before the first use of "cuda", and waited for; gives notices for the learner. */
  readonly prove?: () => Promise<readonly string[]> | readonly string[];
}

export function createBridge(options: BridgeOptions = {}) {
  const cpu = options.cpu ?? new CpuBackend();
  const engine = new Engine({ cpu, cuda: options.cuda ?? new CpuBackend() });
  const info = options.info ?? { name: 'cpu', reason: 'this session runs on the reference backend' };
  const handles = new Handles(engine);
  return {
    ...opFunctions(engine, handles),
    ...sweeping(engine, tensorFunctions(engine, handles)),
    ...sweeping(engine, viewFunctions(engine, handles)),
    ...sweeping(engine, autogradFunctions(engine, handles)),
    ...sweeping(engine, randomFunctions(engine, handles)),
    ...sweeping(engine, indexFunctions(engine, handles)),
    ...sweeping(engine, stateFunctions(engine, info, options.prove)),
    /** The engine behind it, for TypeScript. */
    engine,
  };
}

export type Bridge = ReturnType<typeof createBridge>;
