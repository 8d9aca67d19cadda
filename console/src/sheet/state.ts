/**
 * In the query of the URL. `cell` is row.column, from 1, and `to` is where a range ends. `feed` is the feed whose form is open, or
 * `new`; `take` is what a list has asked a new one to take.
 */
export const DEFAULTS = {
  cell: '1.1',
  to: '',
  panel: '',
  side: '',
  status: '',
  where: '',
  sort: '',
  order: 'asc',
  at: '',
  import: '',
  feed: '',
  take: '',
};
export type SheetState = typeof DEFAULTS;

export type SetState = (change: Partial<SheetState>, how?: { replace: boolean }) => void;

/** Which dialog is open. Columns are known by their ids, because others may move them meanwhile. */
export type Open = 'column' | 'recalculate' | { column: string } | { filter: string } | null;

export interface SideProps {
  state: SheetState;
  set: SetState;
}

/** Lines of text that a row may show, by what people call it. */
export const ROW_HEIGHTS = { 1: 'Compact', 3: 'Three lines', 8: 'Eight lines' };

const LINE_PX = 18;
const AROUND_PX = 14;

/** Height of a row with this number of lines. */
export const rowPx = (lines: number): number => lines * LINE_PX + AROUND_PX;
