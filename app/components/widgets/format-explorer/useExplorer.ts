/** The explorer's one state: what is typed, the selected format, and all that follows from them; kept in the address if asked. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type FormatName, formats } from '@/engine/formats/float-format';
import { hashOf, type Place, placeOf, START } from './address';
import { shortest } from './decimal';
import { ExpressionError, evaluate, isPattern, type Typed } from './expression';
import { hexOf, ORDER, type Rounded, round } from './rounding';

/** Changes of one gesture (typing a number, dragging the slider) are one step for the back button. */
export type Gesture = 'typing' | 'magnitude';

export interface Explorer {
  readonly text: string;
  readonly format: FormatName;
  /** The number that is shown: what is typed, or the last that could be read. */
  readonly given: number;
  /** Why what is typed can't be read. */
  readonly fault: string | undefined;
  /** One for each format, in ORDER. */
  readonly all: readonly Rounded[];
  readonly selected: Rounded;
  type(text: string): void;
  /** A number from elsewhere: a key, a neighbour, the slider. */
  show(value: number, gesture?: Gesture): void;
  /** A bit pattern of the selected format. */
  showBits(bits: number): void;
  select(format: FormatName): void;
  /** What comes next is a step of its own. */
  endGesture(): void;
}

export function useExplorer(inAddress: boolean): Explorer {
  const [place, setPlace] = useState<Place>(START);
  const gesture = useRef<Gesture>(undefined);
  const lastGood = useRef<Typed>({ value: 0.1 });

  useEffect(() => {
    if (!inAddress) return;
    const read = () => {
      gesture.current = undefined;
      setPlace(placeOf(location.hash) ?? START);
    };
    if (location.hash) read();
    // Back, forward, an edited address, a link of this page.
    addEventListener('popstate', read);
    addEventListener('hashchange', read);
    return () => {
      removeEventListener('popstate', read);
      removeEventListener('hashchange', read);
    };
  }, [inAddress]);

  const go = useCallback(
    (next: Place, by?: Gesture) => {
      setPlace(next);
      if (!inAddress || next.text.trim() === '') return;
      const hash = hashOf(next);
      if (by !== undefined && by === gesture.current) history.replaceState(null, '', hash);
      else if (hash !== location.hash) history.pushState(null, '', hash);
      gesture.current = by;
    },
    [inAddress],
  );

  const { typed, fault } = useMemo(() => {
    try {
      return { typed: evaluate(place.text, place.format), fault: undefined };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return { typed: undefined, fault: error.message };
    }
  }, [place]);
  if (typed) lastGood.current = typed;
  const shown = typed ?? lastGood.current;
  const all = useMemo(
    () => ORDER.map((name) => round(shown.value, name, name === place.format ? shown.pattern : undefined)),
    [shown, place.format],
  );
  const selected = all[ORDER.indexOf(place.format)];

  return {
    ...place,
    given: shown.value,
    fault,
    all,
    selected,
    type: (text) => go({ text, format: place.format }, 'typing'),
    show: (value, by) => go({ text: shortest(value), format: place.format }, by),
    showBits: (bits) => {
      const { value } = round(Number.NaN, place.format, bits);
      // A NaN is shown by its bits: there are many of them.
      const text = Number.isNaN(value) ? hexOf(bits, formats[place.format]) : shortest(value);
      go({ text, format: place.format });
    },
    select: (format) => {
      // A pattern belongs to its format; in another one the number goes on.
      go({ text: isPattern(place.text) && format !== place.format ? shortest(shown.value) : place.text, format });
    },
    endGesture: () => {
      gesture.current = undefined;
    },
  };
}
