import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { counted } from './format';
import { ListScreenHead, NothingLike } from './list-screen';
import { Failure, Note, Waiting } from './parts';
import { useUrlState } from './url-state';

const DEFAULTS = { q: '' };

interface NamedListProps<T> {
  title: string;
  /** One of the items, in the singular. */
  what: string;
  read: Pick<UseQueryResult<T[]>, 'data' | 'error' | 'isFetching' | 'refetch'>;
  /** Shown where there are none. */
  help: ReactNode;
  /** Beside the search. */
  actions?: ReactNode;
  table: (items: T[]) => ReactNode;
}

/** A screen of items that are read as a whole and found by a part of their names. */
export function NamedList<T extends { name: string }>({ title, what, read, help, actions, table }: NamedListProps<T>) {
  const [{ q }, set] = useUrlState(DEFAULTS);
  const { data: all, error, isFetching, refetch } = read;
  const shown = all?.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()));
  return (
    <>
      <ListScreenHead
        title={title}
        placeholder="Search by name"
        q={q}
        onSearch={(words) => set({ q: words }, { replace: true })}
      >
        {actions}
      </ListScreenHead>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {all?.length === 0 && <Note title={`There are no ${what}s yet`}>{help}</Note>}
        {all && all.length > 0 && shown?.length === 0 && (
          <NothingLike what={what} filters={[`“${q}” in the name`]} onClear={() => set(DEFAULTS)} />
        )}
        {shown && shown.length > 0 && (
          <div className="page-list">
            {table(shown)}
            <p className="quiet-text">{counted(shown.length, what)}</p>
          </div>
        )}
      </div>
    </>
  );
}
