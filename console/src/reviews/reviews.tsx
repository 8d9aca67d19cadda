import './reviews.css';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { ReviewQueueBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { count } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure, Note, Waiting } from '../ui/parts';
import { More, Table } from '../ui/table';
import { useTitle } from '../ui/title';
import { NewQueue } from './new-queue';

/** The review queues of the workspace. */
export default function Reviews() {
  useTitle('Review');
  const [isCreating, setCreating] = useState(false);
  const [, navigate] = useLocation();
  const list = useCursorList(['review-queues'], (cursor, signal) =>
    api('GET /api/public/v2/review-queues', { query: { cursor }, signal }),
  );
  return (
    <>
      <header className="screen-head">
        <h1>Review</h1>
        <span className="spacer" />
        <GuardedButton permission="TABLE_CREATE" className="button primary" onClick={() => setCreating(true)}>
          New queue
        </GuardedButton>
      </header>
      <Waiting on={list.isFetching} />
      <div className="screen-body">
        {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isSuccess && list.items.length === 0 && (
          <Note title="There are no review queues yet">
            <p>
              In a queue, people answer rows, requests or traces one by one. It shows how far they agree with each
              other, and judges with them.
            </p>
          </Note>
        )}
        {list.items.length > 0 && (
          <div className="page-list">
            <Queues queues={list.items} />
            <More list={list} />
          </div>
        )}
      </div>
      {isCreating && <NewQueue onCreated={(id) => navigate(`/reviews/${id}`)} onClose={() => setCreating(false)} />}
    </>
  );
}

const SUBJECTS = { row: 'Rows', request: 'Requests', trace: 'Traces' };

function Queues({ queues }: { queues: ReviewQueueBody[] }) {
  return (
    <Table
      label="Review queues"
      rows={queues}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Name',
          cell: ({ id, name }) => (
            <Link className="link" href={`/reviews/${id}`}>
              {name}
            </Link>
          ),
        },
        { name: 'Of', cell: ({ subject }) => SUBJECTS[subject] },
        { name: 'Items', className: 'number', cell: ({ counts }) => count(counts.items) },
        { name: 'Finished', className: 'number', cell: ({ counts }) => count(counts.finished) },
        { name: 'To decide', className: 'number', cell: ({ counts }) => count(counts.disagreements) },
        { name: 'Reviewers per item', className: 'number', cell: (queue) => count(queue.reviewers_per_item) },
        { name: 'State', cell: ({ state }) => state },
        { name: 'Created', cell: ({ created_at: at }) => <Moment at={at} /> },
      ]}
    />
  );
}
