import {
  type ClipboardEvent,
  type FocusEvent,
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
import { CellEditor, type Editor } from './cell-editor';
import { type ColumnMenu, useColumnMenu } from './column-menu';
import { type Acting, actOn } from './grid-keys';
import { HeadRow, marksIn, Row, RowNumbers } from './grid-parts';
import { areaOf, type GridSize, pastedText, type Selection, type Spot, within } from './selection';
import { useSheet, useStoreRevision } from './sheet-data';
import { rowPx } from './state';
import { type Part, tilesIn } from './tiles';
import type { Edits } from './use-edits';

const NUMBERS_PX = 64;
const HEAD_PX = 32;
/** Pause in scrolling before cells are requested. */
const SETTLED_MS = 60;

interface Props {
  rowCount: number;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onPanel: () => void;
  /** Opens the panel with the whole value. */
  onBeside: () => void;
  /** Opens a column by its id. */
  onColumn: (id: string) => void;
  onFilter: (id: string) => void;
  edits: Edits;
  editor: RefObject<Editor | null>;
}

/** The cells of a sheet: as many as are in view, with the keys of a spreadsheet. */
export function Grid({ rowCount, selection, onSelect, onPanel, onBeside, onColumn, onFilter, edits, editor }: Props) {
  const { columns, store, arranging } = useSheet();
  useStoreRevision(store);
  const offsets = useMemo(() => offsetsOf(arranging.widths), [arranging.widths]);
  const height = rowPx(arranging.lines);
  const { scroller, window: rows } = useRows(rowCount, height);
  const across = useAcross(scroller, offsets, arranging.pinned);
  const onMove = useTilesInView(rows, across, { rowCount, height });
  useShown(scroller, { offsets, pinned: across.pinned, height, onMove }, selection.head);
  const page = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 600) - HEAD_PX) / height) - 1);
  const size: GridSize = { rows: rowCount, columns: columns.length, page };
  const select = (spot: Spot, isRange = false) => onSelect({ anchor: isRange ? selection.anchor : spot, head: spot });
  const { head } = selection;
  const area = useMemo(() => areaOf(selection), [selection]);
  const common = { offsets, across, height };
  const onPlace = (column: number) => select(within({ ...head, column }, size));
  const menu = useColumnMenu({ scroller, at: head.column, onColumn, onFilter, onPlace });
  const shown = Array.from({ length: rows.end - rows.first }, (_, at) => rows.first + at);
  return (
    <>
      <div
        ref={scroller}
        role="grid"
        className="sheet-grid"
        data-lines={arranging.lines}
        aria-label="Cells"
        aria-rowcount={rowCount + 1}
        aria-colcount={columns.length}
        aria-multiselectable="true"
        {...useTyping({ selection, size, onSelect, onPanel, onBeside, edits, editor }, menu)}
      >
        <HeadRow {...common} area={area} onColumn={onColumn} onMenu={menu.open} />
        <div
          role="rowgroup"
          className="cells"
          style={{ height: rowCount * height, width: NUMBERS_PX + offsets.at(-1)! }}
          {...pointing(head, select, { editor, edits, onBeside })}
        >
          <RowNumbers rows={shown} active={area} height={height} />
          {/* Each row has its own key: if elements were reused for other rows, scrolling up would move all of them. */}
          {shown.map((row) => (
            <Row key={row} row={row} revision={store.revision} {...common} {...marksIn(row, area, head)} />
          ))}
          <CellEditor
            editor={editor}
            head={head}
            edits={edits}
            rowCount={rowCount}
            placeOf={(spot) => placeOf(spot, { offsets, pinned: across.pinned, height, scroller })}
            onMove={(spot) => select(within(spot, size))}
          />
        </div>
      </div>
      {menu.element}
    </>
  );
}

interface Columns {
  offsets: number[];
  pinned: number;
  /** Height of a row in pixels. */
  height: number;
  scroller: RefObject<HTMLDivElement | null>;
}

/** The position of a cell. A cell of a pinned column keeps it while others scroll. */
function placeOf({ row, column }: Spot, { offsets, pinned, height, scroller }: Columns) {
  const left = offsets[column] ?? 0;
  const scrolled = column < pinned ? (scroller.current?.scrollLeft ?? 0) : 0;
  return { top: row * height, left: NUMBERS_PX + left + scrolled, width: (offsets[column + 1] ?? left) - left };
}

