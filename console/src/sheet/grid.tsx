import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type Across, columnsInView, offsetsOf } from '../ui/column-window';
import { rowsInView, scrollToRow, type View, type Window } from '../ui/windowing';
import { useMeasured, useRows } from '../ui/use-rows';
import { CellEditor } from './cell-editor';
import { type ColumnMenu, useColumnMenu } from './column-menu';
import { type Acting, actOn } from './grid-keys';
import { HeadRow, marksIn, Row, RowNumbers } from './grid-parts';
import { areaOf, type GridSize, type Selection, type Spot, within } from './selection';
import { useSheet, useStoreRevision } from './sheet-data';
import { ROW_PX } from './state';
import { type Part, tilesIn } from './tiles';
import { type Editing, useEditing } from './use-editing';
import type { Edits } from './use-edits';

const NUMBERS_PX = 64;
const HEAD_PX = 32;
/** While somebody scrolls fast nothing is asked for. */
const SETTLED_MS = 60;

interface Props {
  rowCount: number;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onPanel: () => void;
  onColumn: (column: number) => void;
  edits: Edits;
}

/** The cells of a sheet: as many as are in view, with the keys of a spreadsheet. */
export function Grid({ rowCount, selection, onSelect, onPanel, onColumn, edits }: Props) {
  const { columns, store, arranging } = useSheet();
  useStoreRevision(store);
  const offsets = useMemo(() => offsetsOf(arranging.widths), [arranging.widths]);
  const { scroller, window: rows } = useRows(rowCount, ROW_PX);
  const across = useAcross(scroller, offsets, arranging.pinned);
  const onMove = useTilesInView(rows, across, rowCount);
  useShown(scroller, { offsets, pinned: across.pinned, onMove }, selection.head);
  const page = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 600) - HEAD_PX) / ROW_PX) - 1);
  const size: GridSize = { rows: rowCount, columns: columns.length, page };
  const select = (spot: Spot, isRange = false) => onSelect({ anchor: isRange ? selection.anchor : spot, head: spot });
  const editing = useEditing({ scroller, edits, onMove: (spot) => select(within(spot, size)) });
  const { head } = selection;
  const area = useMemo(() => areaOf(selection), [selection]);
  const common = { offsets, across };
  const menu = useColumnMenu({
    scroller,
    at: head.column,
    onColumn,
    onPlace: (column) => select(within({ ...head, column }, size)),
  });
  const shown = Array.from({ length: rows.end - rows.first }, (_, at) => rows.first + at);
  return (
    <>
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        className="sheet-grid"
        aria-label="Cells"
        aria-rowcount={rowCount + 1}
        aria-colcount={columns.length}
        aria-multiselectable="true"
        aria-activedescendant={`cell-${head.row}-${head.column}`}
        {...typing({ selection, size, onSelect, edit: editing.start, onPanel, edits }, { menu, editing })}
      >
        <HeadRow {...common} area={area} onColumn={onColumn} onMenu={menu.open} />
        <div
          role="rowgroup"
          className="cells"
          style={{ height: rowCount * ROW_PX, width: NUMBERS_PX + offsets.at(-1)! }}
          {...pointing(head, select, editing.start)}
        >
          <RowNumbers rows={shown} active={area} />
          {/* The key of a row is its own: were elements that scroll out given to others, all would be moved on the way up. */}
          {shown.map((row) => (
            <Row key={row} row={row} revision={store.revision} {...common} {...marksIn(row, area, head)} />
          ))}
          <Editor
            editing={editing}
            offsets={offsets}
            scrolled={editing.at && editing.at.column < across.pinned ? scroller.current!.scrollLeft : 0}
          />
        </div>
      </div>
      {menu.element}
    </>
  );
}

