import { useMemo, useRef } from 'react';
import { api } from '../api/client';
import type { RowsResponse } from '../api/schema.gen';
import { counted } from '../ui/format';
import { mayBeCut } from './cell-line';
import { type Area, fromTsv, type Selection, areaOf, sizeOf, spread, toTsv } from './selection';
import { noticeOf, SHEET, type SheetTools } from './sheet-data';

/** So many cells one request may write, and nobody copies more. */
const MAX_CELLS = 5000;
const ROWS_PER_REQUEST = 100;

interface Target {
  row: number;
  column: number;
  text: string | null;
}

export interface Edits {
  /** Gives false when the server has refused it; the reason is shown. */
  write: (targets: Target[]) => Promise<boolean>;
  /** The whole text of a cell, which may be longer than the grid knows. */
  fullText: (row: number, column: number) => Promise<string>;
  copy: (selection: Selection) => Promise<void>;
  paste: (text: string, selection: Selection) => Promise<void>;
  clear: (selection: Selection) => Promise<void>;
  undo: () => Promise<void>;
  addRow: () => Promise<void>;
}

/** What people change in a sheet. */
export function useEdits(tools: SheetTools, rowCount: number): Edits {
  const current = useRef({ tools, rowCount });
  current.current = { tools, rowCount };
  /** The version that the last edit here has made: only that one is taken back. */
  const lastVersion = useRef<number | null>(null);
  return useMemo(() => {
    const attempt = async (act: (tools: SheetTools) => Promise<void>): Promise<boolean> => {
      const { tools: used } = current.current;
      try {
        await act(used);
        return true;
      } catch (error) {
        used.notify(noticeOf(error));
        return false;
      }
    };
    const write = (targets: Target[]) =>
      attempt(async (used) => {
        if (!used.canEdit) throw new Error('Cells cannot be edited here.');
        if (targets.length === 0) return;
        if (targets.length > MAX_CELLS) throw new Error(`At most ${MAX_CELLS} cells are written at once.`);
        lastVersion.current = await writeCells(used, targets, current.current.rowCount);
        used.notify(null);
        used.refresh();
      });
    return {
      write,
      fullText: (row, column) => fullText(current.current.tools, row, column),
      copy: async (selection) =>
        void (await attempt(async (used) => {
          await navigator.clipboard.writeText(toTsv(await readArea(used, areaOf(selection))));
          used.notify({ text: `Copied ${counted(sizeOf(areaOf(selection)), 'cell')}.` });
        })),
      paste: async (text, selection) => {
        const { tools: used } = current.current;
        await write(spread(fromTsv(text), areaOf(selection), used.columns.length));
      },
      clear: async (selection) => {
        const { tools: used } = current.current;
        await write(spread([['']], areaOf(selection), used.columns.length).map((spot) => ({ ...spot, text: null })));
      },
      undo: async () =>
        void (await attempt(async (used) => {
          await takeBack(used, lastVersion.current);
          lastVersion.current = null;
          used.notify({ text: 'The last edit was taken back.' });
          used.refresh();
        })),
      addRow: async () =>
        void (await attempt(async (used) => {
          const { version } = await api(`POST ${SHEET}/rows`, { path: used.path, body: { count: 1 } });
          lastVersion.current = version;
          used.refresh();
        })),
    };
  }, []);
}

/** Rows beyond the last one are added. Gives the version of the sheet afterwards. */
async function writeCells({ path, columns, store }: SheetTools, targets: Target[], rowCount: number): Promise<number> {
  let version = store.version ?? 0;
  const inside = targets.filter(({ row }) => row < rowCount);
  if (inside.length > 0) {
    const indexes = await rowIndexes({ path, store }, inside);
    const cells = inside.map(({ row, column, text }) => ({
      row_index: indexes.get(row)!,
      column: columns[column]!.id,
      value: text as never,
    }));
    ({ version } = await api(`PATCH ${SHEET}/cells`, { path, body: { cells } }));
  }
  const beyond = Map.groupBy(
    targets.filter(({ row }) => row >= rowCount),
    ({ row }) => row,
  );
  const values = [...beyond.values()].map((line) =>
    Object.fromEntries(line.map(({ column, text }) => [columns[column]!.id, text])),
  );
  for (let from = 0; from < values.length; from += ROWS_PER_REQUEST) {
    const body = {
      count: Math.min(ROWS_PER_REQUEST, values.length - from),
      values: values.slice(from, from + ROWS_PER_REQUEST),
    };
    ({ version } = await api(`POST ${SHEET}/rows`, { path, body: body as never }));
  }
  return version;
}

