/**
 * Gives the memory of buffers back that nobody reads any more; they are empty afterwards, and so is whatever shares their
 * memory. The garbage collector would find them late, since they have grown old while their batch was written, and it
 * goes through all of its heap whenever 64 MB of such memory have come together.
 */
export function discard(buffers: Iterable<Uint8Array>): void {
  const memories = new Set<ArrayBuffer>();
  for (const { buffer } of buffers) {
    // Small buffers share one that belongs to Node.
    if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) memories.add(buffer);
  }
  // The clone is garbage from the beginning: the next collection of young objects frees it.
  if (memories.size > 0) structuredClone(null, { transfer: [...memories] });
}
