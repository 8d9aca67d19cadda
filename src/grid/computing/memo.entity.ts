import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { JsonValue } from '../../platform/json.js';
import type { CellMetrics } from '../column-type/cell-metrics.js';

/**
 * An external result, stored for cells with the same inputs, so that it is paid for once. The key is the digest of
 * everything the result depends on.
 */
@Entity('cell_memo')
@Index('cell_memo_computed_idx', ['computedAt'])
export class CellMemo {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'bytea' })
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
