import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { ReviewItem } from './review-item.entity.js';
import type { Answer, Answers } from './rubric.js';

const ITEM = { foreignKeyConstraintName: 'review_answers_item_id_fkey' };

/** The answer of a reviewer to an item. */
@Entity('review_answers')
export class ReviewAnswer {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'queue_id', type: 'uuid' })
  queueId: string;

  @PrimaryColumn({ name: 'item_id', type: 'uuid' })
  itemId: string;

  /** See `reviewerOf`. */
  @PrimaryColumn({ type: 'text' })
  reviewer: string;

  /** The key or the member that was used. */
  @Column({ name: 'key_id', type: 'integer', nullable: true })
  keyId: number | null;

  /** To the first question; null when the reviewer skipped the item or withdrew an answer. */
  @Column({ type: 'jsonb', nullable: true })
  answer: Answer | null;

  /** To the questions after the first one, by name. */
  @Column({ name: 'more_answers', type: 'jsonb', nullable: true })
  moreAnswers: Answers | null;

  @Column({ type: 'text', nullable: true })
  comment: string | null;

  /** Whether it was changed, withdrawn or given again when the answer of another reviewer or of a judge could be seen. */
  @Column({ type: 'boolean', default: false })
  revised: boolean;

  @Column({ name: 'answered_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  answeredAt: Date;

  @ManyToOne(() => ReviewItem)
  @JoinColumn([
    { name: 'workspace_id', referencedColumnName: 'workspaceId', ...ITEM },
    { name: 'queue_id', referencedColumnName: 'queueId', ...ITEM },
    { name: 'item_id', referencedColumnName: 'id', ...ITEM },
  ])
  item?: Relation<ReviewItem>;
}
