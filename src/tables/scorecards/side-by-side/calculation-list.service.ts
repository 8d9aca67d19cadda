import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../../access/index.js';
import type { ListOrder } from '../../../platform/http/cursor.js';
import { type Order, startOfPage } from '../../../platform/http/list.js';
import { CALCULATIONS, type ListedCalculation } from './calculation-list.queries.js';

/** Filters of the list; null for any. */
export interface CalculationFilter {
  sheetId: string | null;
  tableId: string | null;
  isCompleted: boolean;
}

/** The calculations of all sheets of a workspace. */
@Injectable()
export class CalculationListService {
  constructor(private readonly db: DataSource) {}

  /** Up to `limit + 1` of them. */
  list(
    { workspaceId }: Caller,
    filter: CalculationFilter,
    { cursor, limit, order: wanted }: { cursor?: string; limit: number; order: Order },
  ): Promise<ListedCalculation[]> {
    const { order, place } = startOfPage(calculationOrder(wanted, filter), cursor, 'uuid');
    const { sheetId, tableId, isCompleted } = filter;
    const status = isCompleted ? 'completed' : null;
    return CALCULATIONS[order].run(this.db.manager, [workspaceId, ...place, limit + 1, sheetId, tableId, status]);
  }
}

export function calculationOrder(order: Order, { sheetId, tableId, isCompleted }: CalculationFilter): ListOrder {
  const filters = {
    ...(sheetId && { sheet_id: sheetId }),
    ...(tableId && { table_id: tableId }),
    ...(isCompleted && { completed: true }),
  };
  return { sort: 'calculations by created_at', order, filters };
}
