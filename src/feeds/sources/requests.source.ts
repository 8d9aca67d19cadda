import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { sendTogether } from '../../platform/database/send-together.js';
import type { JsonObject } from '../../platform/json.js';
import { findMatchesAmong, LogStore, trackScore } from '../../requests/index.js';
import {
  isRequestLogField,
  LogRows,
  type NamedColumns,
  REQUEST_LOG_FIELDS,
  titlesOf,
  toRequestLogImport,
} from '../../imports/index.js';
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

const ID = 'request_id';

const columnsOf = ({ fields, variables }: WantedFields): NamedColumns => ({ variables, fields: [ID, ...fields] });

/** Feeds of request logs. Their fields are those of imports. */
@FeedsFrom('requests')
@Injectable()
export class RequestsSource implements FeedSource {
  constructor(private readonly rows: LogRows) {}

  check({ filterGroup, q }: ItemQuery, { fields, variables }: WantedFields): void {
    const unknown = fields.find((name) => !isRequestLogField(name));
    if (unknown !== undefined) throw noField('requests', unknown, REQUEST_LOG_FIELDS);
    toRequestLogImport({
      filter_group: filterGroup as JsonObject | null,
      q,
      variables_to_parse: variables,
      include_fields: [ID, ...fields],
    });
  }

  titles(wanted: WantedFields): string[] {
    return [...new Set([ID, ...titlesOf(columnsOf(wanted))])];
  }

  /** Calls of one trace are chosen together, with the trace. */
  async facts(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, ItemFacts>> {
    const rows = await tx.query<ItemFacts[]>(
      `SELECT id::text, coalesce(trace_id, id::text) AS "sampleKey", request_start_time AS "beganAt", created_at AS "storedAt", origin
         FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[])`,
      [workspaceId, int8Array(ids.map(Number))],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  matching(tx: EntityManager, workspaceId: number, query: ItemQuery, ids: string[]): Promise<string[]> {
    return findMatchesAmong(tx, workspaceId, query, ids);
  }

  async sizes(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, number>> {
    const sizes = await LogStore.readSizes(tx, workspaceId, ids.map(Number));
    return new Map([...sizes].map(([id, size]) => [String(id), size]));
  }

  async read(tx: EntityManager, workspaceId: number, wanted: WantedFields, ids: string[]) {
    const rows = await this.rows.readNamed(tx, workspaceId, columnsOf(wanted), ids.map(Number));
    // A variable may have the name of the id.
    return new Map([...rows].map(([id, row]): [string, JsonObject] => [String(id), { ...row, [ID]: id }]));
  }

  stored(
    tx: EntityManager,
    workspaceId: number,
    { from, until }: StoredRange,
    { after, order, limit }: { after: StoredItem | null; order: 'asc' | 'desc'; limit: number },
  ): Promise<StoredItem[]> {
    const beyond = order === 'asc' ? '>' : '<';
    return tx.query(
      `SELECT l.id::text, l.request_start_time::text AS at FROM request_logs l
        WHERE l.workspace_id = $1 AND l.request_start_time >= $2::timestamptz AND l.request_start_time < $3::timestamptz
          AND ($4::timestamptz IS NULL OR (l.request_start_time, l.id) ${beyond} ($4::timestamptz, $5::bigint))
        ORDER BY l.request_start_time ${order}, l.id ${order} LIMIT $6::int`,
      [workspaceId, from, until, after?.at ?? null, after?.id ?? null, limit],
    );
  }

  async count(tx: EntityManager, workspaceId: number, { from, until }: StoredRange): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM request_logs
        WHERE workspace_id = $1 AND request_start_time >= $2::timestamptz AND request_start_time < $3::timestamptz`,
      [workspaceId, from, until],
    );
    return row!.count;
  }

  async publish(tx: EntityManager, workspaceId: number, scores: ItemScore[]): Promise<void> {
    const ids = scores.map(({ id }) => Number(id));
    const rows = await tx.query<{ id: string }[]>(
      'SELECT id::text FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[]) ORDER BY id FOR KEY SHARE',
      [workspaceId, int8Array(ids)],
    );
    const known = new Set(rows.map(({ id }) => id));
    const stored = scores.filter(({ id }) => known.has(id));
    await sendTogether(
      tx,
      stored.map(({ id, name, score }) => trackScore({ workspaceId, logId: Number(id), name, score })),
    );
  }
}
