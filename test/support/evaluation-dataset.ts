import type { Client } from './client.js';
import type { ClientKind } from './evaluation.js';
import { type Cell, type Column, type RowsPage, TABLES } from './factories.js';

/** A row of a dataset as clients evaluate it. */
export interface DatasetCase {
  input: unknown;
  expected: unknown;
  expectedTrace: unknown;
  /** Columns of the dataset that mean nothing to the client. */
  fields: Record<string, unknown>;
}

const RESERVED = new Set(
  [
    'input expected Output expectedTrace expected_trace Trace Trace.price Trace.latency total_trace_time total_price',
    'Input Expected output trace',
  ]
    .join(' ')
    .split(' ')
    .concat('Trace link', 'Expected Trace'),
);

/** Step 3 of an evaluation: every case of a dataset that is given as a table, and perhaps a sheet of it. */
export async function readDataset(
  client: Client,
  kind: ClientKind,
  { tableId, sheetId }: { tableId: string; sheetId?: string },
): Promise<DatasetCase[]> {
  const path = `${TABLES}/${tableId}/sheets/${sheetId ?? (await firstSheet(client, tableId))}`;
  const flag = `include_system_columns=${kind.flag(true)}`;
  const { data: columns } = (await client.get(`${path}/columns?${flag}`)) as { data: Column[] };
  const cases: DatasetCase[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after = cursor ? `&cursor=${encodeURIComponent(cursor)}&include_columns=${kind.flag(false)}` : '';
    const page = (await client.get(`${path}/rows?${flag}&limit=100${after}`)) as RowsPage & {
      pagination: { next_cursor: string | null };
    };
    cases.push(...page.data.map(({ cells }) => toCase(columns, cells)));
    cursor = page.pagination.next_cursor;
  }
  return cases;
}

async function firstSheet(client: Client, tableId: string): Promise<string> {
  const { data } = (await client.get(`${TABLES}/${tableId}/sheets`)) as { data: { id: string }[] };
  return data[0]!.id;
}

function toCase(columns: Column[], cells: Record<string, Cell>): DatasetCase {
  const valueOf = (...titles: string[]) => {
    const column = columns.find(({ title }) => titles.includes(title));
    return column ? parsed(cells[column.id]!) : null;
  };
  const own = columns.filter(({ type, title }) => type === 'TEXT' && !RESERVED.has(title));
  return {
    input: valueOf('input', 'Input'),
    expected: valueOf('expected', 'Expected'),
    expectedTrace: valueOf('expectedTrace', 'expected_trace', 'Expected Trace'),
    fields: Object.fromEntries(own.map((column) => [column.title, parsed(cells[column.id]!)])),
  };
}

/** Texts that are JSON are parsed; without a value the display value counts. */
function parsed({ value, display_value: shown }: Cell): unknown {
  if (value === null) return shown;
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
