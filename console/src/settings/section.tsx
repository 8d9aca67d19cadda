import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Needs, useMay } from '../shell/permissions';
import { Failure, Waiting } from '../ui/parts';

interface Props<T> {
  title: string;
  about: string;
  /** What a key needs to see what is in here; null for everybody. */
  permission: string | null;
  /** What the permission is needed for, after "To …". */
  to: string;
  actions?: ReactNode;
  queryKey: string[];
  read: (signal: AbortSignal) => Promise<T>;
  children: (data: T) => ReactNode;
}

/** A part of the settings. It stands there for every key; what the key may not see is replaced by the permission that it needs. */
export function Section<T>(props: Props<T>) {
  const { title, about, permission, to, actions, queryKey, read, children } = props;
  const may = useMay(permission);
  const query = useQuery({ queryKey, queryFn: ({ signal }) => read(signal), enabled: may });
  return (
    <section className="setting">
      <Waiting on={query.isFetching} />
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      <p className="quiet-text">{about}</p>
      {permission && <Needs permission={permission} to={to} />}
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && children(query.data)}
    </section>
  );
}
