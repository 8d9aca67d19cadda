import { useMemo, useRef } from 'react';
import { api, isAnswer } from '../api/client';
import { newKey } from '../api/retry-key';
import type { RowBody, RowsResponse } from '../api/schema.gen';
import { copyText } from '../ui/copy-text';
import { counted } from '../ui/format';
import { answerOf } from './answers';
import { mayBeCut } from './cell-line';
import { type CellOf, findOnce, isNewRow, type NewRow, type NewRowsRequest, type Send, type Target } from './drafts';
import { LastEdit } from './last-edit';
import { type Area, fromTsv, type Selection, type Spot, areaOf, sizeOf, spread, toTsv } from './selection';
import { noticeOf, ofRows, readRowsAt, SHEET, type SheetTools } from './sheet-data';

/** The server's limit of cells in one request; more are not copied either. */
const MAX_CELLS = 5000;
const ROWS_PER_REQUEST = 100;
const NO_NEW_ROWS = 'Rows cannot be added while they are filtered or sorted. Show all rows first.';

export type EditedCell = CellOf & Pick<Target, 'find' | 'newRow'>;

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
  /** Null for a clipboard without text, such as a picture. */
  paste: (text: string | null, selection: Selection) => void;
  clear: (selection: Selection) => void;
  undo: () => Promise<void>;
  addRow: () => Promise<void>;
}

/** Edits of the cells of a sheet. */
export function useEdits(tools: SheetTools, rowCount: number): Edits {
  const current = useRef({ tools, rowCount });
  current.current = { tools, rowCount };
  const { drafts } = tools;
  return useMemo(() => {
    const attempt = (act: (tools: SheetTools) => Promise<void>): Promise<void> =>
      act(current.current.tools).catch((error) => current.current.tools.notify(noticeOf(error)));
    const last = new LastEdit();
    const newRows = new Map<number, NewRow>();
    drafts.send = (write, onSaved) =>
      sendWrite(current.current.tools, write, (targets, version, isChanged) => {
        onSaved(targets, version);
        if (isChanged) last.add(write.id, version);
        current.current.tools.refresh();
      });
    const cellAt = (spot: Spot) => cellOf(current.current, spot, newRows);
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
          await copyText(toTsv(await readArea(used, areaOf(selection))));
          used.notify({ text: `Copied ${counted(sizeOf(areaOf(selection)), 'cell')}.` });
        }),
      paste: (text, selection) => {
        if (text === null) current.current.tools.notify({ text: 'The clipboard has no text to paste.' });
        else write(fill(fromTsv(text), selection));
      },
      clear: (selection) => write(fill([['']], selection).map((spot) => ({ ...spot, text: null }))),
      undo: () =>
        attempt(async (used) => {
          await drafts.settled();
          await last.undo(used.path);
          used.notify({ text: 'The last edit was undone.' });
          used.refresh();
        }),
      addRow: () =>
        attempt(async (used) => {
          const { version } = await api(`POST ${SHEET}/rows`, { path: used.path, body: { count: 1 } });
          last.add(++drafts.lastWrite, version);
          current.current.tools.refresh();
        }),
    };
  }, [drafts]);
}

function isReadBeside({ columns, types, store }: SheetTools, { row, column }: Spot, isLarge: boolean): boolean {
  const isComputed = !types.get(columns[column]?.type ?? '')?.edits;
  return isComputed || (isLarge && mayBeCut(store.cell(row, column)?.text ?? null));
}

/** The reason why these cells cannot be written in one edit; null when they can. */
function tooMuch({ tools, rowCount }: Current, texts: Spot[]): string | null {
  if (tools.store.isSelecting && texts.some(({ row }) => row >= rowCount)) return NO_NEW_ROWS;
  return texts.length > MAX_CELLS ? `At most ${MAX_CELLS} cells are written at once.` : null;
}

interface Current {
  tools: SheetTools;
  rowCount: number;
}

function cellOf({ tools, rowCount }: Current, { row, column }: Spot, newRows: Map<number, NewRow>): EditedCell {
  const { store, columns } = tools;
  const cell = { row, column: columns[column]!.id, index: store.cell(row, column)?.index };
  if (cell.index !== undefined) return cell;
  // Read from the store: a row that was just added is counted there before anything is drawn again.
  if (row < (store.rowCount ?? rowCount)) return { ...cell, find: findOnce(() => store.indexOf(row)) };
  return { ...cell, newRow: newRowAt(newRows, row, store.version ?? 0) };
}

/** The row that is being added at a position. Its texts share it until a version that has it was read. */
function newRowAt(newRows: Map<number, NewRow>, row: number, readVersion: number): NewRow {
  const known = newRows.get(row);
  if (known && (known.version ?? Infinity) > readVersion) return known;
  const made: NewRow = {};
  newRows.set(row, made);
  return made;
}

