import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';

export const ARRIVAL_KINDS = ['requests', 'traces'] as const;
export type ArrivalKind = (typeof ARRIVAL_KINDS)[number];

/** A log of arrivals with readers. Without this row no entries are written. */
@Entity('arrival_logs')
export class ArrivalLog {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'text' })
  kind: ArrivalKind;

  /** The number of the last entry. */
  @Column({ name: 'last_seq', type: 'bigint', default: '0' })
  lastSeq: string;
}

/** An entry: a request log that was stored, or a trace that was closed or has been quiet. */
@Entity('arrivals')
@Index('arrivals_item_idx', ['workspaceId', 'kind', 'itemId'])
export class Arrival {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'text' })
  kind: ArrivalKind;

  /** Its place. Entries with a lower number were committed before. */
  @PrimaryColumn({ type: 'bigint' })
  seq: string;

  @Column({ name: 'item_id', type: 'text', collation: 'C' })
  itemId: string;

  @Column({ name: 'arrived_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  arrivedAt: Date;

  /** Only for readers that wait this long for a trace to be quiet; null for all readers. */
  @Column({ name: 'quiet_seconds', type: 'integer', nullable: true })
  quietSeconds: number | null;

  /** Readers with these waits have had an entry of the trace before. */
  @Column({ type: 'integer', array: true, default: '{}' })
  known: number[];

  /** Readers with these waits have had one since the trace grew last. */
  @Column({ type: 'integer', array: true, default: '{}' })
  current: number[];
}

/** A trace that has grown since its last entry for readers with some quiet time. */
@Entity('open_traces')
@Index('open_traces_changed_idx', ['workspaceId', 'changedAt'])
export class OpenTrace {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'trace_id', type: 'text', collation: 'C' })
  traceId: string;

  /** When it grew last. */
  @Column({ name: 'changed_at', type: 'timestamptz', default: () => 'now()' })
  changedAt: Date;

  @Column({ name: 'span_count', type: 'integer' })
  spanCount: number;

  /** The waits of readers that have had an entry since. */
  @Column({ name: 'arrived_waits', type: 'integer', array: true, default: '{}' })
  arrivedWaits: number[];
}
