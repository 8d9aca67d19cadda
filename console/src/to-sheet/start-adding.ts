import { api } from '../api/client';
import type { CreateSheetFromSourceResponse, ImportRequestLogsRequest } from '../api/schema.gen';

/** Requests to add: exactly these, or all that match a search, in its order. */
export type Selection = Pick<
  ImportRequestLogsRequest,
  'request_log_ids' | 'filter_group' | 'q' | 'sort_by' | 'sort_order'
>;

/** The target. Empty ids stand for a new table and a new sheet. */
export interface Target {
  tableId: string;
  sheetId: string;
  title: string;
}

/** A running import, as the URL has it. */
export interface Adding {
  tableId: string;
  sheetId: string;
  operationId: string;
}

export function readAdding(text: string): Adding | null {
  const [tableId, sheetId, operationId] = text.split('.');
  return tableId && sheetId && operationId ? { tableId, sheetId, operationId } : null;
}

/** Facts of a call that become columns beside its input, its output and its variables. */
const FACTS = ['request_id', 'engine', 'status', 'latency_ms', 'cost'];

/**
 * Starts the import and returns the value for the URL. `onTable` is called with the id of a new table, so that a retry
 * uses it.
 */
export async function startAdding(
  selection: Selection,
  { tableId, sheetId, title }: Target,
  { withFacts, onTable }: { withFacts: boolean; onTable: (id: string) => void },
): Promise<string> {
  const wanted = { ...selection, ...(withFacts && { include_fields: FACTS }) };
  if (sheetId !== '') {
    const path = { table_id: tableId, sheet_id: sheetId };
    const { operation_id: id } = await api(
      'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/imports/request-logs',
      { path, body: wanted },
    );
    return [tableId, sheetId, id].join('.');
  }
  const table = tableId === '' ? await createTable(title) : tableId;
  onTable(table);
  const body = { title, source: { type: 'request_logs' as const, ...wanted } };
  const { sheet, operation_id: id } = (await api('POST /api/public/v2/tables/{table_id}/sheets', {
    path: { table_id: table },
    body,
  })) as CreateSheetFromSourceResponse;
  return [table, sheet.id, id].join('.');
}

async function createTable(title: string): Promise<string> {
  const { table } = await api('POST /api/public/v2/tables', { body: { title, create_default_sheet: false } });
  return table.id;
}
