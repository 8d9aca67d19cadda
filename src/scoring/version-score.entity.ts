import { Column, Entity, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { Sheet } from '../grid/shared/sheet.entity.js';
import type { VersionScoreType } from './score-result.js';

/** The score of a sheet at one of its versions: the newest one that was calculated from it. */
@Entity('version_scores')
export class VersionScore {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @PrimaryColumn({ type: 'integer' })
  version: number;

  @Column({ type: 'double precision' })
  score: number;

  @Column({ name: 'score_type', type: 'text' })
  scoreType: VersionScoreType;

  /** The kind of calculation that gave the score. */
  @Column({ type: 'text' })
  source: 'score' | 'scorecard';

  @Column({ name: 'calculated_at', type: 'timestamptz', precision: 3 })
  calculatedAt: Date;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'version_scores_sheet_id_fkey')
  sheet?: Relation<Sheet>;
}
