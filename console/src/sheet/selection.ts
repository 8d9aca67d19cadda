/** A cell by its position on the screen, from 0. */
export interface Spot {
  row: number;
  column: number;
}

/** A range, from its first cell to its last one. */
export interface Selection {
  anchor: Spot;
  head: Spot;
}

export interface Area {
  top: number;
  left: number;
  /** Included. */
  bottom: number;
  right: number;
}

export interface GridSize {
  rows: number;
  columns: number;
  /** Rows of a screen. */
  page: number;
}

export function areaOf({ anchor, head }: Selection): Area {
  return {
    top: Math.min(anchor.row, head.row),
    bottom: Math.max(anchor.row, head.row),
    left: Math.min(anchor.column, head.column),
    right: Math.max(anchor.column, head.column),
  };
}

export const sizeOf = ({ top, bottom, left, right }: Area): number => (bottom - top + 1) * (right - left + 1);

interface Pressed {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** The cell to which a key leads; null for keys that do not move. */
export function moved({ head }: Selection, { key, shiftKey, ctrlKey, metaKey }: Pressed, size: GridSize): Spot | null {
  const far = ctrlKey || metaKey;
  const [lastRow, lastColumn] = [size.rows - 1, size.columns - 1];
  const by = (rows: number, columns: number) => ({ row: head.row + rows, column: head.column + columns });
  const targets: Record<string, Spot> = {
    ArrowDown: far ? { ...head, row: lastRow } : by(1, 0),
    ArrowUp: far ? { ...head, row: 0 } : by(-1, 0),
    ArrowRight: far ? { ...head, column: lastColumn } : by(0, 1),
    ArrowLeft: far ? { ...head, column: 0 } : by(0, -1),
    PageDown: by(size.page, 0),
    PageUp: by(-size.page, 0),
    Home: far ? { row: 0, column: 0 } : { ...head, column: 0 },
    End: far ? { row: lastRow, column: lastColumn } : { ...head, column: lastColumn },
  };
  if (key === 'Tab') return nextByTab(head, shiftKey, size);
  return Object.hasOwn(targets, key) ? within(targets[key]!, size) : null;
}

/** The next cell, which may be in the next row, or the one before; null beyond either end of the sheet. */
export function nextByTab(
  { row, column }: Spot,
  isBackward: boolean,
  { rows, columns }: Pick<GridSize, 'rows' | 'columns'>,
): Spot | null {
  const place = row * columns + column + (isBackward ? -1 : 1);
  return place < 0 || place >= rows * columns ? null : { row: Math.floor(place / columns), column: place % columns };
}

export function within({ row, column }: Spot, { rows, columns }: Pick<GridSize, 'rows' | 'columns'>): Spot {
  const clamp = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  return { row: clamp(row, rows), column: clamp(column, columns) };
}

/** Texts that a spreadsheet program would run, and those that begin like one after its mark. Numbers are none. */
const FORMULA = /^'*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/;
const isFormula = (text: string): boolean => FORMULA.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);

/**
 * Cells as spreadsheets copy them: lines and tabs, with quotes around what has either. A formula gets an apostrophe
 * before it, as in exports: the texts of strangers must not be run where they are pasted.
 */
export function toTsv(lines: string[][]): string {
  const field = (given: string) => {
    const text = isFormula(given) ? `'${given}` : given;
    return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return lines.map((cells) => cells.map(field).join('\t')).join('\n');
}

/** The pasted text; null for a clipboard without text, such as a picture or a file. */
export const pastedText = ({ clipboardData: data }: { clipboardData: DataTransfer }): string | null =>
  data.types.includes('text/plain') ? data.getData('text/plain') : null;

/** The cells of a copied text. Quotes count only where they surround a whole cell. The mark of a formula is removed. */
export function fromTsv(text: string): string[][] {
  const lines: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"(?=\t|\r?\n|$)|([^\t\n\r]*))(\t|\r?\n|\r|$)/gy;
  for (let found = cell.exec(text); found; found = cell.exec(text)) {
    const [, quoted, plain, end] = found;
    const value = quoted === undefined ? plain! : quoted.replaceAll('""', '"');
    lines.at(-1)!.push(value.startsWith("'") && isFormula(value) ? value.slice(1) : value);
    if (cell.lastIndex >= text.length && end !== '\t') break;
    if (end !== '\t') lines.push([]);
  }
  return lines;
}

/**
 * Cells to paste: a single one fills the whole range, several begin at its corner. Columns beyond the last one are
 * dropped.
 */
export function spread(cells: string[][], area: Area, columns: number): (Spot & { text: string })[] {
  const [first] = cells;
  const isOne = cells.length === 1 && first!.length === 1;
  if (!isOne) {
    const placed = cells.flatMap((line, row) =>
      line.map((text, column) => ({ row: area.top + row, column: area.left + column, text })),
    );
    return placed.filter(({ column }) => column < columns);
  }
  const spots: (Spot & { text: string })[] = [];
  for (let row = area.top; row <= area.bottom; row++) {
    for (let column = area.left; column <= area.right; column++) spots.push({ row, column, text: first![0]! });
  }
  return spots;
}
