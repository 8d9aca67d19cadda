import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { textArray } from '../../platform/database/binary-arrays.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { isoFromNanoseconds } from '../../platform/time.js';
import {
  findTracesAmong,
  publishTraceScores,
  readTraceDetails,
  readTraceQuery,
  readTraceTexts,
  type TraceDetails,
  type TraceTexts,
} from '../../traces/index.js';
import { FeedErrors } from '../shared/feeds.errors.js';
import {
  FeedsFrom,
  type FeedSource,
  type ItemFacts,
  type ItemQuery,
  type ItemScore,
  type StoredItem,
  type StoredRange,
  type WantedFields,
  noField,
} from '../shared/feed-source.js';

const ID = 'trace_id';

type ReadField = (trace: TraceDetails, texts: TraceTexts | undefined) => JsonValue;

/** Fields of a trace that can become columns, by their name in the API. */
const FIELDS: Record<string, ReadField> = {
  trace_id: ({ trace_id: id }) => id,
  input: ({ first_input: first }, texts) => texts?.input ?? first,
  output: ({ last_output: last }, texts) => texts?.output ?? last,
  name: ({ name, root_name: root }) => name ?? root,
  status: ({ status }) => status,
  error: (_, texts) => texts?.error ?? null,
  start_time: ({ start_ns: start }) => isoFromNanoseconds(BigInt(start)),
  duration_ms: ({ start_ns: start, end_ns: end }) =>
    end === null ? null : Math.max(0, Number(BigInt(end) - BigInt(start)) / 1e6),
  cost: ({ cost }) => Number(cost),
  input_tokens: ({ input_tokens: tokens }) => Number(tokens),
  output_tokens: ({ output_tokens: tokens }) => Number(tokens),
  span_count: ({ span_count: count }) => count,
  error_count: ({ error_count: count }) => count,
  models: ({ models_used: models }) => models,
  tools: ({ tool_names: tools }) => tools,
  user_id: ({ user_id: id }) => id,
  session_id: ({ session_id: id }) => id,
  tags: ({ tags }) => tags,
  metadata: ({ metadata }) => metadata,
  environment: ({ environment }) => environment,
};

/** Feeds of traces: a row for each trace, with the input and the output of its root span. */
@FeedsFrom('traces')
@Injectable()
export class TracesSource implements FeedSource {
  check({ filterGroup, q }: ItemQuery, { fields, variables }: WantedFields): void {
    readTraceQuery({ filterGroup, q });
    if (variables.length > 0) throw FeedErrors.feed_inconsistent('traces have no variables. Name fields.');
    const unknown = fields.find((name) => !Object.hasOwn(FIELDS, name));
    if (unknown !== undefined) throw noField('traces', unknown, Object.keys(FIELDS));
  }

  titles({ fields }: WantedFields): string[] {
    return [...new Set([ID, 'input', 'output', ...fields])];
  }

  async facts(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, ItemFacts>> {
    const rows = await tx.query<ItemFacts[]>(
      `SELECT trace_id AS id, trace_id AS "sampleKey", origin, to_timestamp(start_ns / 1e9) AS "beganAt", created_at AS "storedAt"
         FROM traces WHERE workspace_id = $1 AND trace_id = ANY($2::text[]) AND span_count > 0`,
      [workspaceId, textArray(ids)],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  matching(tx: EntityManager, workspaceId: number, query: ItemQuery, ids: string[]): Promise<string[]> {
    return findTracesAmong(tx, workspaceId, query, ids);
  }

  /** Bytes of the root span's texts. Texts of other spans are read only if the root has none. */
  async sizes(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, number>> {
    const rows = await tx.query<{ id: string; size: number }[]>(
      `SELECT x.trace_id AS id, coalesce(pg_column_size(d.input), 0) + coalesce(pg_column_size(d.output), 0) AS size
         FROM trace_search x
         JOIN span_search d ON d.workspace_id = $1 AND d.trace_id = x.trace_id AND d.span_id = x.root_span_id
        WHERE x.workspace_id = $1 AND x.trace_id = ANY($2::text[])`,
      [workspaceId, textArray(ids)],
    );
    return new Map(rows.map(({ id, size }) => [id, size]));
  }

  async read(tx: EntityManager, workspaceId: number, wanted: WantedFields, ids: string[]) {
    const titles = this.titles(wanted);
    const texts = await readTraceTexts(tx, workspaceId, ids);
    const traces = await readTraceDetails(tx, workspaceId, ids);
    return new Map(
      traces.map((trace): [string, JsonObject] => {
        const values = titles.map((title) => [title, FIELDS[title]!(trace, texts.get(trace.trace_id))] as const);
        return [trace.trace_id, Object.fromEntries(values)];
      }),
    );
  }

  stored(
    tx: EntityManager,
    workspaceId: number,
    { from, until }: StoredRange,
    { after, order, limit }: { after: StoredItem | null; order: 'asc' | 'desc'; limit: number },
  ): Promise<StoredItem[]> {
    const beyond = order === 'asc' ? '>' : '<';
    return tx.query(
      `SELECT t.trace_id AS id, t.start_ns::text AS at FROM traces t
        WHERE t.workspace_id = $1 AND t.span_count > 0 AND t.start_ns >= ${nanoseconds('$2')} AND t.start_ns < ${nanoseconds('$3')}
          AND EXISTS (SELECT FROM trace_search x WHERE x.workspace_id = $1 AND x.trace_id = t.trace_id)
          AND ($4::bigint IS NULL OR (t.start_ns, t.trace_id) ${beyond} ($4::bigint, $5::text COLLATE "C"))
        ORDER BY t.start_ns ${order}, t.trace_id ${order} LIMIT $6::int`,
      [workspaceId, from, until, after?.at ?? null, after?.id ?? null, limit],
    );
  }

  async count(tx: EntityManager, workspaceId: number, { from, until }: StoredRange): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM traces
        WHERE workspace_id = $1 AND span_count > 0 AND start_ns >= ${nanoseconds('$2')} AND start_ns < ${nanoseconds('$3')}`,
      [workspaceId, from, until],
    );
    return row!.count;
  }

  publish(tx: EntityManager, workspaceId: number, scores: ItemScore[]): Promise<void> {
    return publishTraceScores(
      tx,
      workspaceId,
      scores.map(({ id, ...score }) => ({ traceId: id, ...score })),
    );
  }
}

/** A moment in nanoseconds, within what a bigint holds: traces can begin only then. */
const nanoseconds = (parameter: string): string =>
  `(least(greatest(extract(epoch FROM ${parameter}::timestamptz), -9223372036), 9223372036) * 1000000000)::bigint`;
