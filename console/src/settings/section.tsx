import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Needs, useMay } from '../shell/permissions';
import { Failure, Waiting } from '../ui/parts';

interface Props<T> {
  title: string;
  about: string;
  /** Permission that a key needs to see the content; null for every key. */
  permission: string | null;
  /** The purpose of the permission, after "To …". */
  to: string;
  actions?: ReactNode;
  queryKey: string[];
  read: (signal: AbortSignal) => Promise<T>;
  children: (data: T) => ReactNode;
}

/**
 * A section of the settings. It is shown for every key; a key without the permission sees its name instead of the content.
 */
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
