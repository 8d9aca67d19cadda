import { Column } from 'typeorm';
import { CreatedAtColumn } from '../platform/database/common-columns.js';
import { WorkRow } from '../platform/work/work-row.js';

export type CalculationStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

/** The columns of all tables of calculations besides their keys and results: the work and its outcome. */
export abstract class SheetCalculation extends WorkRow {
  /** Order of the requests. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  number: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @Column({ type: 'text' })
  status: CalculationStatus;

  /** The reason why it failed. */
  @Column({ type: 'text', nullable: true })
  error: string | null;

  @CreatedAtColumn()
  createdAt: Date;
}
