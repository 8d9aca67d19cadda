import { Column, Entity, PrimaryColumn } from 'typeorm';
import { UpdatedAtColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { CellMetrics } from '../column-type/cell-metrics.js';
import type { JsonValue } from '../../platform/json.js';

/** Place and content of a cell. */
abstract class CellRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'column_key', type: 'bigint' })
  columnKey: string;

  @PrimaryColumn({ name: 'row_index', type: 'integer' })
  rowIndex: number;

  @Column({ name: 'execution_id', type: 'uuid', nullable: true })
  executionId: string | null;

  /** SHA-256 over everything the value was computed from. */
  @Column({ name: 'input_hash', type: 'bytea', nullable: true })
  inputHash: Buffer | null;

  @Column({ type: 'jsonb', nullable: true })
  value: JsonValue;

  /** Only where it differs from the text of the value. */
  @Column({ name: 'display_value', type: 'text', nullable: true })
  displayValue: string | null;

  /** Why the last computation failed. The last good value stays beside it. */
  @Column({ type: 'text', nullable: true })
  error: string | null;

  /** Cost and time of computing the value. */
  @Column({ type: 'jsonb', nullable: true })
  metrics: CellMetrics | null;
}

/**
 * The content of a cell and the sheet version that wrote it. A blank text cell and a computed cell that was never
 * computed have no row. The cell's chunk records whether it is stale or failed.
 */
@Entity('cells')
export class Cell extends CellRow {
  @Column({ type: 'integer' })
  version: number;

  @UpdatedAtColumn()
  updatedAt: Date;
}

/** The content of a cell from one version of its sheet up to, but not including, another. */
@Entity('cell_history')
export class CellHistory extends CellRow {
  @Column({ name: 'version_from', type: 'integer' })
  versionFrom: number;

  @PrimaryColumn({ name: 'version_to', type: 'integer' })
  versionTo: number;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt: Date;
}
