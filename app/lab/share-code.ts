/** Code in a link: deflated, then base64url, behind `#code=`. The fragment isn't sent to any server. */

/** Longest script that a link opens, in bytes: a small link must not unpack to a gigabyte. */
export const MAX_SHARED = 200_000;

async function pipe(
  bytes: Uint8Array<ArrayBuffer>,
  through: GenericTransformStream,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(through as ReadableWritablePair<Uint8Array, Uint8Array>)
    .getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new Error(`the code in the link is longer than ${limit.toLocaleString('en')} bytes`);
    }
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Rejects with an Error for people where the code is longer than a link may carry. */
export async function encodeCode(code: string): Promise<string> {
  const bytes = new TextEncoder().encode(code);
  if (bytes.length > MAX_SHARED)
    throw new Error(
      `it has ${bytes.length.toLocaleString('en')} bytes, and a link carries at most ${MAX_SHARED.toLocaleString('en')}`,
    );
  const packed = await pipe(bytes, new CompressionStream('deflate-raw'), Number.POSITIVE_INFINITY);
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Rejects with an Error for people where the text is damaged or too long. */
export async function decodeCode(text: string): Promise<string> {
  let packed: Uint8Array<ArrayBuffer>;
  try {
    packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  } catch {
    throw new Error('the link is damaged: it has characters that no such link has');
  }
  let bytes: Uint8Array;
  try {
    bytes = await pipe(packed, new DecompressionStream('deflate-raw'), MAX_SHARED);
  } catch (error) {
    throw error instanceof Error && error.message.startsWith('the code')
      ? error
      : new Error('the link is damaged: a part of it is missing');
  }
  return new TextDecoder().decode(bytes);
}
