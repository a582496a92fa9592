/** From an op call to its kernels: the record's `wgsl` field names the builder. */
import type { OpRecord } from '../record';
import { castPlan, fillPlan } from './cast';
import { elementwisePlan } from './elementwise';
import { extremumPlan } from './extremum';
import { embeddingBackwardPlan, embeddingPlan, joinPlan } from './gather-rows';
import type { KernelBuilder, KernelCall, KernelPlan } from './kernel';
import { mseLossBackwardPlan, mseLossPlan } from './losses';
import { addedProductPlan, linearPlan, matmulPlan } from './matmul';
import { nllBackwardPlan, nllPlan } from './nll-loss';
import { normPlan } from './norm';
import { adamPlan, sgdPlan, unscalePlan } from './optimizer';
import { meanPlan, sumPlan } from './reduce';
import { softmaxPlan } from './softmax';

/** Kernels that share their arithmetic, and so their fate in the start-up self-test. */
export type KernelFamily = 'elementwise' | 'product' | 'reduction' | 'softmax' | 'copy';

interface Kernel {
  readonly family: KernelFamily;
  readonly build: KernelBuilder;
}

/** Builders by the name that records use. */
const kernels: Readonly<Record<string, Kernel>> = {
  matmul: { family: 'product', build: matmulPlan },
  linear: { family: 'product', build: linearPlan },
  'added product': { family: 'product', build: addedProductPlan },
  cast: { family: 'elementwise', build: castPlan },
  fill: { family: 'elementwise', build: fillPlan },
  sum: { family: 'reduction', build: sumPlan },
  mean: { family: 'reduction', build: meanPlan },
  softmax: { family: 'softmax', build: softmaxPlan },
  norm: { family: 'reduction', build: normPlan },
  extremum: { family: 'reduction', build: extremumPlan },
  embedding: { family: 'copy', build: embeddingPlan },
  'embedding backward': { family: 'reduction', build: embeddingBackwardPlan },
  join: { family: 'copy', build: joinPlan },
  mse: { family: 'reduction', build: mseLossPlan },
  'mse backward': { family: 'elementwise', build: mseLossBackwardPlan },
  nll: { family: 'reduction', build: nllPlan },
  'nll backward': { family: 'reduction', build: nllBackwardPlan },
  sgd: { family: 'elementwise', build: sgdPlan },
  adam: { family: 'elementwise', build: adamPlan },
  unscale: { family: 'elementwise', build: unscalePlan },
};

function kernelOf(record: OpRecord): Kernel | null {
  const { wgsl } = record;
  if (wgsl === 'host') return null;
  if (wgsl.kind === 'elementwise') return { family: 'elementwise', build: (call) => elementwisePlan(call, wgsl) };
  const kernel = kernels[wgsl.kernel];
  if (!kernel) throw new Error(`op ${record.name}: no WGSL kernel is called "${wgsl.kernel}"`);
  return kernel;
}

export const familyOf = (record: OpRecord): KernelFamily | null => kernelOf(record)?.family ?? null;

/** The dispatches that compute this call, or null where no kernel covers it and the reference has to serve it. */
export const planFor = (call: KernelCall): KernelPlan | null => kernelOf(call.record)?.build(call) ?? null;
