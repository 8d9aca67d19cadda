import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { sendTogether } from '../platform/database/send-together.js';
import { removeTrackedScore, trackScore } from '../requests/index.js';
import { ReviewedRows } from '../tables/index.js';
import { answerTo, joinAnswers, type Question, questionsOf, splitAnswers } from './questions.js';
import type { ItemState, ReviewItem } from './review-item.entity.js';
import type { FoundQueue } from './review-queues.service.js';
import { type Answer, type Answers, cellValueOf, scoreOf } from './rubric.js';

/** An item, its new state, and the results of the questions that have one. */
export interface Settled {
  found: FoundQueue;
  item: ReviewItem;
  state: ItemState;
  results: Answers;
}

/** A question whose result has become another one. */
interface Changed {
  question: Question;
  result: Answer | null;
}

/** Stores the results of an item: in the item, and in the cells or scores that the questions name. */
@Injectable()
export class ReviewResults {
  constructor(private readonly rows: ReviewedRows) {}

  /** Stores results. Returns why a cell could not be written, or null. The item gets its results in any case. */
  async store(tx: EntityManager, caller: Caller, settled: Settled): Promise<string | null> {
    const { found, item, state, results } = settled;
    const { workspaceId, queueId, id } = item;
    const questions = questionsOf(found.queue);
    const { first, more } = splitAnswers(questions, results);
    await tx.query(
      `UPDATE review_items SET state = $4, result = $5::jsonb, more_results = $6::jsonb
        WHERE workspace_id = $1 AND queue_id = $2 AND id = $3`,
      [workspaceId, queueId, id, state, toJson(first), toJson(more)],
    );
    const before = joinAnswers(questions, item.result, item.moreResults);
    const changed = questions
      .map((question): Changed => ({ question, result: answerTo(results, question.name) }))
      .filter(({ question: { name }, result }) => answerTo(before, name) !== result);
    await writeScores(tx, settled, changed);
    const problems: string[] = [];
    for (const each of changed) {
      const problem = await this.writeCell(tx, caller, settled, each);
      if (problem !== null) problems.push(questions.length === 1 ? problem : `${each.question.name}: ${problem}`);
    }
    return problems.length > 0 ? problems.join(' ') : null;
  }

  private async writeCell(
    tx: EntityManager,
    caller: Caller,
    { found: { queue, reviewed }, item }: Settled,
    { question: { humanColumnId: columnId, rubric }, result }: Changed,
  ): Promise<string | null> {
    const { sheetId } = queue;
    if (columnId === null || sheetId === null) return null;
    const column = reviewed?.columns.find(columnId);
    const type = reviewed && column ? this.rows.answerTypeOf(reviewed.columns, column) : null;
    if (type === null) return 'The column of the results is gone or is no HUMAN column any more.';
    const value = result === null ? null : cellValueOf(rubric, result, type);
    return this.rows.write(tx, caller, sheetId, { rowIndex: Number(item.subjectId), columnId, value });
  }
}

async function writeScores(tx: EntityManager, { item }: Settled, changed: Changed[]): Promise<void> {
  const { workspaceId } = item;
  const logId = Number(item.subjectId);
  const steps = changed.flatMap(({ question: { scoreName: name, rubric }, result }) => {
    if (name === null) return [];
    const score = result === null ? null : scoreOf(rubric, result);
    return score === null
      ? [removeTrackedScore({ workspaceId, logId, name })]
      : [trackScore({ workspaceId, logId, name, score })];
  });
  if (steps.length > 0) await sendTogether(tx, steps);
}

const toJson = (value: Answer | Answers | null): string | null => (value === null ? null : JSON.stringify(value));
