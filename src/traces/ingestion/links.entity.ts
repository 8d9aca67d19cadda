import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';

/** A span id that a request log names as its own. The row is also the lock under which logs and spans find each other. */
@Entity('log_claims')
export class LogClaim {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'span_id', type: 'text', collation: 'C' })
  spanId: string;

  /** null while only spans have arrived. */
  @Column({ name: 'log_id', type: 'bigint', nullable: true })
  logId: string | null;
}

/** A span that belongs to the request log which names `requestSpanId`: the span of that id, or one managed by it. */
@Entity('linkable_spans')
@Index('linkable_spans_trace_idx', ['workspaceId', 'traceId'])
export class LinkableSpan {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'request_span_id', type: 'text', collation: 'C' })
  requestSpanId: string;

  @PrimaryColumn({ name: 'trace_id', type: 'text', collation: 'C' })
  traceId: string;

  @PrimaryColumn({ name: 'span_id', type: 'text', collation: 'C' })
  spanId: string;
}
