import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useState,
} from 'react';
import { nextByTab, pastedText, type Spot } from './selection';
import { useSheet } from './sheet-data';
import type { EditedCell, Edits } from './use-edits';
import { type Opened, useEditor } from './use-editor';

export interface Editor {
  /** Opens for a cell, with its unsaved text or else its stored one. */
  start: (spot: Spot, cell?: EditedCell) => void;
  /** Restores the text that Escape discarded; false when there is none. */
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
  rowCount: number;
  placeOf: (spot: Spot) => { top: number; left: number; width: number };
  onMove: (spot: Spot) => void;
}

/**
 * The field that has the focus of the grid. It waits over the selected cell, so that the first key, a composition or a
 * paste arrives.
 */
export function CellEditor({ editor, head, edits, rowCount, placeOf, onMove }: Props) {
  const { columns, types, canEdit, store } = useSheet();
  const { at, move } = useAddedRow({ head, rowCount, onMove }, !store.isSelecting);
  const { opened, field, focus, type, start, restore, leave } = useEditor(edits, at);
  const commit = () => leave('commit');
  useImperativeHandle(editor, () => ({ start, restore, commit, focus }));
  const spot = opened?.spot ?? at;
  const { top, left, width } = placeOf(spot);
  const isEditable = canEdit && types.get(columns[at.column]?.type ?? '')?.edits;
  const isAdded = at !== head;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!opened && isAdded) keyInAdded(event, () => start(at));
    if (!opened) return;
    event.stopPropagation();
    if (event.nativeEvent.isComposing || event.keyCode === COMPOSING) return;
    if (!isEnd(event)) return;
    const next = nextOf(event, opened.spot, { rows: rowCount, columns: columns.length });
    // Beyond the last cell Tab leaves the grid.
    if (next || event.key !== 'Tab') event.preventDefault();
    leave(event.key === 'Escape' ? 'escape' : 'commit');
    if (next) move(next);
  };
  const stop = (event: { stopPropagation: () => void }) => opened && event.stopPropagation();
  const onPaste = (event: ClipboardEvent) => {
    if (opened || !isAdded) return stop(event);
    event.stopPropagation();
    event.preventDefault();
    edits.paste(pastedText(event), { anchor: at, head: at });
  };
  return (
    // A cell of its own: a grid has rows and cells only.
    <div role="row" aria-rowindex={spot.row + 2}>
      <div role="gridcell" aria-colindex={spot.column + 1}>
        <textarea
          ref={field}
          dir="auto"
          tabIndex={0}
          aria-describedby={`cell-${spot.row}-${spot.column}`}
          {...(opened ? lookOf(opened) : isAdded ? ADDED : IDLE)}
          readOnly={!opened && !isEditable}
          style={{ transform: `translate(${left}px, ${top}px)`, width: opened ? Math.max(width, 160) : width }}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
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

/** Enter in the last row leads to a new row below it. The new row is selected once it is stored. */
function useAddedRow({ head, rowCount, onMove }: Pick<Props, 'head' | 'rowCount' | 'onMove'>, mayAdd: boolean) {
  const [added, setAdded] = useState<Spot | null>(null);
  useEffect(() => setAdded(null), [head.row, head.column]);
  useEffect(() => {
    if (added && added.row < rowCount) onMove(added);
  }, [added, rowCount, onMove]);
  const move = (next: Spot) => (next.row < rowCount || !mayAdd ? onMove(next) : setAdded(next));
  return { at: added ?? head, move };
}

/** Keys in a new row without text. The grid would act on the selected row, which is another one. */
function keyInAdded(event: KeyboardEvent, start: () => void): void {
  const isStart = event.key === 'Enter' || event.key === 'F2';
  if (!isStart && event.key !== 'Delete' && event.key !== 'Backspace') return;
  event.stopPropagation();
  event.preventDefault();
  if (isStart) start();
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

const ADDED = { ...IDLE, className: 'cell-editor', 'aria-label': 'New row', placeholder: 'New row' } as const;

function lookOf({ text, before }: Opened) {
  return {
    className: 'cell-editor',
    'aria-label': 'Value',
    rows: Math.min(8, text.split('\n').length),
    placeholder: before && 'Loading…',
    value: text,
  };
}

/** Whether a key ends what is typed. */
const isEnd = ({ key, shiftKey }: KeyboardEvent): boolean =>
  key === 'Escape' || key === 'Tab' || (key === 'Enter' && !shiftKey);

/** The cell to which a closing key leads; null to stay. A row that is being added is the last one. */
function nextOf({ key, shiftKey }: KeyboardEvent, spot: Spot, size: { rows: number; columns: number }): Spot | null {
  if (key === 'Tab') return nextByTab(spot, shiftKey, { ...size, rows: Math.max(size.rows, spot.row + 1) });
  return key === 'Enter' ? { row: spot.row + 1, column: spot.column } : null;
}
