import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { sendTogether } from '../platform/database/send-together.js';
import { removeTrackedScore, trackScore } from '../requests/index.js';
import { ReviewedRows } from '../tables/index.js';
import type { ReviewItem } from './review-item.entity.js';
import type { FoundQueue } from './review-queues.service.js';
import { cellValueOf, type Outcome, scoreOf } from './rubric.js';

/** An item, and its new state. */
export interface Settled {
  found: FoundQueue;
  item: ReviewItem;
  outcome: Outcome | { state: 'open'; result: null };
}

/** Stores what the reviewers of an item say together: in the item, and in the cell or score that the queue names. */
@Injectable()
export class ReviewResults {
  constructor(private readonly rows: ReviewedRows) {}

  /** Why the cell could not be written, or null. The result of the item is stored all the same. */
  async store(tx: EntityManager, caller: Caller, settled: Settled): Promise<string | null> {
    const { item, outcome } = settled;
    const { workspaceId, queueId, id } = item;
    const { state, result } = outcome;
    await tx.query(
      `UPDATE review_items SET state = $4, result = $5::jsonb WHERE workspace_id = $1 AND queue_id = $2 AND id = $3`,
      [workspaceId, queueId, id, state, result === null ? null : JSON.stringify(result)],
    );
    if (isDeepStrictEqual(item.result, result)) return null;
    await this.writeScore(tx, settled);
    return this.writeCell(tx, caller, settled);
  }

  private async writeCell(
    tx: EntityManager,
    caller: Caller,
    { found, item, outcome }: Settled,
  ): Promise<string | null> {
    const { queue, reviewed } = found;
    const { result } = outcome;
    const { humanColumnId: columnId, sheetId, rubric } = queue;
    if (columnId === null || sheetId === null) return null;
    const column = reviewed?.columns.find(columnId);
    const type = reviewed && column ? this.rows.answerTypeOf(reviewed.columns, column) : null;
    if (type === null) return 'The column of the results is gone or is no HUMAN column any more.';
    const value = result === null ? null : cellValueOf(rubric, result, type);
    return this.rows.write(tx, caller, sheetId, { rowIndex: Number(item.subjectId), columnId, value });
  }

  private async writeScore(tx: EntityManager, { found: { queue }, item, outcome: { result } }: Settled) {
    const { workspaceId, scoreName: name, rubric } = queue;
    if (name === null) return;
    const logId = Number(item.subjectId);
    const score = result === null ? null : scoreOf(rubric, result);
    const step =
      score === null
        ? removeTrackedScore({ workspaceId, logId, name })
        : trackScore({ workspaceId, logId, name, score });
    await sendTogether(tx, [step]);
  }
}
