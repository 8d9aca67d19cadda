import { Column, Entity, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { UpdatedAtColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';

/** The view of a sheet, for all users. It is no part of the content: changing it makes no version. */
@Entity('sheet_views')
export class SheetView {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  /** Ids may belong to deleted columns, which a restored version brings back. */
  @Column({ type: 'uuid', array: true })
  hidden: string[];

  @Column({ type: 'uuid', array: true })
  pinned: string[];

  /** Pixels by column. */
  @Column({ type: 'jsonb' })
  widths: Record<string, number>;

  /** Number of text lines in a row. */
  @Column({ name: 'row_lines', type: 'smallint', default: 1 })
  rowLines: number;

  @UpdatedAtColumn()
  updatedAt: Date;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'sheet_views_sheet_id_fkey')
  sheet?: Relation<Sheet>;
}

/** A view without deleted columns. */
export type ShownView = Pick<SheetView, 'hidden' | 'pinned' | 'widths' | 'rowLines'> & { updatedAt: Date | null };
