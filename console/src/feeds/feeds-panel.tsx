import './feeds.css';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../api/client';
import type { FeedBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { useSheet } from '../sheet/sheet-data';
import type { SideProps } from '../sheet/state';
import { FactList } from '../ui/facts';
import { FormDialog } from '../ui/form';
import { count, counted, dollars } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure, Refused, Waiting } from '../ui/parts';
import { describeTaken, draftOf, newDraft, readTaken } from './feed-draft';
import { FeedForm } from './feed-form';
import { FeedHours } from './feed-hours';
import { isPausedByServer, leftOut, pauseOf, stateOf } from './feed-words';
import { FEED, POLL_MS, useFeeds } from './feeds-data';
import { WhyNot } from './why-not';

const EDIT = 'TABLE_EDIT';
const NEW = 'new';

/** The feeds of a sheet: their recent work, their state, and their forms. */
export function FeedsPanel({ state, set }: SideProps) {
  const { path } = useSheet();
  const { data, error, isFetching, refetch } = useFeeds(path, POLL_MS);
  const feeds = data?.data ?? [];
  const close = () => set({ feed: '', take: '' }, { replace: true });
  return (
    <>
      <p className="quiet-text">
        A feed adds requests or traces to this sheet as they arrive, and computes their rows.
      </p>
      <div className="actions">
        <GuardedButton permission={EDIT} onClick={() => set({ feed: NEW, take: '' })}>
          New feed
        </GuardedButton>
      </div>
      <Waiting on={isFetching && !data} />
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && feeds.length === 0 && <p>This sheet has no feeds.</p>}
      <ul className="feeds" aria-label="Feeds">
        {feeds.map((feed) => (
          <FeedCard key={feed.id} feed={feed} onEdit={() => set({ feed: feed.id })} />
        ))}
      </ul>
      <OpenForm state={state} feeds={feeds} onClose={close} />
    </>
  );
}

/** The form that the URL names. */
function OpenForm({ state, feeds, onClose }: { state: SideProps['state']; feeds: FeedBody[]; onClose: () => void }) {
  if (state.feed === NEW) {
    const taken = readTaken(state.take);
    return <FeedForm feed={null} first={newDraft(taken?.source ?? 'requests', taken ?? undefined)} onClose={onClose} />;
  }
  const feed = feeds.find(({ id }) => id === state.feed);
  return feed ? <FeedForm key={feed.id} feed={feed} first={draftOf(feed)} onClose={onClose} /> : null;
}

function FeedCard({ feed, onEdit }: { feed: FeedBody; onEdit: () => void }) {
  return (
    <li className="feed box" aria-label={feed.name}>
      <header>
        <h3 dir="auto" className="ellipsis" title={feed.name}>
          {feed.name}
        </h3>
        <span className="spacer" />
        <span className={isPausedByServer(feed) ? 'bad' : 'quiet-text'}>{stateOf(feed)}</span>
      </header>
      {isPausedByServer(feed) && <p className="bad breaks">{pauseOf(feed)}</p>}
      <p dir="auto" className="breaks">
        {describeTaken(draftOf(feed))}
      </p>
      <Facts feed={feed} />
      <Actions feed={feed} onEdit={onEdit} />
      <Folded title="Why was this not judged?">{() => <WhyNot feed={feed} />}</Folded>
      <Folded title="By hour">{() => <FeedHours feed={feed} />}</Folded>
    </li>
  );
}

function Facts({ feed }: { feed: FeedBody }) {
  const { last_hour: hour, undecided_count: undecided, backfill } = feed;
  return (
    <FactList
      facts={[
        ['Seen in the last hour', count(hour.seen)],
        ['Chosen', count(hour.chosen)],
        ['Left out', leftOut(hour)],
        ['Judged', `${count(feed.row_count - feed.waiting_count)} of ${counted(feed.row_count, 'row')}`],
        ['Rows waiting', count(feed.waiting_count)],
        [
          'Not decided yet',
          <>
            {count(undecided)}
            {feed.undecided_since && (
              <>
                {', since '}
                <Moment at={feed.undecided_since} />
              </>
            )}
          </>,
        ],
        ['Cost today (UTC)', dollars(feed.cost_today)],
        ...(backfill ? [['Backfill', <Backfill key="backfill" {...backfill} />] as [string, ReactNode]] : []),
      ]}
    />
  );
}

function Backfill({ begins_at: at, is_done: isDone }: NonNullable<FeedBody['backfill']>) {
  return (
    <>
      {isDone ? 'Done, since ' : 'In progress, since '}
      <Moment at={at} />
    </>
  );
}

/** A section that is read only when it is opened. */
function Folded({ title, children }: { title: string; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="section" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

function Actions({ feed, onEdit }: { feed: FeedBody; onEdit: () => void }) {
  const { path } = useSheet();
  const [isDeleting, setDeleting] = useState(false);
  const refresh = useRefreshedFeeds();
  const isPaused = feed.state === 'paused';
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      api(`PATCH ${FEED}`, {
        path: { ...path, feed_id: feed.id },
        body: { state: isPaused ? 'active' : 'paused' },
      }),
    onSuccess: refresh,
  });
  return (
    <>
      <div className="actions">
        <GuardedButton permission={EDIT} disabled={isPending} onClick={() => mutate()}>
          {isPaused ? 'Resume' : 'Pause'}
        </GuardedButton>
        <GuardedButton permission={EDIT} onClick={onEdit}>
          Edit
        </GuardedButton>
        <GuardedButton permission={EDIT} className="button quiet bad" onClick={() => setDeleting(true)}>
          Delete
        </GuardedButton>
      </div>
      <Refused error={error} />
      {isDeleting && <DeleteFeed feed={feed} onClose={() => setDeleting(false)} />}
    </>
  );
}

function DeleteFeed({ feed, onClose }: { feed: FeedBody; onClose: () => void }) {
  const { path } = useSheet();
  const refresh = useRefreshedFeeds();
  const remove = async () => {
    await api(`DELETE ${FEED}`, { path: { ...path, feed_id: feed.id } });
    await refresh();
  };
  return (
    <FormDialog
      title={`Delete the feed “${feed.name}”?`}
      submit="Delete the feed"
      isDangerous
      cancel="Cancel"
      onSubmit={remove}
      onClose={onClose}
    >
      <p>Nothing more is added to the sheet. The rows and the published scores stay. This cannot be undone.</p>
    </FormDialog>
  );
}

/** Reads the feeds of the sheet again. */
function useRefreshedFeeds(): () => Promise<void> {
  const { path } = useSheet();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['sheet', path, 'feeds'] });
}
