import type { ApiClient, SheetRef } from '../support/api-client.js';

const PAGE = 100;
/** The column a new sheet starts with. */
const TEXT = 'Column A';

interface AnsweredCell {
  id: string;
  status: string;
  value: unknown;
  request_metrics: {
    request_ids: number[];
    trace_ids: string[];
    price: number | null;
    input_tokens: number | null;
  } | null;
}
interface RowsAnswer {
  data: { row_index: number; cells: Record<string, AnsweredCell> }[];
  columns: { id: string; title: string }[];
  next_cursor: string | null;
}
interface OperationAnswer {
  operation_id: string;
  status: string;
  cell_count: number;
  completed_count: number;
  failed_count: number;
  pending_count: number;
}

/** Content of the cells, by row and column title. */
export interface SheetContent {
  titles: string[];
  rows: {
    values: Record<string, unknown>;
    statuses: Record<string, string>;
    metrics: Record<string, AnsweredCell['request_metrics']>;
  }[];
}

const textOf = (row: number): string => `Order ${row}: ${'please '.repeat(row % 7)}${row % 3 === 0 ? 'refund it' : ''}`;

/** The columns of the tests, the last of which reads the first; and what each must hold in a row. */
const COLUMNS = [
  { title: 'Words', type: 'COUNT', config: { source: TEXT, type: 'words' } },
  { title: 'Refund', type: 'CONTAINS', config: { source: TEXT, value: 'REFUND' } },
  { title: 'Characters', type: 'COUNT', config: { source: TEXT, type: 'chars' } },
  { title: 'Has seven', type: 'CONTAINS', config: { source: TEXT, value: '7' } },
  { title: 'Four words', type: 'CONTAINS', config: { source: 'Words', value: '4' } },
];

function expectedRow(row: number): Record<string, unknown> {
  const text = textOf(row);
  const words = text.trim().split(/\s+/).length;
  return {
    [TEXT]: text,
    Words: words,
    Refund: text.includes('refund'),
    Characters: text.length,
    'Has seven': text.includes('7'),
    'Four words': String(words).includes('4'),
  };
}

/** A sheet whose one text column holds a text in each of `count` rows. */
export async function textSheet(client: ApiClient, count: number, textIn = textOf): Promise<SheetRef> {
  const sheet = await client.createSheet('Orders');
  const { data } = await client.get<RowsAnswer>(`${sheet.path}/rows`);
  const [columnId, blank] = Object.entries(data[0]!.cells)[0]!;
  await client.patch(`${sheet.path}/cells/${blank.id}`, { value: textIn(0) });
  for (let from = 1; from < count; from += PAGE) {
    const length = Math.min(PAGE, count - from);
    const values = Array.from({ length }, (_, index) => ({ [columnId]: textIn(from + index) }));
    await client.post(`${sheet.path}/rows`, { count: length, values });
  }
  return sheet;
}

/** Adds the computed columns; gives the operation of each. Call it while nothing computes. */
export async function addComputedColumns(client: ApiClient, sheet: SheetRef): Promise<string[]> {
  for (const column of COLUMNS) await client.post(`${sheet.path}/columns`, column);
  const { active_operations: active } = await client.get<{ active_operations: OperationAnswer[] }>(
    `${sheet.path}/operations`,
  );
  return active.map((operation) => operation.operation_id);
}

export async function readOperations(client: ApiClient, sheet: SheetRef, ids: string[]): Promise<OperationAnswer[]> {
  const answers = ids.map((id) => client.get<{ operation: OperationAnswer }>(`${sheet.path}/operations/${id}`));
  return (await Promise.all(answers)).map(({ operation }) => operation);
}

/** Every page of the sheet. */
export async function readSheet(client: ApiClient, sheet: SheetRef): Promise<SheetContent> {
  const content: SheetContent = { titles: [], rows: [] };
  let columns: RowsAnswer['columns'] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: RowsAnswer = await client.get<RowsAnswer>(
      `${sheet.path}/rows?limit=${PAGE}&include_columns=true${query}`,
    );
    columns = page.columns;
    for (const { cells } of page.data) {
      const entries = columns.map(({ id, title }) => [title, cells[id]!] as const);
      content.rows.push({
        values: Object.fromEntries(entries.map(([title, cell]) => [title, cell.value])),
        statuses: Object.fromEntries(entries.map(([title, cell]) => [title, cell.status])),
        metrics: Object.fromEntries(entries.map(([title, cell]) => [title, cell.request_metrics])),
      });
    }
    cursor = page.next_cursor;
  }
  return { ...content, titles: columns.map(({ title }) => title) };
}

/** Result of `readSheet` for a sheet of the tests when every cell is computed. */
export function computedValues(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, row) => expectedRow(row));
}
