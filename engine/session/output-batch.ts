/**
 * Joins what Python prints into few messages. A first print is sent at once; a flood is joined per frame, so that a million prints
 * don't become a million messages.
 */
import type { OutputStream } from './python-host';

/** One frame: nobody sees anything sooner. Milliseconds. */
const FRAME = 16;
/** Messages that may be sent within one frame before batching starts. */
const BURST = 8;

export class OutputBatch {
  private text = '';
  private stream: OutputStream = 'stdout';
  private frameStart = 0;
  private sent = 0;

  constructor(private readonly send: (text: string, stream: OutputStream) => void) {}

  write(text: string, stream: OutputStream): void {
    if (stream !== this.stream) this.flush();
    this.stream = stream;
    this.text += text;
    const now = performance.now();
    if (now - this.frameStart >= FRAME) {
      this.frameStart = now;
      this.sent = 0;
    }
    if (this.sent < BURST) {
      this.sent++;
      this.flush();
    }
  }

  flush(): void {
    if (this.text === '') return;
    const { text, stream } = this;
    this.text = '';
    this.send(text, stream);
  }
}
