import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { Sheet } from '../grid/shared/sheet.entity.js';
import type { ScoreConfig, ScoringType } from './score-config.js';

/** The score settings of a sheet from one of its versions up to, but not including, another. */
@Entity('score_configurations')
@Index('score_configurations_id_key', ['workspaceId', 'id'], { unique: true })
export class ScoreConfiguration {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @PrimaryColumn({ name: 'version_from', type: 'integer' })
  versionFrom: number;

  /** null for the current one. */
  @Column({ name: 'version_to', type: 'integer', nullable: true })
  versionTo: number | null;

  @Column({ type: 'uuid' })
  id: string;

  @Column({ name: 'score_type', type: 'text' })
  scoreType: ScoringType;

  @Column({ type: 'jsonb' })
  config: ScoreConfig;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'score_configurations_sheet_id_fkey')
  sheet?: Relation<Sheet>;
}
