'use client';
import { brief, exactDecimal, shortest, ulps } from './decimal';
import styles from './Facts.module.css';
import { Power } from './Power';
import { hexOf, type Rounded } from './rounding';

/** Beyond this many characters a decimal is cut: nobody reads the 149 digits of a tiny float32. */
const LONG = 60;

const exact = (x: number) => {
  const text = exactDecimal(x);
  return text.length <= LONG ? text : `${shortest(x)} (${text.replace(/[-.]/g, '').replace(/^0+/, '').length} digits)`;
};

/** All that there is to say about the number in the selected format. */
export function Facts({ rounded, onShow }: { readonly rounded: Rounded; onShow(value: number): void }) {
  const { format, given, value, bits, error, relativeError, errorUlp, below, above, throughFloat32 } = rounded;
  const digits = bits.toString(2).padStart(1 + format.exponentBits + format.significandBits, '0');
  const binary = [digits.slice(0, 1), digits.slice(1, 1 + format.exponentBits), digits.slice(1 + format.exponentBits)];
  return (
    <section aria-label={`The number in ${format.name}`} className={styles.facts}>
      <dl>
        <Fact name="The number, as a Python float" id="given">
          {exact(given)}
        </Fact>
        <Fact name={`Stored in ${format.name}`} id="stored">
          {exact(value)}
        </Fact>
        <Fact name="Decoded" id="decoded">
          {decoded(rounded)}
        </Fact>
        <Fact name="Class" id="class">
          {classOf(rounded)}
        </Fact>
        <Fact name="Rounding error" id="error">
          {Number.isNaN(error)
            ? 'none that could be measured'
            : error === 0
              ? '0'
              : `${error > 0 ? '+' : ''}${brief(error, 4)}${Number.isNaN(relativeError) ? '' : `, relative ${brief(relativeError, 3)}, ${ulps(errorUlp)} ulp`}`}
        </Fact>
        <Fact name="One ulp here" id="ulp">
          {Number.isNaN(rounded.ulp) ? (
            'none'
          ) : (
            <>
              {shortest(rounded.ulp)} = <Power of={Math.log2(rounded.ulp)} />
            </>
          )}
        </Fact>
        <Fact name="Next smaller, next larger" id="neighbours">
          <button type="button" className={styles.go} onClick={() => onShow(below)}>
            {shortest(below)}
          </button>{' '}
          <button type="button" className={styles.go} onClick={() => onShow(above)}>
            {shortest(above)}
          </button>
        </Fact>
        <Fact name="Bits" id="bits">
          {hexOf(bits, format)}{' '}
          <span className={styles.binary}>
            <b data-field="sign">{binary[0]}</b> <b data-field="exponent">{binary[1]}</b>{' '}
            <b data-field="significand">{binary[2]}</b>
          </span>
        </Fact>
      </dl>
      {throughFloat32 ? (
        <p className={styles.note} data-note="through-float32">
          PyTorch gives {shortest(throughFloat32.value)} ({hexOf(throughFloat32.bits, format)}) here: it casts a Python
          float to float32 first, which makes it {shortest(throughFloat32.first)}, and rounds that again. One rounding
          gives {shortest(value)}.
        </p>
      ) : null}
      {format.name === 'tf32' ? (
        <p className={styles.note}>
          tf32 is not a dtype: tensor cores read float32 inputs this way when torch.backends.cuda.matmul.allow_tf32 is
          set. It is held in the 32 bits of a float32, of which 19 count and 13 are zero.
        </p>
      ) : null}
    </section>
  );
}

function Fact({
  name,
  id,
  children,
}: {
  readonly name: string;
  readonly id: string;
  readonly children: React.ReactNode;
}) {
  return (
    <div data-fact={id}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Sign, power of two and significand as a product, and what stands for the rest. */
function decoded({ kind, sign, exponent, significandField, format }: Rounded): React.ReactNode {
  const minus = sign === 1 ? '−' : '';
  const fraction = significandField / 2 ** format.significandBits;
  switch (kind) {
    case 'nan':
      return 'exponent all ones, significand not zero: not a number';
    case 'infinity':
      return `exponent all ones, significand zero: ${minus}infinity`;
    case 'zero':
      return `${minus}0`;
    case 'subnormal':
      return (
        <>
          {minus}
          <Power of={exponent} /> × {shortest(fraction)} = {minus}
          {significandField} × <Power of={exponent - format.significandBits} />
        </>
      );
    case 'normal':
      return (
        <>
          {minus}
          <Power of={exponent} /> × {shortest(1 + fraction)}
        </>
      );
  }
}

function classOf({ kind, event, precision, format, given }: Rounded): string {
  const full = format.significandBits + 1;
  if (event === 'overflow') {
    const edge = format.max + 2 ** (format.maxExponent - format.significandBits - 1);
    return `overflow: rounds to infinity from ${shortest(edge)} on`;
  }
  if (event === 'saturated')
    return `saturated: ${format.name} has no infinity, ${shortest(given)} is past its largest value`;
  if (event === 'underflow')
    return `underflow: at or below ${shortest(format.smallestSubnormal / 2)}, half of the smallest subnormal`;
  if (kind === 'subnormal') return `subnormal: ${precision} of ${full} significant bits are left`;
  if (kind === 'normal') return `normal: ${full} significant bits`;
  return { zero: 'zero', infinity: 'infinity', nan: 'not a number' }[kind];
}
