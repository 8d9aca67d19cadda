import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import { DeletableRow } from '../../platform/database/common-rows.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { JsonObject } from '../../platform/json.js';
import type { ColumnGuard } from './column-guard.js';
import type { ColumnOwner } from '../shared/sheet-owner.js';
import { Sheet } from '../shared/sheet.entity.js';

/** A column of a sheet. Cells refer to it by `key`, which is shorter than its id. */
@Entity('sheet_columns')
@Index('sheet_columns_key_key', ['workspaceId', 'key'], { unique: true })
@Index('sheet_columns_sheet_idx', { synchronize: false })
export class SheetColumn extends DeletableRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  key: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'sheet_columns_sheet_id_fkey')
  sheet?: Relation<Sheet>;

  @Column({ type: 'text', default: 'sheet' })
  owner: ColumnOwner;

  @Column({ type: 'text' })
  title: string;

  /** The name of a column type, such as CONTAINS. */
  @Column({ type: 'text' })
  type: string;

  /**
   * The config that the caller sent; references in it may be titles. `column_edges` has the columns that they refer to.
   */
  @Column({ type: 'jsonb' })
  config: JsonObject;

  /** Set for steps of runs: decides whether a cell is computed. Such columns never change. */
  @Column({ type: 'jsonb', nullable: true })
  guard: ColumnGuard | null;

  /** Columns are shown in ascending order. Whole numbers with gaps. */
  @Column({ name: 'position_rank', type: 'integer' })
  positionRank: number;

  @Column({ name: 'is_output_column', type: 'boolean' })
  isOutputColumn: boolean;

  /** The sheet version of the column's last change. */
  @Column({ type: 'integer' })
  version: number;
}

/** One use of a column by another: the source, and its place in the config of the dependent. */
@Entity('column_edges')
@Index('column_edges_sheet_idx', ['workspaceId', 'sheetId'])
export class ColumnEdge {
  @WorkspaceColumn()
  workspaceId: number;

  /** The column that depends. */
  @PrimaryColumn({ name: 'column_id', type: 'uuid' })
  columnId: string;

  @PrimaryColumn({ type: 'smallint' })
  ordinal: number;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  /** The column it reads. */
  @Column({ name: 'source_id', type: 'uuid' })
  sourceId: string;

  /** null for a dependency that is not in the config: it affects only order and staleness. */
  @Column({ name: 'config_key', type: 'text', nullable: true })
  configKey: string | null;

  /** The place in a list (`position`) or map (`variable_name`). */
  @Column({ name: 'config_meta', type: 'jsonb', nullable: true })
  configMeta: JsonObject | null;

  @ManyToOne(() => SheetColumn)
  @JoinInWorkspace('column_id', 'column_edges_column_id_fkey')
  column?: Relation<SheetColumn>;

  @ManyToOne(() => SheetColumn)
  @JoinInWorkspace('source_id', 'column_edges_source_id_fkey')
  source?: Relation<SheetColumn>;
}
