import { Statement } from '../../platform/database/statement.js';
import type { Order } from '../../platform/http/list.js';
import type { ExecutionStatus } from '../../grid/computing/execution.entity.js';
import type { ExecutionOwner } from '../../grid/shared/sheet-owner.js';
import type { ImportSource, ImportStatus } from '../../imports/index.js';
import type { SheetPlace } from '../sheets/sheet-place.dto.js';

/** Columns of both kinds of jobs. */
interface ListedJob extends SheetPlace {
  id: string;
  /** The name of the key that started it; null when the server did. */
  startedBy: string | null;
  createdAt: Date;
}

export interface ListedOperation extends ListedJob {
  status: ExecutionStatus;
  owner: ExecutionOwner;
  cellCount: number;
  completedCount: number;
  failedCount: number;
  reusedCount: number;
  cost: number;
  message: string | null;
  finishedAt: Date | null;
}

export interface ListedImport extends ListedJob {
  status: ImportStatus;
  source: ImportSource;
  progress: number;
  fileName: string | null;
  rowsAdded: number | null;
  errorMessage: string | null;
  updatedAt: Date;
}

/**
 * Lists jobs of the sheets of live tables. The parameters are the workspace, the states, the position before the page
 * (a time and an id), and the number of jobs. Each state is read from an index in the order of the list, so a page
 * costs the same with any number of jobs.
 */
function listOf<Row extends object>(
  table: string,
  { idType, fields, listed }: { idType: string; fields: string; listed: string },
): Record<Order, Statement<Row>> {
  const inOrder = (order: Order, beyond: '<' | '>') =>
    new Statement<Row>(`
      SELECT page.* FROM unnest($2::text[]) wanted (status), LATERAL (
        SELECT j.id, j.status, j.created_at AS "createdAt", ${fields},
               t.id AS "tableId", t.title AS "tableTitle", s.id AS "sheetId", s.title AS "sheetTitle"
          FROM ${table} j
          JOIN sheets s ON s.workspace_id = $1 AND s.id = j.sheet_id AND s.deleted_at IS NULL
          JOIN tables t ON t.workspace_id = $1 AND t.id = s.table_id AND t.deleted_at IS NULL
         WHERE j.workspace_id = $1 AND j.status = wanted.status AND ${listed}
           AND (j.created_at, j.id) ${beyond} ($3::timestamptz, $4::${idType})
         ORDER BY j.created_at ${order}, j.id ${order} LIMIT $5) page
       ORDER BY page."createdAt" ${order}, page.id ${order} LIMIT $5`);
  return { desc: inOrder('desc', '<'), asc: inOrder('asc', '>') };
}

export const OPERATIONS = listOf<ListedOperation>('executions', {
  idType: 'uuid',
  fields: `j.owner, j.started_by AS "startedBy", j.cell_count AS "cellCount", j.completed_count AS "completedCount",
               j.failed_count AS "failedCount", j.reused_count AS "reusedCount", j.cost, j.message, j.finished_at AS "finishedAt"`,
  listed: 'j.in_table',
});

export const IMPORTS = listOf<ListedImport>('import_operations', {
  idType: 'text',
  fields: `j.source, j.request #>> '{by,keyName}' AS "startedBy", j.progress, j.file_name AS "fileName",
               j.rows_added AS "rowsAdded", j.error_message AS "errorMessage", j.updated_at AS "updatedAt"`,
  listed: 'j.table_id IS NOT NULL',
});
