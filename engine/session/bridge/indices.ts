/** Functions whose result's shape depends on values, so that they have to read them. */
import { fromHost } from '../../core/creation';
import type { Engine } from '../../core/engine';
import { nonzeroCoordinates } from '../../ops/indexing';
import type { Handles } from './handles';

export function indexFunctions(engine: Engine, handles: Handles) {
  return {
    /** nonzero(h): int64 [count, rank], one row of coordinates for each element that isn't 0. A promise on an asynchronous backend. */
    nonzero(h: number): number | Promise<number> {
      const { shape, device } = handles.get(h);
      const build = (data: Float64Array): number => {
        const found = nonzeroCoordinates({ dtype: 'float64', shape, data });
        const rank = shape.length;
        const count = rank === 0 ? Number(data[0] !== 0) : found.length / rank;
        return handles.add(fromHost(engine, found, 'int64', device, [count, rank]));
      };
      const values = engine.read(handles.get(h));
      return values instanceof Promise ? values.then(build) : build(values);
    },
  };
}
