import { Column } from 'typeorm';
import { WorkRow } from '../platform/work/work-row.js';

export type CalculationStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

/** What every table of calculations of sheets has besides its keys and its result: the work and what came of it. */
export abstract class SheetCalculation extends WorkRow {
  /** The later one is the one that was asked for later. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  number: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @Column({ type: 'text' })
  status: CalculationStatus;

  /** Why it failed. */
  @Column({ type: 'text', nullable: true })
  error: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
