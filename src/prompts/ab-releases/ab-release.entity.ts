import { Column, Entity, ManyToOne, PrimaryColumn, type Relation, Unique } from 'typeorm';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { PromptLabel } from '../registry/prompt.entity.js';
import type { Segment, Share } from './choose-version.js';

const PKEY = { primaryKeyConstraintName: 'ab_releases_pkey' };

/** Splits the requests for a release label between versions of its prompt. Where the label points does not matter meanwhile. */
@Entity('ab_releases')
@Unique('ab_releases_label_key', ['workspaceId', 'promptLabelId'])
export class AbRelease {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', ...PKEY })
  workspaceId: number;

  @PrimaryColumn({ type: 'integer', generated: 'identity', generatedIdentity: 'ALWAYS', ...PKEY })
  id: number;

  @Column({ name: 'prompt_label_id', type: 'integer' })
  promptLabelId: number;

  @ManyToOne(() => PromptLabel, { onDelete: 'CASCADE' })
  @JoinInWorkspace('prompt_label_id', 'ab_releases_prompt_label_id_fkey')
  label?: Relation<PromptLabel>;

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ type: 'json' })
  split: Share[];

  /** In the order in which they are tried. */
  @Column({ type: 'json' })
  segments: Segment[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
