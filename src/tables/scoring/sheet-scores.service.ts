import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { ListOrder } from '../../platform/http/cursor.js';
import { type Order, startOfPage } from '../../platform/http/list.js';
import { type ListedScore, SHEET_SCORES } from './sheet-scores.queries.js';

/** The newest scores of the sheets in all tables of a workspace. */
@Injectable()
export class SheetScoresService {
  constructor(private readonly db: DataSource) {}

  /** Up to `limit + 1` sheets: the extra one shows that there are more. */
  list(
    { workspaceId }: Caller,
    { cursor, limit, order: wanted }: { cursor?: string; limit: number; order: Order },
  ): Promise<ListedScore[]> {
    const { order, place } = startOfPage(sheetScoreOrder(wanted), cursor, 'uuid');
    return SHEET_SCORES[order].run(this.db.manager, [workspaceId, ...place, limit + 1]);
  }
}

export function sheetScoreOrder(order: Order): ListOrder {
  return { sort: 'scores by calculated_at', order };
}
