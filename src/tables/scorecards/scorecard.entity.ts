import { Column, Entity, ManyToOne, type Relation } from 'typeorm';
import { CreatedAtColumn, UpdatedAtColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { JsonObject } from '../../platform/json.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import { SheetSetting } from '../../scoring/index.js';
import type { Aggregation, StepSettings } from './scorecard-config.js';

/**
 * The scorecard of a sheet from one of its versions up to, but not including, another. Each of its steps is a column of
 * the sheet with the owner `scorecard`; this row has everything else.
 */
@Entity('scorecards')
export class Scorecard extends SheetSetting {
  /** Stays the same when the scorecard is changed; a new one after a deletion has another. */
  @Column({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'jsonb' })
  aggregation: Aggregation;

  @Column({ name: 'evaluated_column_ids', type: 'jsonb' })
  evaluatedColumnIds: string[];

  @Column({ name: 'display_config', type: 'jsonb', nullable: true })
  displayConfig: JsonObject | null;

  @Column({ name: 'baseline_config', type: 'jsonb', nullable: true })
  baselineConfig: JsonObject | null;

  /** In the order they are shown. */
  @Column({ type: 'jsonb' })
  steps: StepSettings[];

  @CreatedAtColumn()
  createdAt: Date;

  @UpdatedAtColumn()
  updatedAt: Date;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'scorecards_sheet_id_fkey')
  sheet?: Relation<Sheet>;
}
