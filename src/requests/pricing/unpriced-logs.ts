import type { EntityManager } from 'typeorm';
import type { TokenUsage } from '../../llm/shared/token-usage.js';
import { float8Array, int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';

/** The facts of a stored call without a price that its price depends on. */
export interface UnpricedCall {
  id: string;
  traceId: string | null;
  provider: string;
  model: string;
  startMs: number;
  /** Null when the call reports no tokens, or when it is unknown whether counts include each other. */
  usage: TokenUsage | null;
  /** Changes with every change of the log. */
  version: string;
}

/** Selects calls without a price: those after an id, or those with these ids. */
interface Wanted {
  workspaceId: number;
  after: string;
  since: Date | null;
  limit: number;
}

interface UnpricedRow {
  id: string;
  trace_id: string | null;
  provider: string;
  model: string;
  start_ms: number;
  input: number | null;
  output: number | null;
  cached: number | null;
  cache_write: number | null;
  thinking: number | null;
  version: string;
}

const READ = new Statement<UnpricedRow>(`
  SELECT l.id::text, l.trace_id, l.provider, l.model, extract(epoch FROM l.request_start_time)::float8 * 1000 AS start_ms,
         l.input_tokens AS input, l.output_tokens AS output, l.cached_tokens AS cached, l.cache_write_tokens AS cache_write,
         l.thinking_tokens AS thinking, l.xmin::text AS version
    FROM request_logs l
   WHERE l.workspace_id = $1 AND l.price IS NULL AND l.id > $2::bigint
     AND l.request_start_time >= coalesce($3::timestamptz, '-infinity')
   ORDER BY l.id LIMIT $4`);

/** A log that was changed meanwhile is skipped: the change has priced it. */
const PRICE = new Statement<{ id: string; trace_id: string | null }>(`
  UPDATE request_logs l SET price = n.price, priced_by = 'table'
    FROM unnest($2::bigint[], $3::float8[], $4::text[]) AS n (id, price, version)
   WHERE l.workspace_id = $1 AND l.id = n.id AND l.price IS NULL AND l.xmin::text = n.version
  RETURNING l.id::text, l.trace_id`);

/** Vendors that count cached tokens separately from those of the input. Their traces may include them. */
const COUNTS_CACHE_BESIDE = /anthropic|bedrock/;

/**
 * Request logs without a price, for other domains that price them later. Call the `SearchNotifier` after the commit.
 */
export const UnpricedLogs = {
  async read(db: EntityManager, { workspaceId, after, since, limit }: Wanted): Promise<UnpricedCall[]> {
    const rows = await READ.run(db, [workspaceId, after, since, limit]);
    return rows.map((row) => ({
      id: row.id,
      traceId: row.trace_id,
      provider: row.provider,
      model: row.model,
      startMs: row.start_ms,
      usage: usageOf(row),
      version: row.version,
    }));
  },

  /** Returns the logs that now have their price. */
  async price(
    tx: EntityManager,
    workspaceId: number,
    calls: { id: string; version: string; price: number }[],
  ): Promise<{ id: string; traceId: string | null }[]> {
    const rows = await PRICE.run(tx, [
      workspaceId,
      int8Array(calls.map(({ id }) => BigInt(id))),
      float8Array(calls.map(({ price }) => price)),
      textArray(calls.map(({ version }) => version)),
    ]);
    return rows.map(({ id, trace_id: traceId }) => ({ id, traceId }));
  },
};

function usageOf({
  provider,
  input,
  output,
  cached,
  cache_write: cacheWrite,
  thinking,
}: UnpricedRow): TokenUsage | null {
  if (input === null && output === null) return null;
  const inCaches = (cached ?? 0) + (cacheWrite ?? 0);
  const cacheExclusive = inCaches > (input ?? 0);
  // Whether they are included in the input is not stored.
  if (inCaches > 0 && !cacheExclusive && COUNTS_CACHE_BESIDE.test(provider)) return null;
  return { input, output, cached, cacheWrite, thinking, cacheExclusive };
}
