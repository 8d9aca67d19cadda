/**
 * Releases the memory of used buffers. The garbage collector would find it late, because a buffer reaches the old
 * generation while a batch is written. It also collects the whole heap whenever 64 MB of such memory exist.
 */
export class SpentMemory {
  private readonly memories = new Set<ArrayBuffer>();

  add({ buffer }: Uint8Array): void {
    // Small buffers share one that belongs to Node.
    if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) this.memories.add(buffer);
  }

  /** Gives it back: the buffers are empty afterwards, and so is whatever shares their memory. */
  discard(): void {
    // The clone is garbage from the beginning: the next collection of young objects frees it.
    if (this.memories.size > 0) structuredClone(null, { transfer: [...this.memories] });
  }
}

export function discard(buffers: Iterable<Uint8Array>): void {
  const spent = new SpentMemory();
  for (const buffer of buffers) spent.add(buffer);
  spent.discard();
}