/** Handlers of keys, while no cell is edited, and of pasting. The editor has the focus, so the grid passes keys on. */
function useTyping(acting: Acting, menu: ColumnMenu) {
  const { editor, edits, selection } = acting;
  const leaving = useRef(false);
  /** Escape, and Tab or Shift Tab as the next key. */
  const leaves = ({ key }: KeyboardEvent) => {
    const isLeaving = leaving.current && key === 'Tab';
    if (key !== 'Shift') leaving.current = key === 'Escape';
    return isLeaving;
  };
  return {
    // The field of the selected cell is the stop for Tab: with a second one around it, Shift Tab would never get out.
    tabIndex: -1,
    'aria-description': 'Tab goes to the next cell. Escape, then Tab, leaves the grid. F6 goes to the panel.',
    onBlur: () => {
      leaving.current = false;
    },
    onFocus: ({ target, currentTarget }: FocusEvent) => target === currentTarget && editor.current?.focus(),
    onKeyDown: (event: KeyboardEvent) => {
      const isOurs = event.target === event.currentTarget || event.target instanceof HTMLTextAreaElement;
      if (!isOurs || event.nativeEvent.isComposing || leaves(event)) return;
      if (menu.act(event) || (!event.altKey && actOn(event, acting))) event.preventDefault();
    },
    onPaste: (event: ClipboardEvent) => {
      event.preventDefault();
      edits.paste(pastedText(event), selection);
    },
  };
}

/** Choosing cells with a mouse or a finger. */
function pointing(
  head: Spot,
  select: (spot: Spot, isRange?: boolean) => void,
  { editor, edits, onBeside }: Pick<Props, 'editor' | 'edits' | 'onBeside'>,
) {
  return {
    onPointerDown: (event: PointerEvent) => {
      const spot = spotOf(event.target);
      if (!spot) return;
      editor.current?.commit();
      select(spot, event.shiftKey);
    },
    onPointerMove: (event: PointerEvent) => {
      const spot = event.buttons === 1 ? spotOf(event.target) : null;
      if (spot && (spot.row !== head.row || spot.column !== head.column)) select(spot, true);
    },
    onDoubleClick: (event: MouseEvent) => {
      const spot = spotOf(event.target);
      if (!spot) return;
      if (edits.opensBeside(spot, { isLarge: true })) onBeside();
      else editor.current?.start(spot);
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

/**
 * Requests the cells in view once scrolling has settled. The returned function requests the cells of a view at once.
 */
function useTilesInView(
  rows: Window,
  across: Across,
  { rowCount, height }: { rowCount: number; height: number },
): (view: View) => void {
  const { store } = useSheet();
  const key = JSON.stringify(tilesIn(rows, across));
  useEffect(() => {
    const timer = setTimeout(() => store.show(JSON.parse(key) as Part[]), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [store, key]);
  return (view) => store.show(tilesIn(rowsInView(view, height, rowCount), across));
}

interface ShownColumns {
  offsets: number[];
  pinned: number;
  height: number;
  onMove: (view: View) => void;
}

/**
 * Scrolls to the selected cell, and keeps it in view when the grid becomes smaller, for example beside a panel. Changes
 * of widths and columns do not scroll.
 */
function useShown(scroller: RefObject<HTMLDivElement | null>, columns: ShownColumns, head: Spot): void {
  const places = useRef({ columns, head });
  places.current = { columns, head };
  const { row, column } = head;
  useLayoutEffect(() => {
    const element = scroller.current!;
    scrollToCell(element, columnsAndHead(places.current));
    places.current.columns.onMove({ top: element.scrollTop, height: element.clientHeight });
  }, [scroller, row, column]);
  const room = useRef({ width: 0, height: 0 });
  useMeasured(scroller, (element) => {
    const { clientWidth: width, clientHeight: height } = element;
    const before = room.current;
    room.current = { width, height };
    const isLess = width < before.width || height < before.height;
    const wasInView = scrollOf(element, before, columnsAndHead(places.current)) === null;
    if (isLess && wasInView) scrollToCell(element, columnsAndHead(places.current));
  });
}

type CellPlace = Spot & Pick<ShownColumns, 'offsets' | 'pinned' | 'height'>;

const columnsAndHead = ({
  columns: { offsets, pinned, height },
  head,
}: {
  columns: ShownColumns;
  head: Spot;
}): CellPlace => ({
  ...head,
  offsets,
  pinned,
  height,
});

function scrollToCell(element: HTMLElement, place: CellPlace): void {
  const to = scrollOf(element, { width: element.clientWidth, height: element.clientHeight }, place);
  if (to) Object.assign(element, to);
}

/** Scroll offsets of an element of this size that show a cell; null when the cell is in view. */
function scrollOf(
  { scrollTop, scrollLeft }: HTMLElement,
  room: { width: number; height: number },
  { row, column, offsets, pinned, height }: CellPlace,
): { scrollTop: number; scrollLeft: number } | null {
  const top = scrollToRow({ top: scrollTop, height: room.height - HEAD_PX }, height, row) ?? scrollTop;
  const [start, left, right] = [offsets[pinned] ?? 0, offsets[column] ?? 0, offsets[column + 1] ?? 0];
  const width = room.width - NUMBERS_PX;
  let across = scrollLeft;
  if (column >= pinned && left - start < scrollLeft) across = left - start;
  else if (column >= pinned && right > scrollLeft + width) across = Math.min(left, right - width);
  return top === scrollTop && across === scrollLeft ? null : { scrollTop: top, scrollLeft: across };
}
