import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import type { ResolvedEdge } from './references.js';

/** The state of a column from one version of its sheet up to, but not including, another. */
@Entity('column_history')
export class ColumnHistory {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'column_history_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid', primaryKeyConstraintName: 'column_history_pkey' })
  sheetId: string;

  @PrimaryColumn({ name: 'column_id', type: 'uuid', primaryKeyConstraintName: 'column_history_pkey' })
  columnId: string;

  @Column({ name: 'version_from', type: 'integer' })
  versionFrom: number;

  @PrimaryColumn({ name: 'version_to', type: 'integer', primaryKeyConstraintName: 'column_history_pkey' })
  versionTo: number;

  @Column({ type: 'text' })
  title: string;

  @Column({ type: 'text' })
  type: string;

  @Column({ type: 'jsonb' })
  config: JsonObject;

  /** Its edges then, in the order of `column_edges.ordinal`. */
  @Column({ type: 'jsonb' })
  edges: ResolvedEdge[];

  @Column({ name: 'position_rank', type: 'integer' })
  positionRank: number;

  @Column({ name: 'is_output_column', type: 'boolean' })
  isOutputColumn: boolean;
}
