/** `#v=65519.99&f=float16`: what is typed and the selected format, in the address, so that every value has one. */
import { type FormatName, formats } from '@/engine/formats/float-format';
import { MAX_LENGTH } from './expression';

export interface Place {
  /** As typed. */
  readonly text: string;
  readonly format: FormatName;
}

export const START: Place = { text: '0.1', format: 'float16' };

/** Readable in an address bar: only what a fragment can't hold is escaped, and "+", which a query reads as a space. */
const escaped = (text: string): string => encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%2C', ',');

export const hashOf = ({ text, format }: Place): string => `#v=${escaped(text)}&f=${format}`;

/** The place of an address; undefined if it has none. An unknown format is the start's; a damaged escape is as typed. */
export function placeOf(hash: string): Place | undefined {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const text = fields.get('v');
  if (text === null) return undefined;
  const format = fields.get('f') ?? '';
  return {
    text: text.slice(0, MAX_LENGTH),
    format: Object.hasOwn(formats, format) ? (format as FormatName) : START.format,
  };
}
