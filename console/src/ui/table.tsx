import type { ReactNode } from 'react';

export interface TableColumn<T> {
  name: string;
  className?: string;
  cell: (row: T) => ReactNode;
}

/** A short list that is drawn as a whole. Columns without a name hold buttons. */
export function Table<T>(props: {
  label: string;
  columns: TableColumn<T>[];
  rows: T[];
  keyOf: (row: T) => string | number;
  classOf?: (row: T) => string | undefined;
}) {
  const { label, columns, rows, keyOf, classOf } = props;
  return (
    <div className="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, className }, at) => (
              <th key={name || at} scope="col" className={className}>
                {name || <span className="visually-hidden">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={classOf?.(row)}>
              {columns.map(({ name, className, cell }, at) => (
                <td key={name || at} dir="auto" className={className}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Asks for the next page of a list. */
export function More({
  list,
}: {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  if (!list.hasNextPage) return null;
  return (
    <div className="actions">
      <button className="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Show more
      </button>
    </div>
  );
}
