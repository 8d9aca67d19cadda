import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { Sheet } from '../grid/shared/sheet.entity.js';
import { SheetCalculation } from './calculation.entity.js';
import type { ScoreResult } from './score-result.js';

/** A calculation of the score of a sheet: the work and its result. */
@Entity('score_calculations')
@Index('score_calculations_queued_key', { synchronize: false })
@Index('score_calculations_open_idx', { synchronize: false })
@Index('score_calculations_sheet_idx', { synchronize: false })
export class ScoreCalculation extends SheetCalculation {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'configuration_id', type: 'uuid' })
  configurationId: string;

  /** The key that requested it: its code takes turns in the sandbox with that of other keys. */
  @Column({ name: 'key_id', type: 'integer', nullable: true })
  keyId: number | null;

  @Column({ type: 'jsonb', nullable: true })
  result: ScoreResult | null;

  /** Time of its result. */
  @Column({ name: 'calculated_at', type: 'timestamptz', precision: 3, nullable: true })
  calculatedAt: Date | null;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'score_calculations_sheet_id_fkey')
  sheet?: Relation<Sheet>;
}