/** `scrolled`: how far a cell has gone with the scrolling that stays in its place. */
function Editor({ editing, offsets, scrolled }: { editing: Editing; offsets: number[]; scrolled: number }) {
  const { at, read, save, close } = editing;
  if (!at) return null;
  const left = offsets[at.column]!;
  const place = { top: at.row * ROW_PX, left: NUMBERS_PX + left + scrolled, width: offsets[at.column + 1]! - left };
  return <CellEditor place={place} text={at.text} read={read} onSave={save} onClose={close} />;
}

/** What the keys do, unless a cell is edited, and pasting. */
function typing(acting: Acting, { menu, editing }: { menu: ColumnMenu; editing: Editing }) {
  return {
    onKeyDown: (event: KeyboardEvent) => {
      if (editing.at || event.target !== event.currentTarget) return;
      if (menu.act(event) || (!event.altKey && actOn(event, acting))) event.preventDefault();
    },
    onPaste: (event: ClipboardEvent) => {
      if (editing.at) return;
      event.preventDefault();
      void acting.edits.paste(event.clipboardData.getData('text/plain'), acting.selection);
    },
  };
}

/** Choosing cells with a mouse or a finger. */
function pointing(head: Spot, select: (spot: Spot, isRange?: boolean) => void, edit: (spot: Spot) => void) {
  return {
    onPointerDown: (event: PointerEvent) => {
      const spot = spotOf(event.target);
      if (spot) select(spot, event.shiftKey);
    },
    onPointerMove: (event: PointerEvent) => {
      const spot = event.buttons === 1 ? spotOf(event.target) : null;
      if (spot && (spot.row !== head.row || spot.column !== head.column)) select(spot, true);
    },
    onDoubleClick: (event: MouseEvent) => {
      const spot = spotOf(event.target);
      if (spot) edit(spot);
    },
  };
}

function spotOf(target: EventTarget): Spot | null {
  const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-column]') : null;
  return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : null;
}

/** Which columns are in view. */
function useAcross(scroller: RefObject<HTMLDivElement | null>, offsets: number[], pins: number): Across {
  const [view, setView] = useState({ left: 0, width: 1600 });
  useMeasured(scroller, ({ scrollLeft: left, clientWidth: width }) =>
    setView((last) => (last.left === left && last.width === width ? last : { left, width })),
  );
  const width = Math.max(1, view.width - NUMBERS_PX);
  const { first, end, pinned } = columnsInView({ left: view.left, width }, offsets, pins);
  return useMemo(() => ({ first, end, pinned }), [first, end, pinned]);
}

/** Asks for the cells in view once scrolling has settled. What it returns asks for those of a place at once. */
function useTilesInView(rows: Window, across: Across, rowCount: number): (view: View) => void {
  const { store } = useSheet();
  const key = JSON.stringify(tilesIn(rows, across));
  useEffect(() => {
    const timer = setTimeout(() => store.show(JSON.parse(key) as Part[]), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [store, key]);
  return (view) => store.show(tilesIn(rowsInView(view, ROW_PX, rowCount), across));
}

/** Scrolls to the cell that was gone to. Only going somewhere scrolls: widths and columns that change do not. */
function useShown(
  scroller: RefObject<HTMLDivElement | null>,
  columns: { offsets: number[]; pinned: number; onMove: (view: View) => void },
  { row, column }: Spot,
): void {
  const places = useRef(columns);
  places.current = columns;
  useLayoutEffect(() => {
    const element = scroller.current!;
    const height = element.clientHeight;
    const top = scrollToRow({ top: element.scrollTop, height: height - HEAD_PX }, ROW_PX, row);
    const { offsets, pinned, onMove } = places.current;
    if (top !== null) element.scrollTop = top;
    onMove({ top: element.scrollTop, height });
    if (column < pinned) return;
    const [left, right] = [offsets[column] ?? 0, offsets[column + 1] ?? 0];
    const width = element.clientWidth - NUMBERS_PX;
    if (left - offsets[pinned]! < element.scrollLeft) element.scrollLeft = left - offsets[pinned]!;
    else if (right > element.scrollLeft + width) element.scrollLeft = Math.min(left, right - width);
  }, [scroller, row, column]);
}
