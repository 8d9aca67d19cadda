import { type KeyboardEvent, type RefObject, useImperativeHandle } from 'react';
import type { Spot } from './selection';
import { useSheet } from './sheet-data';
import type { EditedCell, Edits } from './use-edits';
import { type Opened, useEditor } from './use-editor';

export interface Editor {
  /** Opens for a cell, with the text that is not saved yet, or else with what stands there. */
  start: (spot: Spot, cell?: EditedCell) => void;
  /** Brings back the text that Escape has taken away; false where there is none. */
  restore: () => boolean;
  /** Saves in the background what was typed, and closes. */
  commit: () => void;
  focus: () => void;
}

interface Props {
  editor: RefObject<Editor | null>;
  /** The selected cell. */
  head: Spot;
  edits: Edits;
  placeOf: (spot: Spot) => { top: number; left: number; width: number };
  onMove: (spot: Spot) => void;
}

/** The field that has the focus of the grid. It waits over the selected cell, so that the first key, a composition or a paste arrives. */
export function CellEditor({ editor, head, edits, placeOf, onMove }: Props) {
  const { columns, types, canEdit } = useSheet();
  const { opened, field, focus, type, start, restore, leave } = useEditor(edits, head);
  const commit = () => leave('commit');
  useImperativeHandle(editor, () => ({ start, restore, commit, focus }));
  const spot = opened?.spot ?? head;
  const { top, left, width } = placeOf(spot);
  const isEditable = canEdit && types.get(columns[head.column]?.type ?? '')?.edits;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!opened) return;
    event.stopPropagation();
    if (event.nativeEvent.isComposing || event.keyCode === COMPOSING) return;
    const next = nextOf(event, opened.spot);
    if (!next && event.key !== 'Escape') return;
    event.preventDefault();
    leave(next ? 'commit' : 'escape');
    if (next) onMove(next);
  };
  const stop = (event: { stopPropagation: () => void }) => opened && event.stopPropagation();
  return (
    // A cell of its own: a grid has rows and cells only.
    <div role="row" aria-rowindex={spot.row + 2}>
      <div role="gridcell" aria-colindex={spot.column + 1}>
        <textarea
          ref={field}
          tabIndex={-1}
          aria-describedby={`cell-${spot.row}-${spot.column}`}
          {...(opened ? lookOf(opened) : IDLE)}
          readOnly={!opened && !isEditable}
          style={{ transform: `translate(${left}px, ${top}px)`, width: opened ? Math.max(width, 160) : width }}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={stop}
          onPointerDown={stop}
          onDoubleClick={stop}
          onBlur={(event) => {
            // A click elsewhere saves, as in every spreadsheet; leaving the window does not.
            if (event.relatedTarget || document.hasFocus()) commit();
          }}
        />
      </div>
    </div>
  );
}

/** The key code of keys that belong to a composition. Safari ends it before the key arrives. */
const COMPOSING = 229;

/** The keyboard of a touch screen comes only when a cell is opened. */
const IDLE = {
  className: 'cell-editor idle',
  'aria-label': 'Selected cell',
  inputMode: 'none',
  rows: 1,
  value: '',
} as const;

function lookOf({ text, before }: Opened) {
  return {
    className: 'cell-editor',
    'aria-label': 'Value',
    rows: Math.min(8, text.split('\n').length),
    placeholder: before && 'Loading…',
    value: text,
  };
}

/** Where a key that saves leads to; null for other keys. */
function nextOf({ key, shiftKey }: KeyboardEvent, { row, column }: Spot): Spot | null {
  if (key === 'Tab') return { row, column: column + (shiftKey ? -1 : 1) };
  return key === 'Enter' && !shiftKey ? { row: row + 1, column } : null;
}
