import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { SpanRow } from '../shared/span-rows.js';

/**
 * Event of a span that came as a log record. It is kept for as long as the span may be sent, or sent again without it.
 */
@Entity('span_log_events')
@Index('span_log_events_received_idx', ['workspaceId', 'receivedAt'])
export class SpanLogEvent extends SpanRow {
  /** Hash of the content: an event that is sent again is the same event. */
  @PrimaryColumn({ type: 'bytea' })
  hash: Buffer;

  @Column({ name: 'time_ns', type: 'bigint' })
  timeNs: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'jsonb' })
  attributes: JsonObject;

  @Column({ name: 'received_at', type: 'timestamptz', default: () => 'now()' })
  receivedAt: Date;
}
