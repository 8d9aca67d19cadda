import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { CreatedAtColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { JsonObject } from '../../platform/json.js';
import type { RowSet } from './row-set.js';
import { rowSetColumn } from './row-set.transformer.js';
import { Sheet } from './sheet.entity.js';

/** One change of a sheet. The history tables have the state of the sheet at its number. */
@Entity('sheet_versions')
@Index('sheet_versions_id_key', ['workspaceId', 'id'], { unique: true })
export class SheetVersion {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @PrimaryColumn({ type: 'integer' })
  number: number;

  @Column({ type: 'uuid' })
  id: string;

  /** null for a version nobody named. */
  @Column({ type: 'text', nullable: true })
  name: string | null;

  @Column({ name: 'created_by', type: 'text', nullable: true })
  createdBy: string | null;

  @CreatedAtColumn()
  createdAt: Date;

  /** The rows that existed. */
  @Column({ type: 'int4multirange', transformer: rowSetColumn })
  rows: RowSet;

  @Column({ type: 'jsonb' })
  deltas: JsonObject[];

  /** The title of the sheet and its position then; null in versions from before these columns. */
  @Column({ type: 'text', nullable: true })
  title: string | null;

  @Column({ type: 'integer', nullable: true })
  index: number | null;

  /** The version that this one restored; null for any other change. */
  @Column({ name: 'source_version_id', type: 'uuid', nullable: true })
  sourceVersionId: string | null;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'sheet_versions_sheet_id_fkey')
  sheet?: Relation<Sheet>;
}
