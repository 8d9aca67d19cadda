import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { Statement } from '../../platform/database/statement.js';
import type { ListOrder } from '../../platform/http/cursor.js';
import { type Order, type PageStart, startOfPage } from '../../platform/http/list.js';
import { EXECUTION_STATUSES } from '../../grid/computing/execution.entity.js';
import { IMPORT_STATUSES } from '../../imports/index.js';
import { IMPORTS, type ListedImport, type ListedOperation, OPERATIONS } from './sheet-jobs.queries.js';

/** The states of unfinished jobs. */
const ACTIVE = ['queued', 'running'];

export interface JobPage {
  /** A state, or `active` for unfinished jobs. Default: all. */
  status?: string;
  cursor?: string;
  limit: number;
  order: Order;
}

type JobKind = 'operations' | 'imports';

/** Running and past jobs in all sheets of the tables of a workspace. */
@Injectable()
export class SheetJobsService {
  constructor(private readonly db: DataSource) {}

  /** Up to `limit + 1` operations: the extra one shows that there are more. */
  operations(caller: Caller, page: JobPage): Promise<ListedOperation[]> {
    const start = startOfPage(jobOrder('operations', page), page.cursor, 'uuid');
    return this.read(OPERATIONS, caller, {
      ...start,
      limit: page.limit,
      statuses: statusesOf(page, EXECUTION_STATUSES),
    });
  }

  /** The same for imports. */
  imports(caller: Caller, page: JobPage): Promise<ListedImport[]> {
    const start = startOfPage(jobOrder('imports', page), page.cursor, 'text');
    return this.read(IMPORTS, caller, { ...start, limit: page.limit, statuses: statusesOf(page, IMPORT_STATUSES) });
  }

  private read<Row extends object>(
    statements: Record<Order, Statement<Row>>,
    { workspaceId }: Caller,
    { order, place, statuses, limit }: PageStart & { statuses: string[]; limit: number },
  ): Promise<Row[]> {
    return statements[order].run(this.db.manager, [workspaceId, statuses, ...place, limit + 1]);
  }
}

export function jobOrder(kind: JobKind, { order, status }: JobPage): ListOrder {
  return { sort: `${kind} by created_at`, order, filters: { status } };
}

export const jobKeyOf = ({ createdAt, id }: ListedOperation | ListedImport): string[] => [createdAt.toISOString(), id];

function statusesOf({ status }: JobPage, all: readonly string[]): string[] {
  if (status === undefined) return [...all];
  return status === 'active' ? ACTIVE : [status];
}
