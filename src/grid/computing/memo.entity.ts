import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { JsonValue } from '../../platform/json.js';
import type { CellMetrics } from '../cells/cell-metrics.js';

/**
 * An external result, stored for cells with the same inputs, so that it is paid for once. The key is the digest of
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

  /** The operation that computed it, if that asked for new results. */
  @Column({ type: 'uuid', nullable: true })
  origin: string | null;

  @Column({ name: 'computed_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  computedAt: Date;
}
