/**
 * Programs of random calls, kernels and host steps mixed, with views, copies through windows and early releases: whatever order the
 * device and the reference are asked in, every tensor ends up with the reference's bits.
 */
import { expect, test } from 'vitest';
import type { Operand, View } from '@/engine/backends/backend';
import '@/engine/ops';
import type { HostData, HostTensor } from '@/engine/formats/dtype';
import { type OpRecord, opTable, type TensorSpec } from '@/engine/ops/record';
import { firstDifference, randomNear, randomWords } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();

/** The kernel where there is one, and the same op as a host step. */
const op = (name: string, host: boolean): OpRecord => ({
  ...opTable.get(name)!,
  ...(host && { wgsl: 'host' as const }),
});
const side = 6;
const shape = [side, side];
const strides = [side, 1];

test.each([1, 2, 3, 4, 5, 6])('program %i', async (seed) => {
  const dtype = seed % 2 ? 'float16' : 'bfloat16';
  const words = randomWords(4000, seed * 7919);
  let at = 0;
  const draw = (n: number) => words[at++] % n;
  const spec: TensorSpec = { dtype, shape };
  const live: { view: View; host: HostData }[] = [];
  const hostOf = (index: number): HostTensor => ({ dtype, shape, data: live[index].host });
  for (let i = 0; i < 3; i++) {
    const { data } = randomNear(dtype, side * side, seed * 10 + i);
    live.push({ view: { buffer: backend.upload(dtype, data), dtype, shape, strides, offset: 0 }, host: data.slice() });
  }
  const transposed = (data: HostData) => {
    const out = data.slice();
    for (let r = 0; r < side; r++) for (let c = 0; c < side; c++) out[r * side + c] = data[c * side + r];
    return out;
  };
  const read: Promise<void>[] = [];
  for (let step = 0; step < 150; step++) {
    const i = draw(live.length);
    const j = draw(live.length);
    const host = draw(4) === 0;
    const kind = draw(6);
    if (kind < 3) {
      const record = op(['add', 'mul', 'maximum'][kind], host);
      const flip = draw(2) === 0;
      const left: Operand = flip ? { ...live[i].view, strides: [1, side] } : live[i].view;
      const [buffer] = backend.run(record, [left, live[j].view], {}, [spec]);
      const a = flip ? { ...hostOf(i), data: transposed(live[i].host) } : hostOf(i);
      live.push({
        view: { buffer, dtype, shape, strides, offset: 0 },
        host: record.reference([a, hostOf(j)], {}, [spec])[0],
      });
    } else if (kind === 3) {
      // Rows of one tensor over rows of another, in place.
      const rows = 1 + draw(side - 1);
      backend.copyInto(
        { ...live[i].view, shape: [rows, side], offset: side },
        { ...live[j].view, shape: [rows, side] },
      );
      const data = live[i].host.slice();
      data.set(live[j].host.subarray(0, rows * side) as never, side);
      live[i].host = data;
    } else if (kind === 4) {
      const expected = live[i].host;
      const got = backend.read(live[i].view.buffer);
      read.push(Promise.resolve(got).then((data) => expect(firstDifference(dtype, data, expected)).toBe('')));
    } else {
      const buffer = backend.contiguous({ ...live[i].view, strides: [1, side] });
      live.push({ view: { buffer, dtype, shape, strides, offset: 0 }, host: transposed(live[i].host) });
    }
    if (live.length > 8) {
      const [gone] = live.splice(draw(3), 1);
      backend.release(gone.view.buffer);
    }
    if (draw(25) === 0) await backend.finish();
  }
  await Promise.all(read);
  for (const { view, host } of live) {
    expect(firstDifference(dtype, await backend.read(view.buffer), host)).toBe('');
    backend.release(view.buffer);
  }
  expect(backend.bytesInUse).toBe(0);
  expect(backend.notices).toEqual([]);
});
