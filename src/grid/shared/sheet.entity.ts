import { Check, Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import { DeletableRow } from '../../platform/database/common-rows.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { RowSet } from './row-set.js';
import { rowSetColumn } from './row-set.transformer.js';
import type { AutoRecalculate } from './auto-recalculate.js';
import type { SheetOwner } from './sheet-owner.js';

/** A grid of rows and columns. Every change locks its row, so versions are numbered without gaps. */
@Entity('sheets')
@Index('sheets_table_idx', { synchronize: false })
@Check('sheets_owner_check', `(owner = 'table') = (table_id IS NOT NULL)`)
export class Sheet extends DeletableRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text', default: 'table' })
  owner: SheetOwner;

  /** null unless a table is the owner. */
  @Column({ name: 'table_id', type: 'uuid', nullable: true })
  tableId: string | null;

  // Referenced by name, because the grid does not depend on its owners.
  @ManyToOne('Table')
  @JoinInWorkspace('table_id', 'sheets_table_id_fkey')
  table?: Relation<object>;

  @Column({ type: 'text' })
  title: string;

  /** Position among the sheets of the table, from 0. */
  @Column({ type: 'integer' })
  index: number;

  /** How many times the sheet has changed; every change is a version. */
  @Column({ type: 'integer', default: 0 })
  version: number;

  /** The indexes of the rows that exist. Indexes are stable: deleting a row never renumbers others. */
  @Column({ type: 'int4multirange', default: '{}', transformer: rowSetColumn })
  rows: RowSet;

  /** Indexes below this one may be in use by a running import, whose rows are not visible yet. */
  @Column({ name: 'reserved_rows', type: 'integer', default: 0 })
  reservedRows: number;

  /** The stale cells that are computed automatically. */
  @Column({ name: 'auto_recalculate', type: 'text', default: 'off' })
  autoRecalculate: AutoRecalculate;
}
