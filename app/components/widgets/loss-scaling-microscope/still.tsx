import type { Sample } from './sample';
import stored from './sample.json';
import { percent } from './zones';

const { measurement } = stored as unknown as Sample;
const SHOWN = [0, 4, 8, 10, 16, 24, 29, 32];

/** The stored run as a table, for a reader without JavaScript. */
export default function Still() {
  const { total, scales } = measurement;
  return (
    <div className="table">
      <p>
        From the stored run: {total} gradients of a small network in a float16 backward. It is the same script on the
        reference engine, and PyTorch 2.13 gives the same counts.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">loss scale</th>
            <th scope="col">gradients that are 0</th>
            <th scope="col">nonfinite</th>
          </tr>
        </thead>
        <tbody>
          {scales
            .filter((at) => SHOWN.includes(at.exponent))
            .map((at) => (
              <tr key={at.exponent}>
                <th scope="row">
                  2<sup>{at.exponent}</sup>
                </th>
                <td>
                  {at.backwardZero} ({percent(at.backwardZero, total)})
                </td>
                <td>
                  {at.backwardNonfinite} ({percent(at.backwardNonfinite, total)})
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
