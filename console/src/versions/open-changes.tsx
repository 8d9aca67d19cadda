import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import { Failure } from '../ui/parts';
import { More } from '../ui/table';
import type { VersionedKind } from './kinds';
import { LabelChangeTable } from './label-changes';

/** Label changes of an item that wait for an approval. Empty when there are none. */
export function OpenChanges({ kind, id }: { kind: VersionedKind; id: string }) {
  const query = { kind, item_id: id, state: 'open' } as const;
  const list = useCursorList(['label-changes', kind, id], (cursor, signal) =>
    api('GET /api/public/v2/label-changes', { query: { ...query, cursor }, signal }),
  );
  if (list.error) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  if (list.items.length === 0) return null;
  return (
    <section className="page-list">
      <h2>Waiting for approval</h2>
      <LabelChangeTable changes={list.items} withItem={false} />
      <More list={list} />
    </section>
  );
}
