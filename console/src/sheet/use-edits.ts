import { useMemo, useRef } from 'react';
import { api } from '../api/client';
import type { RowBody, RowsResponse } from '../api/schema.gen';
import { counted } from '../ui/format';
import { answerOf } from './answers';
import { mayBeCut } from './cell-line';
import { type CellOf, isNewRow, type Send, type Target } from './drafts';
import { type Area, fromTsv, type Selection, type Spot, areaOf, sizeOf, spread, toTsv } from './selection';
import { noticeOf, ofRows, SHEET, type SheetTools } from './sheet-data';

/** The server's limit of cells in one request; more are not copied either. */
const MAX_CELLS = 5000;
const ROWS_PER_REQUEST = 100;
const NO_NEW_ROWS = 'Rows cannot be added while they are filtered or sorted. Show all rows first.';

export type EditedCell = CellOf & Pick<Target, 'find'>;

export interface Edits {
  /** Identifies a cell, so that it stays the same when rows or columns move. */
  cellAt: (spot: Spot) => EditedCell;
  /** Shows why a column cannot be edited, if so. */
  refuses: (column: number) => boolean;
  /** Whether a cell is read beside the grid instead of edited in it: a computed one, and on request one with a large text. */
  opensBeside: (spot: Spot, how: { isLarge: boolean }) => boolean;
  /** The whole text of a cell, which may be longer than the grid knows. */
  fullText: (cell: EditedCell) => Promise<string>;
  copy: (selection: Selection) => Promise<void>;
  paste: (text: string, selection: Selection) => void;
  clear: (selection: Selection) => void;
  undo: () => Promise<void>;
  addRow: () => Promise<void>;
}

/** Edits of the cells of a sheet. */
export function useEdits(tools: SheetTools, rowCount: number): Edits {
  const current = useRef({ tools, rowCount });
  current.current = { tools, rowCount };
  /** The version of the last edit here: only that one is undone. */
  const last = useRef<{ write: number; version: number } | null>(null);
  const { drafts } = tools;
  return useMemo(() => {
    const attempt = (act: (tools: SheetTools) => Promise<void>): Promise<void> =>
      act(current.current.tools).catch((error) => current.current.tools.notify(noticeOf(error)));
    const done = (write: number, version: number) => {
      if (write >= (last.current?.write ?? 0)) last.current = { write, version };
      current.current.tools.refresh();
    };
    drafts.send = (write, onSaved) =>
      sendWrite(current.current.tools, write, (targets, version) => {
        onSaved(targets, version);
        done(write.id, version);
      });
    const cellAt = (spot: Spot) => cellOf(current.current.tools, spot, current.current.rowCount);
    const refuses = (column: number) => {
      const reason = refusalOf(current.current.tools, column);
      if (reason !== null) current.current.tools.notify({ text: reason, isBad: true });
      return reason !== null;
    };
    const write = (texts: (Spot & { text: string | null })[]) => {
      if ([...new Set(texts.map(({ column }) => column))].some(refuses)) return;
      const reason = tooMuch(current.current, texts);
      current.current.tools.notify(reason === null ? null : { text: reason, isBad: true });
      if (reason === null) drafts.save(texts.map(({ text, ...spot }) => ({ ...cellAt(spot), text })));
    };
    const fill = (cells: string[][], selection: Selection) =>
      spread(cells, areaOf(selection), current.current.tools.columns.length);
    return {
      cellAt,
      refuses,
      opensBeside: (spot, { isLarge }) => isReadBeside(current.current.tools, spot, isLarge),
      fullText: (cell) => fullText(current.current.tools, cell),
      copy: (selection) =>
        attempt(async (used) => {
          await navigator.clipboard.writeText(toTsv(await readArea(used, areaOf(selection))));
          used.notify({ text: `Copied ${counted(sizeOf(areaOf(selection)), 'cell')}.` });
        }),
      paste: (text, selection) => write(fill(fromTsv(text), selection)),
      clear: (selection) => write(fill([['']], selection).map((spot) => ({ ...spot, text: null }))),
      undo: () =>
        attempt(async (used) => {
          await drafts.settled();
          await takeBack(used, last.current?.version ?? null);
          last.current = null;
          used.notify({ text: 'The last edit was undone.' });
          used.refresh();
        }),
      addRow: () =>
        attempt(async (used) => {
          const { version } = await api(`POST ${SHEET}/rows`, { path: used.path, body: { count: 1 } });
          done(drafts.lastWrite, version);
        }),
    };
  }, [drafts]);
}

function isReadBeside({ columns, types, store }: SheetTools, { row, column }: Spot, isLarge: boolean): boolean {
  const isComputed = !types.get(columns[column]?.type ?? '')?.edits;
  return isComputed || (isLarge && mayBeCut(store.cell(row, column)?.text ?? null));
}

/** The reason why these cells cannot be written in one edit; null when they can. */
function tooMuch({ tools, rowCount }: { tools: SheetTools; rowCount: number }, texts: Spot[]): string | null {
  if (tools.store.isSelecting && texts.some(({ row }) => row >= rowCount)) return NO_NEW_ROWS;
  return texts.length > MAX_CELLS ? `At most ${MAX_CELLS} cells are written at once.` : null;
}

function cellOf({ store, columns }: SheetTools, { row, column }: Spot, rowCount: number): EditedCell {
  const cell = { row, column: columns[column]!.id, index: store.cell(row, column)?.index };
  const isUnread = cell.index === undefined && row < rowCount;
  return isUnread ? { ...cell, find: () => store.indexOf(row) } : cell;
}

