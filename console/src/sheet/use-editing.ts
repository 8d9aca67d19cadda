import { type RefObject, useState } from 'react';
import type { Spot } from './selection';
import { useSheet } from './sheet-data';
import type { Edits } from './use-edits';

/** What is being typed, and where. */
export interface Editing {
  /** `text` is what was typed to begin with; null for what stands in the cell. Null when nothing is edited. */
  at: (Spot & { text: string | null }) | null;
  start: (spot: Spot, text?: string) => void;
  /** Gives the whole text of the cell. */
  read: () => Promise<string>;
  /** Gives false when it was refused. */
  save: (text: string, then: 'down' | 'right' | 'stay') => Promise<boolean>;
  close: () => void;
}

interface Options {
  scroller: RefObject<HTMLDivElement | null>;
  edits: Edits;
  /** Goes to the next cell, which may be none. */
  onMove: (spot: Spot) => void;
}

export function useEditing({ scroller, edits, onMove }: Options): Editing {
  const { columns, types, canEdit, notify } = useSheet();
  const [at, setAt] = useState<Editing['at']>(null);
  const start = (spot: Spot, text: string | null = null) => {
    const column = columns[spot.column];
    if (!canEdit) return notify({ text: 'Cells cannot be edited here.', isBad: true });
    if (column && types.get(column.type)?.edits) return setAt({ ...spot, text });
    notify({ text: `“${column?.title}” is computed, so its cells cannot be edited.`, isBad: true });
  };
  const close = () => {
    setAt(null);
    scroller.current?.focus({ preventScroll: true });
  };
  const save = async (text: string, then: 'down' | 'right' | 'stay') => {
    const { row, column } = at!;
    const isSaved = await edits.write([{ row, column, text: text === '' ? null : text }]);
    if (!isSaved) return false;
    // Somebody who has clicked elsewhere is there already.
    if (then === 'stay') {
      setAt(null);
      return true;
    }
    close();
    onMove(then === 'down' ? { row: row + 1, column } : { row, column: column + 1 });
    return true;
  };
  return { at, start, read: () => edits.fullText(at!.row, at!.column), save, close };
}
