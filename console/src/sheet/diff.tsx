import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api/client';
import type { CellChange, ColumnBody, RowsDiff, VersionBody, VersionDiffResponse } from '../api/schema.gen';
import { FactList } from '../ui/facts';
import { count, oneLine } from '../ui/format';
import { Failure, Waiting } from '../ui/parts';
import { STATE_WORDS } from './cell-line';
import { useSheet } from './sheet-data';

const DIFF = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/versions/{version_id}/diff';

interface Props {
  version: VersionBody;
  onBack: () => void;
  onRestore: () => void;
  children: ReactNode;
}

/** Differences between a version and the current sheet. */
export function Diff({ version, onBack, onRestore, children }: Props) {
  const { canEdit } = useSheet();
  const { pages, error, isFetching, hasNextPage, fetchNextPage, refetch } = useDiff(version);
  return (
    <section aria-label="Differences">
      <div className="actions">
        <button className="button" onClick={onBack}>
          All versions
        </button>
        {canEdit && (
          <button className="button" onClick={onRestore}>
            Restore
          </button>
        )}
      </div>
      <h3>{`From ${version.name ?? `version ${version.version_number}`} to now`}</h3>
      <Waiting on={isFetching} />
      {error && pages.length === 0 && <Failure error={error} onRetry={() => void refetch()} />}
      {pages[0] && <Structure diff={pages[0]} />}
      {pages[0] && <Changes pages={pages} />}
      {hasNextPage && (
        <button className="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
          More cells
        </button>
      )}
      {children}
    </section>
  );
}

function useDiff({ id }: VersionBody) {
  const { path, store } = useSheet();
  const query = useInfiniteQuery({
    queryKey: ['sheet', path, 'diff', id, store.version],
    queryFn: ({ pageParam, signal }) => {
      const where = { ...path, version_id: id };
      return api(`GET ${DIFF}`, { path: where, query: pageParam === null ? {} : { cursor: pageParam }, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
  });
  return { ...query, pages: query.data?.pages ?? [] };
}

function Changes({ pages }: { pages: VersionDiffResponse[] }) {
  const { all } = useSheet();
  const cells = pages.flatMap(({ data }) => data);
  const titles = new Map([...(pages[0]!.columns?.removed ?? []), ...all].map(({ id, title }) => [id, title]));
  if (cells.length === 0) return <p className="quiet-text">No cell differs.</p>;
  return (
    <ol className="lines">
      {cells.map((cell) => (
        <Change key={cell.cell_id} cell={cell} title={titles.get(cell.column_id) ?? 'a column'} />
      ))}
    </ol>
  );
}

function Structure({ diff: { columns, rows } }: { diff: VersionDiffResponse }) {
  const named = (list: ColumnBody[]) => list.map(({ title }) => `“${title}”`).join(', ');
  const facts: [string, string][] = [
    ['Columns added', named(columns?.added ?? [])],
    ['Columns removed', named(columns?.removed ?? [])],
    ['Columns changed', named((columns?.changed ?? []).map(({ after }) => after))],
    ['Rows added', spans(rows?.added)],
    ['Rows removed', spans(rows?.removed)],
  ];
  return <FactList facts={facts.filter(([, value]) => value !== '')} />;
}

function spans(list: RowsDiff['added'] = []): string {
  const named = list
    .slice(0, 5)
    .map(({ first, last }) => (first === last ? count(first + 1) : `${count(first + 1)}–${count(last + 1)}`));
  return `${named.join(', ')}${list.length > 5 ? ', …' : ''}`;
}

function Change({ cell, title }: { cell: CellChange; title: string }) {
  return (
    <li>
      <p className="quiet-text ellipsis">
        <bdi>{title}</bdi>
        {` · row ${count(cell.row_index + 1)}`}
      </p>
      <p className="change">
        <del dir="auto">{sideOf(cell.before)}</del>
        <ins dir="auto">{sideOf(cell.after)}</ins>
      </p>
    </li>
  );
}

/** The value, and the state when the state has changed. */
function sideOf(side: CellChange['before']): string {
  if (!side) return '–';
  const word = STATE_WORDS[side.status];
  return [oneLine((side.display_value ?? '').slice(0, 300)) || 'empty', word && `(${word})`].filter(Boolean).join(' ');
}
