import type { EntityManager } from 'typeorm';
import { Statement } from '../platform/database/statement.js';
import { inPiecesOf } from './file-text.js';

/** Bytes per piece of a stored file, from which the place of any byte follows. */
export const CHUNK_BYTES = 1024 * 1024;

interface OperationKey {
  workspaceId: number;
  id: string;
}

const STORE = new Statement(
  `INSERT INTO import_chunks (workspace_id, operation_id, number, content) VALUES ($1, $2, $3, $4)`,
);
const READ = new Statement<{ content: Buffer }>(
  `SELECT content FROM import_chunks
    WHERE workspace_id = $1 AND operation_id = $2 AND number BETWEEN $3 AND $4 ORDER BY number`,
);

/** Stores the file of an import until it has ended. */
export async function storeFile(tx: EntityManager, { workspaceId, id }: OperationKey, text: Iterable<Buffer>) {
  let number = 0;
  for (const content of inPiecesOf(CHUNK_BYTES, text)) {
    await STORE.run(tx, [workspaceId, id, number++, content]);
  }
}

/** The bytes from `start` up to `end`. */
export async function readFilePart(
  tx: EntityManager,
  { workspaceId, id }: OperationKey,
  { start, end }: { start: number; end: number },
): Promise<Buffer> {
  if (start >= end) return Buffer.alloc(0);
  const first = Math.floor(start / CHUNK_BYTES);
  const chunks = await READ.run(tx, [workspaceId, id, first, Math.floor((end - 1) / CHUNK_BYTES)]);
  const bytes = Buffer.concat(chunks.map(({ content }) => content));
  return bytes.subarray(start - first * CHUNK_BYTES, end - first * CHUNK_BYTES);
}

/** The whole file, piece by piece, until the signal is aborted. */
export async function* readFile(
  tx: EntityManager,
  { workspaceId, id }: OperationKey,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    signal.throwIfAborted();
    const [chunk] = await READ.run(tx, [workspaceId, id, number, number]);
    if (!chunk) return;
    yield chunk.content;
  }
}

export async function deleteFile(tx: EntityManager, { workspaceId, id }: OperationKey): Promise<void> {
  await tx.query('DELETE FROM import_chunks WHERE workspace_id = $1 AND operation_id = $2', [workspaceId, id]);
}
