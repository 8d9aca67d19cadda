import type { KeyboardEvent } from 'react';
import { type GridSize, moved, type Selection, type Spot } from './selection';
import type { Edits } from './use-edits';

export interface Acting {
  selection: Selection;
  size: GridSize;
  onSelect: (selection: Selection) => void;
  edit: (spot: Spot, text?: string) => void;
  onPanel: () => void;
  edits: Edits;
}

/** Does what a key says; false for keys that say nothing here. */
export function actOn(event: KeyboardEvent, acting: Acting): boolean {
  const { selection, size, onSelect, edit, onPanel, edits } = acting;
  const { key, ctrlKey, metaKey, shiftKey } = event;
  const spot = moved(selection, event, size);
  if (spot) {
    onSelect({ anchor: shiftKey && key !== 'Tab' ? selection.anchor : spot, head: spot });
    return true;
  }
  if (ctrlKey || metaKey) return actWithCtrl(key.toLowerCase(), acting);
  if (key === ' ') onPanel();
  else if (key === 'Enter' || key === 'F2') edit(selection.head);
  else if (key === 'Delete' || key === 'Backspace') void edits.clear(selection);
  else if ([...key].length === 1) edit(selection.head, key);
  else return false;
  return true;
}

function actWithCtrl(key: string, { selection, size, onSelect, edits }: Acting): boolean {
  const last = { row: size.rows - 1, column: size.columns - 1 };
  if (key === 'c') void edits.copy(selection);
  else if (key === 'z') void edits.undo();
  else if (key === 'a') onSelect({ anchor: last, head: { row: 0, column: 0 } });
  else return false;
  return true;
}