/** The reason why the cells of a column cannot be edited; null when they can. */
function refusalOf({ canEdit, columns, types }: SheetTools, column: number): string | null {
  const { title, type } = columns[column]!;
  if (!canEdit) return 'Cells cannot be edited here.';
  return types.get(type)?.edits ? null : `“${title}” is computed, so its cells cannot be edited.`;
}

/** Idempotency keys of this page. A retry of a write that adds rows must not add them twice. */
const PAGE_KEY = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/** Sends one request for existing cells, then some for new rows. */
async function sendWrite(
  { path, store, all }: SheetTools,
  { id, targets }: Parameters<Send>[0],
  onSaved: Parameters<Send>[1],
): Promise<void> {
  const columnOf = ({ column }: Target) => all.find((each) => each.id === column);
  const inside = targets.filter((target) => !isNewRow(target));
  if (inside.length > 0) {
    const cells = [];
    for (const target of inside) {
      const row = target.index ?? (await target.find!());
      const value = answerOf(columnOf(target), await completed(target)) as never;
      cells.push({ row_index: row, column: target.column, value });
    }
    const { version } = await api(`PATCH ${SHEET}/cells`, { path, body: { cells } });
    onSaved(inside, version);
  }
  const rows = [...Map.groupBy(targets.filter(isNewRow), ({ row }) => row)];
  for (let from = 0; from < rows.length; from += ROWS_PER_REQUEST) {
    const part = rows.slice(from, from + ROWS_PER_REQUEST);
    const valueOf = (target: Target) => [target.column, answerOf(columnOf(target), target.text)];
    const values = part.map(([, line]) => Object.fromEntries(line.map(valueOf)));
    const body = { count: values.length, values } as never;
    const idempotencyKey = `${PAGE_KEY}-${id}-${part[0]![0]}`;
    const { version } = await api(`POST ${SHEET}/rows`, { path, body, idempotencyKey });
    store.grow(part.length);
    onSaved(
      part.flatMap(([, line]) => line),
      version,
    );
  }
}

const textOf = async ({ text, before }: Target) => (before ? `${await before()}${text ?? ''}` : text);

/** Completes a text only once: once it is stored, its beginning could no longer be read. */
async function completed(target: Target): Promise<string | null> {
  return Object.assign(target, { text: await textOf(target), before: undefined }).text;
}

async function fullText({ path }: SheetTools, { index, find, column }: EditedCell): Promise<string> {
  const query = { row_index: index ?? (await find!()), column };
  const { cell } = await api(`GET ${SHEET}/cells`, { path, query });
  return cell.display_value ?? '';
}

/** Whole texts of the cells in an area. */
async function readArea(tools: SheetTools, area: Area): Promise<string[][]> {
  if (sizeOf(area) > MAX_CELLS)
    throw new Error(`At most ${MAX_CELLS} cells are copied at once. Export the sheet to get all of it.`);
  const { columns, store, drafts } = tools;
  const shown = columns.slice(area.left, area.right + 1);
  const places = shown.map((_, at) => area.left + at);
  const rows = Array.from({ length: area.bottom - area.top + 1 }, (_, at) => area.top + at);
  const isKnown = rows.every((row) =>
    places.every((column) => {
      const cell = store.cell(row, column);
      return cell !== null && (cell.draft ? !cell.draft.before : !mayBeCut(cell.text));
    }),
  );
  if (isKnown) return rows.map((row) => places.map((column) => store.cell(row, column)!.text ?? ''));
  const textAt = async (line: RowBody, row: number, column: string) => {
    const draft = drafts.of({ row, index: line.row_index, column });
    return (draft ? await textOf(draft) : line.cells[column]?.display_value) ?? '';
  };
  const lines: string[][] = [];
  while (lines.length < rows.length) {
    const limit = Math.min(ROWS_PER_REQUEST, rows.length - lines.length);
    const from = area.top + lines.length;
    const data = await readRows(tools, { from, limit, columns: shown.map(({ id }) => id) });
    if (data.length === 0) break;
    const texts = data.map((line, at) => Promise.all(shown.map(({ id }) => textAt(line, from + at, id))));
    lines.push(...(await Promise.all(texts)));
  }
  return lines;
}

/** Whole rows by position, in the order of the screen. */
async function readRows(
  { path, store }: SheetTools,
  { from, limit, columns }: { from: number; limit: number; columns: string[] },
): Promise<RowBody[]> {
  if (!store.isSelecting) {
    const query = { from_row: from, limit, columns: columns.join(','), include_columns: false };
    return ((await api(`GET ${SHEET}/rows`, { path, query })) as RowsResponse).data;
  }
  const indexes: number[] = [];
  for (let at = 0; at < limit; at++) indexes.push(await store.indexOf(from + at));
  const body = { filter: ofRows(indexes), limit, columns, include_columns: false };
  const { data } = (await api(`POST ${SHEET}/rows/search`, { path, body })) as RowsResponse;
  const found = new Map(data.map((row) => [row.row_index, row]));
  return indexes.map((index) => found.get(index) ?? { row_index: index, cells: {} });
}

/** Restores the version before, unless somebody else has changed the sheet since. */
async function takeBack({ path }: SheetTools, version: number | null): Promise<void> {
  if (version === null) throw new Error('There is no edit of yours to undo.');
  const { data } = await api(`GET ${SHEET}/versions`, { path, query: { limit: 2 } });
  const [newest, before] = data;
  if (newest?.version_number !== version || !before) {
    throw new Error('The sheet has changed since your last edit. Restore a version from the list of versions instead.');
  }
  await api(`POST ${SHEET}/versions`, { path, body: { source_version_id: before.id } });
}
