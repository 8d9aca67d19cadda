import { Column, Entity, ManyToOne, type Relation, Unique } from 'typeorm';
import { CreatedByColumn, IdentityColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import { TimestampedRow } from '../../platform/database/common-rows.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { PromptLabel } from '../shared/prompt.entity.js';
import type { Segment, Share } from './choose-version.js';

/** Splits the requests for a release label between versions of its prompt. Where the label points does not matter meanwhile. */
@Entity('ab_releases')
@Unique('ab_releases_label_key', ['workspaceId', 'promptLabelId'])
export class AbRelease extends TimestampedRow {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'prompt_label_id', type: 'integer' })
  promptLabelId: number;

  @ManyToOne(() => PromptLabel, { onDelete: 'CASCADE' })
  @JoinInWorkspace('prompt_label_id', 'ab_releases_prompt_label_id_fkey')
  label?: Relation<PromptLabel>;

  @CreatedByColumn()
  createdBy: number | null;

  @Column({ type: 'json' })
  split: Share[];

  /** In the order in which they are tried. */
  @Column({ type: 'json' })
  segments: Segment[];
}