const indexOf = async ({ index, newRow, find }: Omit<EditedCell, 'row' | 'column'>): Promise<number> =>
  index ?? newRow?.index ?? (await find!());

/** The reason why the cells of a column cannot be edited; null when they can. */
function refusalOf({ canEdit, columns, types }: SheetTools, column: number): string | null {
  const { title, type } = columns[column]!;
  if (!canEdit) return 'Cells cannot be edited here.';
  return types.get(type)?.edits ? null : `“${title}” is computed, so its cells cannot be edited.`;
}

/** Sends one request for existing cells, then some for new rows. Rows whose answer was lost come first: they may exist. */
async function sendWrite(
  tools: SheetTools,
  { targets }: Parameters<Send>[0],
  onSaved: (targets: Target[], version: number, isChanged: boolean) => void,
): Promise<void> {
  const { path, all } = tools;
  for (const request of new Set(targets.filter(isNewRow).map(({ newRow }) => newRow!.request))) {
    if (request) onSaved([], await addRows(tools, request), true);
  }
  const columnOf = ({ column }: Target) => all.find((each) => each.id === column);
  const inside = targets.filter((target) => !isNewRow(target));
  if (inside.length > 0) {
    const cells = [];
    for (const target of inside) {
      const row = await indexOf(target);
      const value = answerOf(columnOf(target), await completed(target)) as never;
      cells.push({ row_index: row, column: target.column, value });
    }
    const { version, changed_count: changed } = await api(`PATCH ${SHEET}/cells`, { path, body: { cells } });
    // Without a change there is no version of this edit: the answer has the version of somebody else's.
    onSaved(inside, version, changed > 0);
  }
  const rows = [...Map.groupBy(targets.filter(isNewRow), ({ row }) => row)];
  for (let from = 0; from < rows.length; from += ROWS_PER_REQUEST) {
    const part = rows.slice(from, from + ROWS_PER_REQUEST);
    const valueOf = (target: Target) => [target.column, answerOf(columnOf(target), target.text)];
    const values = part.map(([, line]) => Object.fromEntries(line.map(valueOf)));
    const version = await addRows(tools, { key: newKey(), rows: part.map(([, [target]]) => target!.newRow!), values });
    const saved = part.flatMap(([, line]) => line);
    onSaved(saved, version, true);
  }
}

/** Adds rows and returns the version that has them. Rows whose answer is lost keep their request. */
async function addRows({ path, store }: SheetTools, request: NewRowsRequest): Promise<number> {
  const { key, rows, values } = request;
  for (const row of rows) row.request = request;
  try {
    const body = { count: rows.length, values } as never;
    const { version, row_indices: indexes } = await api(`POST ${SHEET}/rows`, { path, body, idempotencyKey: key });
    for (const [at, row] of rows.entries()) Object.assign(row, { index: indexes[at], version });
    store.grow(rows.length);
    return version;
  } catch (error) {
    if (isAnswer(error)) for (const row of rows) row.request = undefined;
    throw error;
  }
}

const textOf = async ({ text, before }: Target) => (before ? `${await before()}${text ?? ''}` : text);

/** Completes a text only once: once it is stored, its beginning could no longer be read. */
async function completed(target: Target): Promise<string | null> {
  return Object.assign(target, { text: await textOf(target), before: undefined }).text;
}

async function fullText({ path }: SheetTools, edited: EditedCell): Promise<string> {
  const query = { row_index: await indexOf(edited), column: edited.column };
  const { cell } = await api(`GET ${SHEET}/cells`, { path, query });
  return cell.display_value ?? '';
}

/** Whole texts of the cells in an area. */
async function readArea(tools: SheetTools, area: Area): Promise<string[][]> {
  if (sizeOf(area) > MAX_CELLS)
    throw new Error(`At most ${MAX_CELLS} cells are copied at once. Export the sheet to get all of it.`);
  const { columns, store, drafts, state } = tools;
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
    // An earlier version has no drafts.
    const draft = state.at === '' ? drafts.of({ row, index: line.row_index, column }) : undefined;
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
  { path, store, state }: SheetTools,
  { from, limit, columns }: { from: number; limit: number; columns: string[] },
): Promise<RowBody[]> {
  if (!store.isSelecting) return readRowsAt({ path, at: state.at }, { from, limit, columns });
  const indexes: number[] = [];
  for (let at = 0; at < limit; at++) indexes.push(await store.indexOf(from + at));
  const body = { filter: ofRows(indexes), limit, columns, include_columns: false };
  const { data } = (await api(`POST ${SHEET}/rows/search`, { path, body })) as RowsResponse;
  const found = new Map(data.map((row) => [row.row_index, row]));
  return indexes.map((index) => found.get(index) ?? { row_index: index, cells: {} });
}
