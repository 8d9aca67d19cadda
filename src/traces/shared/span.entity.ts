import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { JsonObject } from '../../platform/json.js';
import type { StoredEvent } from '../ingestion/spans.queries.js';
import { MeasuredSpanRow } from './span-rows.js';
import type { SpanKind, SpanLink, SpanSource, SpanStatus } from '../../trace-conventions/index.js';

/** One span, once per (workspace, trace, span) however often it was sent. Times are nanoseconds since the epoch. */
@Entity('spans')
@Index('spans_call_parent_idx', { synchronize: false })
@Index('spans_response_idx', { synchronize: false })
export class Span extends MeasuredSpanRow {
  @Column({ type: 'bigint' })
  id: string;

  @Column({ name: 'request_log_id', type: 'bigint', nullable: true })
  requestLogId: string | null;

  /** The log of another span that is the same call. */
  @Column({ name: 'repeats_log_id', type: 'bigint', nullable: true })
  repeatsLogId: string | null;

  /** How the span came to its request log, see `LOG_LINKS`. */
  @Column({ name: 'log_link', type: 'smallint', default: 0 })
  logLink: number;

  /** The id that the service of the model gave its answer. Only of spans that are calls. */
  @Column({ name: 'response_id', type: 'text', collation: 'C', nullable: true })
  responseId: string | null;

  @Column({ name: 'parent_id', type: 'text', collation: 'C', nullable: true })
  parentId: string | null;

  @Column({ type: 'smallint' })
  kind: SpanKind;

  @Column({ type: 'smallint' })
  status: SpanStatus;

  /** True when characters that cannot be stored were replaced. */
  @Column({ type: 'boolean' })
  sanitized: boolean;

  @Column({ name: 'source_hash', type: 'bytea' })
  sourceHash: Buffer;

  @Column({ name: 'span_type', type: 'text' })
  spanType: string;

  @Column({ type: 'text', nullable: true })
  provider: string | null;

  @Column({ type: 'text', nullable: true })
  model: string | null;

  @Column({ name: 'status_message', type: 'text', nullable: true })
  statusMessage: string | null;

  @Column({ name: 'trace_state', type: 'text' })
  traceState: string;

  @Column({ type: 'jsonb' })
  attributes: JsonObject;

  /** null when there are none. */
  @Column({ type: 'jsonb', nullable: true })
  events: StoredEvent[] | null;

  @Column({ type: 'jsonb', nullable: true })
  links: SpanLink[] | null;
}

/** A resource and a scope, stored once for all the spans that share them. */
@Entity('span_sources')
export class SpanSourceRecord implements SpanSource {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'bytea' })
  hash: Buffer;

  @Column({ type: 'jsonb' })
  resource: SpanSource['resource'];

  @Column({ type: 'jsonb' })
  scope: SpanSource['scope'];

  /** Approximate time at which it was last sent. A process that keeps sending it updates this once an hour. */
  @Column({ name: 'last_seen_at', type: 'timestamptz', default: () => 'now()' })
  lastSeenAt: Date;
}
