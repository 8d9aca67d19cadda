import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { JsonValue } from '../../platform/json.js';
import type { CellMetrics } from '../cells/cell-metrics.js';

/**
 * A result from outside, kept for cells with the same inputs: nothing is paid for twice. The key is the digest of
 * everything the result depends on.
 */
@Entity('cell_memo')
@Index('cell_memo_computed_idx', ['computedAt'])
export class CellMemo {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'cell_memo_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'cell_memo_pkey' })
  key: Buffer;

  @Column({ type: 'jsonb', nullable: true })
  value: JsonValue;

  @Column({ type: 'jsonb', nullable: true })
  metrics: CellMetrics | null;

  /** The operation it was computed in, where that asked again. */
  @Column({ type: 'uuid', nullable: true })
  origin: string | null;

  @Column({ name: 'computed_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  computedAt: Date;
}
