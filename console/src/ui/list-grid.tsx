import { type ReactNode } from 'react';
import { useKeys } from './keys';
import { type ListColumn, ListHead, type ListOrder } from './list-head';
import { ROW_PX, useList } from './use-list';

interface Props<T, S extends string> {
  /** The listed items, in the plural. */
  label: string;
  className: string;
  /** Identifies the list, its filters and its order. */
  place: string;
  items: readonly T[];
  keyOf: (item: T) => string | number;
  columns: readonly ListColumn<S>[];
  /** A cell of the head before those of the columns. */
  headCell?: ReactNode;
  order?: ListOrder;
  onSort?: (order: ListOrder) => void;
  more: { has: boolean; failed: boolean; load: () => void };
  /** Number of items in the list, in words. */
  total: string;
  onOpen: (item: T) => void;
  onClick?: (item: T) => void;
  /** The keys have moved to an item. */
  onMove?: (item: T) => void;
  /** Further keys, which act on the item that the keys have moved to. */
  keys?: Record<string, (item: T) => void>;
  /** Called with all items in view; returns a function that draws the cells of one. */
  cellsOf: (shown: readonly T[]) => (item: T) => ReactNode;
}

/** A list of items of which only those in view are drawn. The grid has the focus and handles the keys. */
export function ListGrid<T, S extends string>(props: Props<T, S>) {
  const { label, className, items, keyOf, columns, headCell, order, onSort, more, total } = props;
  const { onClick, cellsOf } = props;
  const list = useGridKeys(props);
  const { window: view, active, setActive } = list;
  const shown = items.slice(view.first, view.end);
  const cells = cellsOf(shown);
  return (
    <div className="listed">
      <div
        ref={list.scroller}
        role="grid"
        tabIndex={0}
        className={`list ${className}`}
        aria-label={label}
        aria-rowcount={more.has ? -1 : items.length + 1}
        aria-activedescendant={`row-${active}`}
      >
        <ListHead columns={columns} order={order} onSort={onSort}>
          {headCell}
        </ListHead>
        <div role="rowgroup" className="rows" style={{ height: items.length * ROW_PX }}>
          {shown.map((item, index) => {
            const row = view.first + index;
            return (
              <div
                key={keyOf(item)}
                role="row"
                id={`row-${row}`}
                className="row"
                aria-rowindex={row + 2}
                aria-selected={row === active}
                style={{ transform: `translateY(${row * ROW_PX}px)` }}
                onClick={() => {
                  setActive(row);
                  onClick?.(item);
                }}
              >
                {cells(item)}
              </div>
            );
          })}
        </div>
      </div>
      <Foot more={more}>{total}</Foot>
    </div>
  );
}

/** The list of a grid, with keys that open, move to, or otherwise act on an item. */
function useGridKeys<T, S extends string>(props: Props<T, S>) {
  const { place, items, keyOf, more, onOpen, onMove, keys = {} } = props;
  const actOn = (row: number, act?: (item: T) => void) => {
    const item = items[row];
    if (item !== undefined) act?.(item);
  };
  const list = useList({
    place,
    count: items.length,
    keyAt: (row) => keyOf(items[row]!),
    more,
    onOpen: (row) => actOn(row, onOpen),
    onMove: (row) => actOn(row, onMove),
  });
  const actions = Object.entries(keys).map(([key, act]) => [key, () => actOn(list.active, act)]);
  useKeys(Object.fromEntries(actions) as Record<string, () => void>);
  return list;
}

function Foot({ more, children }: Pick<Props<never, never>, 'more'> & { children: ReactNode }) {
  return (
    <div className="list-foot" role="status">
      {children}
      {more.failed && (
        <>
          <span className="bad">More results could not be loaded.</span>
          <button className="button" onClick={more.load}>
            Try again
          </button>
        </>
      )}
    </div>
  );
}
