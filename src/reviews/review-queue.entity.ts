import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CreatedByColumn, WorkspaceColumn } from '../platform/database/common-columns.js';
import { TimestampedRow } from '../platform/database/common-rows.js';
import type { Question } from './questions.js';
import type { Rubric } from './rubric.js';

/** Kinds of items in a queue. */
export const SUBJECTS = ['row', 'request', 'trace'] as const;
export type Subject = (typeof SUBJECTS)[number];

export const QUEUE_STATES = ['open', 'closed'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

/** A queue of items that people answer by a rubric. */
@Entity('review_queues')
@Index('review_queues_created_idx', ['workspaceId', 'createdAt', 'id'])
export class ReviewQueue extends TimestampedRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  subject: Subject;

  /** The sheet of the rows; null for requests and traces. It may have been deleted since. */
  @Column({ name: 'sheet_id', type: 'uuid', nullable: true })
  sheetId: string | null;

  @Column({ type: 'jsonb' })
  rubric: Rubric;

  /** The name of the first question, whose rubric, columns and score are those of the queue; null without a name. */
  @Column({ name: 'question_name', type: 'text', nullable: true })
  questionName: string | null;

  /** The questions after the first one; null without any. */
  @Column({ name: 'more_questions', type: 'jsonb', nullable: true })
  moreQuestions: Question[] | null;

  @Column({ name: 'reviewers_per_item', type: 'smallint' })
  reviewersPerItem: number;

  @Column({ type: 'text', default: 'open' })
  state: QueueState;

  /** The column of the sheet that gets the results. */
  @Column({ name: 'human_column_id', type: 'uuid', nullable: true })
  humanColumnId: string | null;

  /** The column of the sheet whose values are compared with the results. */
  @Column({ name: 'judge_column_id', type: 'uuid', nullable: true })
  judgeColumnId: string | null;

  /** The score of requests that gets the results. */
  @Column({ name: 'score_name', type: 'text', nullable: true })
  scoreName: string | null;

  /** The key or the member. */
  @CreatedByColumn()
  createdBy: number | null;
}