/** The indexes of rows by their place; those that were not looked at yet are asked for. */
async function rowIndexes(
  { path, store }: Pick<SheetTools, 'path' | 'store'>,
  targets: Target[],
): Promise<Map<number, number>> {
  const indexes = new Map<number, number>();
  for (const { row } of targets) {
    const known = store.cell(row, 0) ?? store.cell(row, targets[0]!.column);
    if (known) indexes.set(row, known.index);
  }
  const missing = targets.map(({ row }) => row).filter((row) => !indexes.has(row));
  const last = Math.max(...missing);
  for (let from = Math.min(...missing); from <= last; from += 500) {
    const query = { view: 'grid' as const, from_row: from, limit: 500, columns: undefined, include_columns: false };
    const { data } = await api(`GET ${SHEET}/rows`, { path, query });
    data.forEach(({ row_index: index }, at) => indexes.set(from + at, index));
  }
  return indexes;
}

async function fullText({ path, columns, store }: SheetTools, row: number, column: number): Promise<string> {
  const cell = store.cell(row, column);
  if (!cell || !mayBeCut(cell.text)) return cell?.text ?? '';
  const query = { row_index: cell.index, column: columns[column]!.id };
  const answer = await api(`GET ${SHEET}/cells`, { path, query });
  return answer.cell.display_value ?? '';
}

/** The texts of an area, as whole as they are. */
async function readArea(tools: SheetTools, area: Area): Promise<string[][]> {
  if (sizeOf(area) > MAX_CELLS)
    throw new Error(`At most ${MAX_CELLS} cells are copied at once. Export the sheet to get all of it.`);
  const { path, columns, store } = tools;
  const shown = columns.slice(area.left, area.right + 1);
  const places = shown.map((_, at) => area.left + at);
  const rows = Array.from({ length: area.bottom - area.top + 1 }, (_, at) => area.top + at);
  const isKnown = rows.every((row) =>
    places.every((column) => {
      const cell = store.cell(row, column);
      return cell !== null && !mayBeCut(cell.text);
    }),
  );
  if (isKnown) return rows.map((row) => places.map((column) => store.cell(row, column)!.text ?? ''));
  const lines: string[][] = [];
  while (lines.length < rows.length) {
    const limit = Math.min(ROWS_PER_REQUEST, rows.length - lines.length);
    const query = {
      from_row: area.top + lines.length,
      limit,
      columns: shown.map(({ id }) => id).join(','),
      include_columns: false,
    };
    const { data } = (await api(`GET ${SHEET}/rows`, { path, query })) as RowsResponse;
    if (data.length === 0) break;
    lines.push(...data.map(({ cells }) => shown.map(({ id }) => cells[id]?.display_value ?? '')));
  }
  return lines;
}

/** Restores the version before, unless somebody else has changed the sheet since. */
async function takeBack({ path }: SheetTools, version: number | null): Promise<void> {
  if (version === null) throw new Error('There is no edit of yours to take back.');
  const { data } = await api(`GET ${SHEET}/versions`, { path, query: { limit: 2 } });
  const [newest, before] = data;
  if (newest?.version_number !== version || !before) {
    throw new Error('The sheet has changed since your last edit. Restore a version from the list of versions instead.');
  }
  await api(`POST ${SHEET}/versions`, { path, body: { source_version_id: before.id } });
}
