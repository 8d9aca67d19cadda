import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { SheetColumn } from '../columns/column.entity.js';

/** A COMPOSITION column and the column of another sheet that it mirrors. */
@Entity('composition_links')
@Index('composition_links_source_idx', ['workspaceId', 'sourceSheetId'])
export class CompositionLink {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'column_id', type: 'uuid' })
  columnId: string;

  @ManyToOne(() => SheetColumn)
  @JoinInWorkspace('column_id', 'composition_links_column_id_fkey')
  column?: Relation<SheetColumn>;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @Column({ name: 'source_sheet_id', type: 'uuid' })
  sourceSheetId: string;

  @Column({ name: 'source_column_id', type: 'uuid' })
  sourceColumnId: string;

  @ManyToOne(() => SheetColumn)
  @JoinInWorkspace('source_column_id', 'composition_links_source_column_id_fkey')
  sourceColumn?: Relation<SheetColumn>;

  /** The version of the source sheet that the column shows; null before it was filled. */
  @Column({ name: 'seen_version', type: 'integer', nullable: true })
  seenVersion: number | null;
}
