import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { FeedBody, FeedDecisionResponse } from '../api/schema.gen';
import { tracePath } from '../sessions/links';
import { placeOf } from '../sheet/place-of';
import { filterOf } from '../sheet/row-look';
import { noticeOf, useSheet } from '../sheet/sheet-data';
import { rounded } from '../ui/format';
import { Moment } from '../ui/moment';
import { Refused } from '../ui/parts';
import { DECIDED } from './feed-words';
import { FEED } from './feeds-data';

/** Explains the decision about one request or trace. */
export function WhyNot({ feed }: { feed: FeedBody }) {
  const { path } = useSheet();
  const [id, setId] = useState('');
  const isOfRequests = feed.source === 'requests';
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => {
      const query = isOfRequests ? { request_id: Number(id) } : { trace_id: id.trim() };
      return api(`GET ${FEED}/decisions`, { path: { ...path, feed_id: feed.id }, query });
    },
  });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  const label = isOfRequests ? 'Id of the request' : 'Id of the trace';
  return (
    <>
      <form className="why-not" onSubmit={ask}>
        <input
          className="field"
          aria-label={label}
          placeholder={label}
          required
          maxLength={1000}
          spellCheck={false}
          autoComplete="off"
          {...(isOfRequests && { inputMode: 'numeric' as const, pattern: '\\s*\\d+\\s*', title: 'A whole number' })}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <button className="button" disabled={isPending}>
          Explain
        </button>
      </form>
      <Refused error={error} />
      {data && <Answer feed={feed} decision={data} />}
    </>
  );
}

function Answer({ feed, decision: told }: { feed: FeedBody; decision: FeedDecisionResponse }) {
  const { decision, item_id: id, row_index: row, decided_at: at } = told;
  const isOfRequests = feed.source === 'requests';
  return (
    <div role="status" className="breaks">
      <p>
        <strong>{DECIDED[decision]}</strong> {told.reason}
      </p>
      {told.sample !== null && told.sample_rate < 1 && (
        <p className="quiet-text">
          {`Its sample value is ${told.sample.toFixed(4)}; the sample takes values below ${rounded(told.sample_rate)}.`}
        </p>
      )}
      <p className="quiet-text">
        {at ? (
          <>
            {'Decided '}
            <Moment at={at} />
            {`, with revision ${told.revision} of the settings.`}
          </>
        ) : (
          `By revision ${told.revision} of the settings.`
        )}
      </p>
      <div className="actions">
        {row !== null && <RowButton index={row} />}
        {decision !== 'deleted' && (
          <Link className="link" href={isOfRequests ? `/logs?id=${id}` : tracePath(id)}>
            {isOfRequests ? `Open request ${id}` : 'Open the trace'}
          </Link>
        )}
      </div>
    </div>
  );
}

/** Goes to a row of the sheet. Its position is read at the click, because earlier rows may be deleted. */
function RowButton({ index }: { index: number }) {
  const { path, state, set, notify } = useSheet();
  const go = async () => {
    try {
      const place = await placeOf(path, index, filterOf(state));
      set({ cell: `${place + 1}.1`, to: '' });
    } catch (error) {
      notify(noticeOf(error));
    }
  };
  return (
    <button className="button" onClick={() => void go()}>
      {`Go to row ${index + 1}`}
    </button>
  );
}
