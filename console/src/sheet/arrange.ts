import type { ColumnBody, SheetViewRequest } from '../api/schema.gen';

/** Default width of a column. */
const WIDTH_PX = 200;
const LEAST_PX = 56;
const MOST_PX = 2000;

export type View = SheetViewRequest;
export const NO_VIEW: View = { hidden_column_ids: [], pinned_column_ids: [], widths: [], row_lines: 1 };

/** The columns of a sheet as they are shown. */
export interface Arranged {
  /** Visible columns, the pinned ones first. */
  shown: ColumnBody[];
  hidden: ColumnBody[];
  /** Number of pinned columns among the visible ones. */
  pinned: number;
  /** Widths of the visible columns in pixels. */
  widths: number[];
  /** How many lines of text a row shows. */
  lines: number;
}

/**
 * The arrangement of the columns, and its changes. They are stored on the sheet for people who may edit it, otherwise
 * only for the person.
 */
export interface Arranging extends Arranged {
  /** While an edge is dragged; `keep` stores it. */
  setWidth: (id: string, width: number) => void;
  keep: () => void;
  setLines: (lines: number) => void;
  toggleHidden: (id: string) => void;
  showAll: () => void;
  /** Returns the new position of the column. */
  togglePinned: (id: string) => number;
  /** The position that a step to the side leads to; null at the edge. */
  positionBeside: (at: number, step: -1 | 1) => number | null;
  move: (id: string, position: number) => Promise<boolean>;
}

/** Applies a view. A view that hides all columns hides none. */
export function arrange(columns: ColumnBody[], view: View): Arranged {
  const widths = new Map(view.widths.map(({ column_id: id, width }) => [id, width]));
  const isPinned = ({ id }: ColumnBody) => view.pinned_column_ids.includes(id);
  const hidden = columns.filter(({ id }) => view.hidden_column_ids.includes(id));
  if (hidden.length === columns.length) hidden.length = 0;
  const visible = columns.filter((column) => !hidden.includes(column));
  const pinned = visible.filter(isPinned);
  const shown = [...pinned, ...visible.filter((column) => !isPinned(column))];
  const shownWidths = shown.map(({ id }) => widths.get(id) ?? WIDTH_PX);
  return { shown, hidden, pinned: pinned.length, widths: shownWidths, lines: view.row_lines ?? 1 };
}

export type ColumnList = 'hidden_column_ids' | 'pinned_column_ids';

export function withListed(view: View, list: ColumnList, id: string, isListed: boolean): View {
  const others = view[list].filter((each) => each !== id);
  return { ...view, [list]: isListed ? [...others, id] : others };
}

export function withWidth(view: View, id: string, width: number): View {
  const others = view.widths.filter(({ column_id: each }) => each !== id);
  const fitting = Math.max(LEAST_PX, Math.min(MOST_PX, Math.round(width)));
  return { ...view, widths: [...others, { column_id: id, width: fitting }] };
}

/**
 * The position in the sheet that a visible column gets when it swaps places with a neighbour; null at the edge. Pinned
 * columns stay among themselves.
 */
export function positionBeside(
  columns: ColumnBody[],
  { shown, pinned }: Arranged,
  at: number,
  step: -1 | 1,
): number | null {
  const neighbour = shown[at + step];
  if (!neighbour || at < pinned !== at + step < pinned) return null;
  return columns.indexOf(neighbour);
}

/** Removes deleted columns from a view. */
export function ofColumns(view: View, columns: ColumnBody[]): View {
  const known = new Set(columns.map(({ id }) => id));
  return {
    row_lines: view.row_lines ?? 1,
    hidden_column_ids: view.hidden_column_ids.filter((id) => known.has(id)),
    pinned_column_ids: view.pinned_column_ids.filter((id) => known.has(id)),
    widths: view.widths.filter(({ column_id: id }) => known.has(id)),
  };
}
