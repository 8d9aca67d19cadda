import type { KeyboardEvent, RefObject } from 'react';
import type { Editor } from './cell-editor';
import { type GridSize, moved, type Selection } from './selection';
import type { Edits } from './use-edits';

export interface Acting {
  selection: Selection;
  size: GridSize;
  onSelect: (selection: Selection) => void;
  onPanel: () => void;
  onBeside: () => void;
  edits: Edits;
  editor: RefObject<Editor | null>;
}

/** Runs the action of a key; false for keys without one, such as Tab in the last cell. */
export function actOn(event: KeyboardEvent, acting: Acting): boolean {
  const { selection, size, onSelect, onPanel, onBeside, edits, editor } = acting;
  const { key, ctrlKey, metaKey, shiftKey } = event;
  const spot = moved(selection, event, size);
  if (spot) {
    onSelect({ anchor: shiftKey && key !== 'Tab' ? selection.anchor : spot, head: spot });
    return true;
  }
  if (ctrlKey || metaKey) return actWithCtrl(key.toLowerCase(), acting);
  const start = () =>
    edits.opensBeside(selection.head, { isLarge: false }) ? onBeside() : editor.current?.start(selection.head);
  const clear = () => edits.clear(selection);
  const panel = document.querySelector<HTMLElement>('.panel-body');
  const acts: Record<string, () => void> = {
    ' ': onPanel,
    Enter: start,
    F2: start,
    ...(panel && { F6: () => panel.focus() }),
    Delete: clear,
    Backspace: clear,
  };
  if (Object.hasOwn(acts, key)) {
    acts[key]!();
    return true;
  }
  // The focused editor receives the letter itself.
  return [...key].length === 1 && edits.refuses(selection.head.column);
}

function actWithCtrl(key: string, { selection, size, onSelect, edits, editor }: Acting): boolean {
  const last = { row: size.rows - 1, column: size.columns - 1 };
  if (key === 'c') void edits.copy(selection);
  else if (key === 'z') void (editor.current?.restore() || edits.undo());
  else if (key === 'a') onSelect({ anchor: last, head: { row: 0, column: 0 } });
  else return false;
  return true;
}
