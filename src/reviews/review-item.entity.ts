import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import type { Answer, Answers } from './rubric.js';
import { ReviewQueue } from './review-queue.entity.js';

/** `disagreement`: all reviewers have answered, but there is no result. */
export const ITEM_STATES = ['open', 'finished', 'disagreement'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** A row, a request or a trace that people review. Only its id is stored. */
@Entity('review_items')
@Index('review_items_subject_key', ['workspaceId', 'queueId', 'subjectId'], { unique: true })
@Index('review_items_ordinal_key', ['workspaceId', 'queueId', 'ordinal'], { unique: true })
export class ReviewItem {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'queue_id', type: 'uuid' })
  queueId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** Position in the queue. */
  @Column({ type: 'integer' })
  ordinal: number;

  /** The index of the row, or the id of the request or trace. */
  @Column({ name: 'subject_id', type: 'text' })
  subjectId: string;

  /** The same as a number; null for traces. */
  @Column({ name: 'subject_number', type: 'bigint', nullable: true })
  subjectNumber: string | null;

  @Column({ type: 'text', default: 'open' })
  state: ItemState;

  /** The agreed answer to the first question, or the mean of the answers on a scale; null until there is one. */
  @Column({ type: 'jsonb', nullable: true })
  result: Answer | null;

  /** Results of the questions after the first one, by name. Only states other than `open` have results. */
  @Column({ name: 'more_results', type: 'jsonb', nullable: true })
  moreResults: Answers | null;

  /** The key or the member who decided a disagreement. */
  @Column({ name: 'decided_by', type: 'integer', nullable: true })
  decidedBy: number | null;

  /** The reviewer to whom the item is or was leased, see `reviewerOf`. */
  @Column({ name: 'leased_to', type: 'text', nullable: true })
  leasedTo: string | null;

  @Column({ name: 'leased_until', type: 'timestamptz', precision: 3, nullable: true })
  leasedUntil: Date | null;

  @ManyToOne(() => ReviewQueue)
  @JoinInWorkspace('queue_id', 'review_items_queue_id_fkey')
  queue?: Relation<ReviewQueue>;
}
