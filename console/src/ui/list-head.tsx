import type { ReactNode } from 'react';

export interface ListColumn<S extends string> {
  name: string;
  className: string;
  /** Sort field of the column. */
  sort?: S;
}

export interface ListOrder {
  sort: string;
  order: string;
}

interface Props<S extends string> {
  columns: readonly ListColumn<S>[];
  /** Lists with one order leave these out. */
  order?: ListOrder;
  onSort?: (order: ListOrder) => void;
  /** Cells before those of the columns. */
  children?: ReactNode;
}

/** The titles of a list; those that can put it in order are buttons. */
export function ListHead<S extends string>({ columns, order, onSort, children }: Props<S>) {
  return (
    <div role="rowgroup" className="head">
      <div role="row" className="row">
        {children}
        {columns.map(({ name, className, sort }) => (
          <div key={name} role="columnheader" className={className} aria-sort={order && sort && sortOf(order, sort)}>
            {order && sort ? (
              <button tabIndex={-1} onClick={() => onSort?.(nextOrder(order, sort))}>
                {name}
                {order.sort === sort && <span aria-hidden="true">{order.order === 'asc' ? ' ↑' : ' ↓'}</span>}
              </button>
            ) : (
              name
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function sortOf({ sort, order }: ListOrder, column: string): 'ascending' | 'descending' | 'none' {
  if (sort !== column) return 'none';
  return order === 'asc' ? 'ascending' : 'descending';
}

/** The first choice of a column is the greatest value first; the second turns it round. */
export function nextOrder({ sort, order }: ListOrder, column: string): ListOrder {
  return { sort: column, order: sort === column && order === 'desc' ? 'asc' : 'desc' };
}
