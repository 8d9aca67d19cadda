import { Column, Entity, Index, ManyToOne, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { Sheet } from '../grid/shared/sheet.entity.js';
import type { ScoreConfig, ScoringType } from './score-config.js';
import { SheetSetting } from './sheet-setting.entity.js';

/** The score settings of a sheet from one of its versions up to, but not including, another. */
@Entity('score_configurations')
@Index('score_configurations_id_key', ['workspaceId', 'id'], { unique: true })
export class ScoreConfiguration extends SheetSetting {
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
