import { createHash } from 'node:crypto';

const CHUNK_BYTES = 1024 * 1024;

/** The end of a file that was stored. */
export interface StoredFile {
  bytes: number;
  sha256: string;
}

/** Cuts a stream of bytes into chunks of 1 MiB, the last one shorter, and stores each. `limit` is in bytes. */
export async function storeInChunks(
  pieces: AsyncIterable<Uint8Array>,
  store: (chunk: Buffer, number: number) => Promise<void>,
  limit: { bytes: number; exceeded: () => Error },
): Promise<StoredFile> {
  const hash = createHash('sha256');
  let rest: Buffer = Buffer.alloc(0);
  let [number, bytes] = [0, 0];
  for await (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
    if (bytes > limit.bytes) throw limit.exceeded();
    rest = rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([rest, piece]);
    for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) {
      await store(rest.subarray(0, CHUNK_BYTES), number++);
    }
  }
  if (rest.length > 0) await store(rest, number);
  return { bytes, sha256: hash.digest('hex') };
}
