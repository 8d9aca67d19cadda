import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { JsonObject } from '../../platform/json.js';
import type { ResolvedEdge } from './references.js';

/** The state of a column from one version of its sheet up to, but not including, another. */
@Entity('column_history')
export class ColumnHistory {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @PrimaryColumn({ name: 'column_id', type: 'uuid' })
  columnId: string;

  @Column({ name: 'version_from', type: 'integer' })
  versionFrom: number;

  @PrimaryColumn({ name: 'version_to', type: 'integer' })
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
