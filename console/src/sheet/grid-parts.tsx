import { memo, type PointerEvent, type ReactNode } from 'react';
import type { Across } from '../ui/column-window';
import { count } from '../ui/format';
import { Icon } from '../ui/icons';
import { isNumber, shownIn, wordOf } from './cell-line';
import type { Area, Spot } from './selection';
import { useSheet } from './sheet-data';
import type { GridCell } from './tiles';

interface Common {
  offsets: number[];
  across: Across;
  /** Height of a row in pixels. */
  height: number;
}

const between = (first: number, end: number) => Array.from({ length: end - first }, (_, at) => first + at);

/** Draws the columns in view. The pinned ones are in an element that stays at the left. */
function columnsOf({ first, end, pinned }: Across, draw: (at: number) => ReactNode): ReactNode {
  return (
    <>
      {pinned > 0 && <div className="pinned">{between(0, pinned).map(draw)}</div>}
      {between(first, end).map(draw)}
    </>
  );
}

interface HeadProps extends Omit<Common, 'height'> {
  area: Area;
  onColumn: (id: string) => void;
  onMenu: (column: number) => void;
}

export function HeadRow({ offsets, across, area, onColumn, onMenu }: HeadProps) {
  const { columns, state } = useSheet();
  return (
    <div role="rowgroup" className="grid-head" style={{ width: 64 + offsets.at(-1)! }}>
      <div role="row" aria-rowindex={1}>
        <div className="corner" aria-hidden="true" />
        {columnsOf(across, (at) => {
          const { id, title } = columns[at]!;
          const width = offsets[at + 1]! - offsets[at]!;
          return (
            <div
              key={id}
              role="columnheader"
              aria-colindex={at + 1}
              aria-sort={state.sort === id ? (state.order === 'desc' ? 'descending' : 'ascending') : undefined}
              className={at >= area.left && at <= area.right ? 'active' : undefined}
              style={{ transform: `translateX(${offsets[at]! + (at < across.pinned ? 0 : 64)}px)`, width }}
              onContextMenu={(event) => {
                event.preventDefault();
                onMenu(at);
              }}
            >
              <HeadTitle at={at} onColumn={onColumn} />
              <button tabIndex={-1} className="more" aria-label={`Menu of ${title}`} onClick={() => onMenu(at)}>
                <Icon name="down" />
              </button>
              <Grip id={id} width={width} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function HeadTitle({ at, onColumn }: { at: number; onColumn: (id: string) => void }) {
  const { columns, types, state } = useSheet();
  const { id, title, type } = columns[at]!;
  const name = types.get(type)?.title ?? type;
  return (
    <button tabIndex={-1} onClick={() => onColumn(id)} title={`${title} · ${name}`}>
      <span dir="auto" className="ellipsis">
        {title}
      </span>
      {state.sort === id && <span aria-hidden="true">{state.order === 'desc' ? '↓' : '↑'}</span>}
      {type !== 'TEXT' && <span className="type ellipsis">{name}</span>}
    </button>
  );
}

/** The edge of a column, for dragging its width. */
function Grip({ id, width }: { id: string; width: number }) {
  const { arranging } = useSheet();
  const drag = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const from = event.clientX;
    const target = event.currentTarget as HTMLElement;
    target.onpointermove = ({ clientX }) => arranging.setWidth(id, width + clientX - from);
    target.onpointerup = () => {
      target.onpointermove = target.onpointerup = null;
      arranging.keep();
    };
    event.preventDefault();
  };
  return <span className="grip" aria-hidden="true" onPointerDown={drag} />;
}

/** One element that stays at the left, instead of a cell in every row: layout is much cheaper. */
export function RowNumbers({ rows, active, height }: { rows: number[]; active: Area; height: number }) {
  const { store } = useSheet();
  return (
    <div className="row-numbers" aria-hidden="true">
      {rows.map((row) => {
        const index = store.cell(row, 0)?.index;
        const isActive = row >= active.top && row <= active.bottom;
        return (
          <div
            key={row}
            className={isActive ? 'active' : undefined}
            style={{ transform: `translateY(${row * height}px)` }}
          >
            {index === undefined ? '' : count(index + 1)}
          </div>
        );
      })}
    </div>
  );
}

/** Columns of one row: those that are selected, and the one with the cursor. -1 is none. */
interface Marks {
  from: number;
  to: number;
  head: number;
}

/** Numbers, so that moving the cursor redraws only rows whose marks change. */
export function marksIn(row: number, area: Area, head: Spot): Marks {
  const [from, to] = row >= area.top && row <= area.bottom ? [area.left, area.right] : [-1, -1];
  return { from, to, head: row === head.row ? head.column : -1 };
}

/** `revision` changes when cells have loaded. */
export const Row = memo(function Row(props: Common & Marks & { row: number; revision: number }) {
  const { row, offsets, across, height, from, to, head } = props;
  return (
    <div role="row" className="row" aria-rowindex={row + 2} style={{ transform: `translateY(${row * height}px)` }}>
      {columnsOf(across, (at) => (
        <Cell
          key={at}
          row={row}
          column={at}
          left={offsets[at]!}
          width={offsets[at + 1]! - offsets[at]!}
          isSelected={at >= from && at <= to}
          isHead={at === head}
        />
      ))}
    </div>
  );
});

interface CellProps {
  row: number;
  column: number;
  left: number;
  width: number;
  isSelected: boolean;
  isHead: boolean;
}

function Cell({ row, column, left, width, isSelected, isHead }: CellProps) {
  const { store, columns, types, arranging } = useSheet();
  const cell = store.cell(row, column);
  const word = cell && wordOf(cell);
  const isBad = cell?.draft?.state === 'unsaved' || cell?.status === 'error';
  return (
    <div
      role="gridcell"
      id={`cell-${row}-${column}`}
      data-row={row}
      data-column={column}
      className={classesOf(cell, { selected: isSelected, head: isHead })}
      aria-colindex={column + 1}
      aria-selected={isSelected}
      style={{ transform: `translateX(${left}px)`, width }}
    >
      {cell ? (
        <span dir="auto" className="ellipsis">
          {shownIn(cell, types.get(columns[column]!.type)?.output, arranging.lines)}
        </span>
      ) : (
        <span className="bar" />
      )}
      {word && <span className={isBad ? 'word' : 'word visually-hidden'}>{word}</span>}
    </div>
  );
}

function classesOf(cell: GridCell | null, flags: Record<string, boolean>): string {
  const isJudged = cell?.judgement !== undefined && !cell.draft;
  const all = {
    ...flags,
    yes: isJudged && cell.judgement!.value,
    no: isJudged && !cell.judgement!.value,
    number: isNumber(cell?.text ?? null),
    unsaved: cell?.draft?.state === 'unsaved',
  };
  const set = Object.entries(all).filter(([, isSet]) => isSet);
  return ['cell', cell?.status ?? 'coming', ...set.map(([name]) => name)].join(' ');
}
