/**
 * Device memory: GPUBuffers pooled by size class, so that a training loop allocates nothing after its first step.
 * A block may be given back while recorded work still uses it: the device queue keeps order, so a later use waits for it.
 */

/** A pooled GPUBuffer. `batch` is the last batch of commands that used it; `id` names it in bind-group keys. */
export interface Block {
  readonly id: number;
  readonly buffer: GPUBuffer;
  readonly bytes: number;
  batch: number;
}

/** Free memory above this goes back to the device. */
const keepFreeBytes = 256 * 2 ** 20;

export class MemoryPool {
  private readonly free = new Map<number, Block[]>();
  private freeBytes = 0;
  private nextId = 1;
  private doomed: Block[] = [];
  /** Bytes of all GPUBuffers that exist, in use or free. */
  allocatedBytes = 0;

  constructor(
    private readonly device: GPUDevice,
    private readonly onDestroy: (block: Block) => void,
  ) {}

  take(bytes: number): Block {
    const size = sizeClass(bytes, this.device.limits.maxBufferSize);
    const block = this.free.get(size)?.pop();
    if (block) {
      this.freeBytes -= size;
      return block;
    }
    this.allocatedBytes += size;
    return {
      id: this.nextId++,
      // STORAGE | COPY_SRC | COPY_DST
      buffer: this.device.createBuffer({ size, usage: 0x80 | 0x04 | 0x08 }),
      bytes: size,
      batch: 0,
    };
  }

  give(block: Block): void {
    if (this.freeBytes + block.bytes > keepFreeBytes) {
      this.doomed.push(block);
      return;
    }
    this.freeBytes += block.bytes;
    const list = this.free.get(block.bytes);
    if (list) list.push(block);
    else this.free.set(block.bytes, [block]);
  }

  /** Destroys what the pool did not keep. Call only when no unsubmitted command can refer to it. */
  trim(): void {
    for (const block of this.doomed) {
      this.allocatedBytes -= block.bytes;
      this.onDestroy(block);
      block.buffer.destroy();
    }
    this.doomed = [];
  }

  destroy(): void {
    this.trim();
    for (const list of this.free.values()) for (const block of list) block.buffer.destroy();
    this.free.clear();
  }
}

/** Powers of two up to 1 MiB, then multiples of 1 MiB: at most half wasted where it is small, little where it is big. */
function sizeClass(bytes: number, most: number): number {
  if (bytes <= 256) return 256;
  if (bytes <= 2 ** 20) return 2 ** (32 - Math.clz32(bytes - 1));
  return Math.min(Math.ceil(bytes / 2 ** 20) * 2 ** 20, most);
}

/** "1.50 GiB", as PyTorch's out-of-memory message prints sizes. */
export function formatBytes(bytes: number): string {
  if (bytes < 2 ** 10) return `${bytes} bytes`;
  if (bytes < 2 ** 20) return `${(bytes / 2 ** 10).toFixed(2)} KiB`;
  if (bytes < 2 ** 30) return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
  return `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}
