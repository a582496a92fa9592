/** Runs a record's reference directly, as a backend would, for golden and table-driven tests. */
import type { HostTensor } from '@/engine/formats/dtype';
import { type Attrs, opTable } from '@/engine/ops/record';
import '@/engine/ops';

/** All outputs of op `name`. Inputs must already have the dtypes that dispatch would give them. */
export function runOp(name: string, inputs: readonly HostTensor[], attrs: Attrs = {}): HostTensor[] {
  const record = opTable.get(name);
  if (!record) throw new Error(`no op "${name}"`);
  const specs = record.infer(inputs, attrs);
  const data = record.reference(inputs, attrs, specs);
  return specs.map((spec, i) => ({ ...spec, data: data[i] }));
}
