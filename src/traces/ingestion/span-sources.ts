import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { byteaArray, jsonbArray } from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import type { SpanSource } from '../../trace-conventions/index.js';
import type { IncomingSpan } from './incoming-span.js';

const REMEMBERED = 10_000;
/** Limits of remembered contents, and of the length of one in UTF-16 units. */
const HASHED = { most: 1000, longest: 4096 };
const HASH_BYTES = 16;
/**
 * A source is stored again after this time, because a source that was not seen for a day may be deleted, and an erased
 * one has to be restored.
 */
const REMEMBERED_MS = 3_600_000;

const INSERT = `
  INSERT INTO span_sources (workspace_id, hash, resource, scope)
  SELECT $1, * FROM unnest($2::bytea[], $3::jsonb[], $4::jsonb[])
  ON CONFLICT (workspace_id, hash) DO UPDATE SET
    last_seen_at = excluded.last_seen_at, resource = excluded.resource, scope = excluded.scope`;

interface SourceUse {
  workspaceId: number;
  source: SpanSource;
}

interface SourceRow extends SourceUse {
  hash: Buffer;
}

/**
 * Resources and scopes, which repeat on every span of a process, are stored once per workspace and found by the hash
 * of their content. The hashes already in the database are remembered for an hour, so most batches write none.
 */
export class SpanSources {
  private readonly hashes = new WeakMap<SpanSource, Buffer>();
  /** By content: most requests bring one that came before, and hashing it takes as long as reading a span. */
  private readonly hashed = new Map<string, Buffer>();
  /** By key, when it was stored. */
  private readonly stored = new Map<string, number>();

  hashOf(source: SpanSource): Buffer {
    let hash = this.hashes.get(source);
    if (!hash) {
      hash = this.hashOfContent(JSON.stringify([source.resource, source.scope]));
      this.hashes.set(source, hash);
    }
    return hash;
  }

  areStored(uses: SourceUse[]): boolean {
    return this.missing(uses, Date.now()).size === 0;
  }

  /**
   * Inserts the sources of a batch that are not known to be stored. Returns a function to call after the commit:
   * sources remembered earlier would be missing if the transaction failed.
   */
  async store(tx: EntityManager, spans: IncomingSpan[]): Promise<() => void> {
    const now = Date.now();
    const missing = this.missing(
      spans.map(({ workspaceId, span }) => ({ workspaceId, source: span.source })),
      now,
    );
    if (missing.size === 0) return () => undefined;
    // Sorted, like everything that several transactions may insert at once: unsorted batches deadlock.
    const rows = [...missing.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    await tx.query(INSERT, [
      workspaceOf(rows),
      byteaArray(rows.map((row) => row.hash)),
      jsonbArray(rows.map((row) => JSON.stringify(row.source.resource))),
      jsonbArray(rows.map((row) => JSON.stringify(row.source.scope))),
    ]);
    return () => this.remember(missing.keys(), now);
  }

  private hashOfContent(content: string): Buffer {
    const known = this.hashed.get(content);
    if (known) return known;
    const hash = createHash('sha256').update(content).digest().subarray(0, HASH_BYTES);
    if (content.length <= HASHED.longest) {
      if (this.hashed.size >= HASHED.most) this.hashed.clear();
      this.hashed.set(content, hash);
    }
    return hash;
  }

  private missing(uses: SourceUse[], now: number): Map<string, SourceRow> {
    const missing = new Map<string, SourceRow>();
    let last: SourceRow | undefined;
    for (const { workspaceId, source } of uses) {
      // Spans of one request share their source.
      if (last?.source === source && last.workspaceId === workspaceId) continue;
      last = { workspaceId, hash: this.hashOf(source), source };
      const key = `${workspaceId}:${last.hash.toString('latin1')}`;
      if ((this.stored.get(key) ?? 0) < now - REMEMBERED_MS) missing.set(key, last);
    }
    return missing;
  }

  private remember(keys: Iterable<string>, now: number): void {
    if (this.stored.size > REMEMBERED) this.stored.clear();
    for (const key of keys) this.stored.set(key, now);
  }
}
