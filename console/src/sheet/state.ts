/** In the query of the URL. `cell` is row.column, from 1, and `to` is where a range ends. */
export const DEFAULTS = { cell: '1.1', to: '', panel: '', side: '', status: '', at: '', import: '' };
export type SheetState = typeof DEFAULTS;

export type SetState = (change: Partial<SheetState>, how?: { replace: boolean }) => void;

/** Which dialog is open. */
export type Open = 'column' | 'recalculate' | { column: number } | null;

export interface SideProps {
  state: SheetState;
  set: SetState;
}

export const ROW_PX = 32;
