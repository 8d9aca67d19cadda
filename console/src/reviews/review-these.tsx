import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import type { AddReviewItemsRequest } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { count } from '../ui/format';
import type { ItemOffer } from './new-queue';

const NewQueue = lazy(async () => ({ default: (await import('./new-queue')).NewQueue }));

/** More items are not reviewed in one queue. */
const MOST = 10_000;

/** A list of requests or traces, as far as a review queue can be made of it. */
export interface ReviewedList {
  subject: 'request' | 'trace';
  /** Ids that somebody has chosen. */
  ticked: ReadonlySet<number> | ReadonlySet<string>;
  wanted: { filter_group?: unknown; q?: string };
  /** How many match, such as "3 requests". */
  total: string;
}

/** Makes a review queue of a list: of the items that are chosen, or of all that match. */
export function ReviewThese({ list }: { list: ReviewedList }) {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  return (
    <>
      <GuardedButton permission="TABLE_CREATE" onClick={() => setOpen(true)}>
        Review these
      </GuardedButton>
      {isOpen && (
        <Suspense>
          <NewQueue
            listed={{ subject: list.subject, offers: offersOf(list) }}
            onCreated={(id) => navigate(`/reviews/${id}`)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

function offersOf({ subject, ticked, wanted, total }: ReviewedList): ItemOffer[] {
  const ids = [...ticked].slice(0, MOST);
  const { filter_group, q } = wanted;
  const all = {
    text: `All that match: ${total}. At most ${count(MOST)}, the newest ones, are added.`,
    items: { filter_group, q } as AddReviewItemsRequest,
  };
  if (ids.length === 0) return [all];
  const text =
    ids.length === 1 ? `The ${subject} that is chosen` : `The ${count(ids.length)} ${subject}s that are chosen`;
  const items = { [subject === 'request' ? 'request_log_ids' : 'trace_ids']: ids } as AddReviewItemsRequest;
  return [{ text, items }, all];
}
