import { useState } from 'react';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { LabelChangeBody } from '../api/schema.gen';
import { LabelChangeTable } from '../versions/label-changes';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { More } from '../ui/table';

type State = LabelChangeBody['state'];

const STATES: Record<State | '', string> = {
  open: 'Open',
  approved: 'Approved',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
  outdated: 'Outdated',
  '': 'All',
};

/** Label changes of the workspace that wait for a second person, and earlier ones. */
export function Approvals() {
  const [state, setState] = useState<string>('open');
  const query = state === '' ? {} : { state: state as State };
  const list = useCursorList(['label-changes', 'all', state], (cursor, signal) =>
    api('GET /api/public/v2/label-changes', { query: { ...query, cursor }, signal }),
  );
  return (
    <section className="setting">
      <Waiting on={list.isFetching} />
      <header>
        <h2>Approvals</h2>
        <Choice label="State" options={STATES} value={state} onChange={setState} />
      </header>
      <p className="quiet-text">
        Label changes that need the approval of a second person. The workspace settings list these labels.
      </p>
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && <p className="quiet-text">None.</p>}
      {list.items.length > 0 && <LabelChangeTable changes={list.items} withItem />}
      <More list={list} />
    </section>
  );
}
