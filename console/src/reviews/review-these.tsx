import { lazy, useState } from 'react';
import { useLocation } from 'wouter';
import { useQueueChoice } from '../api/choices';
import type { AddReviewItemsRequest } from '../api/schema.gen';
import { GuardedButton, Needs, useMay } from '../shell/permissions';
import { CloseButton, Dialog } from '../ui/dialog';
import { count } from '../ui/format';
import { WhenLoaded } from '../ui/when-loaded';
import type { ItemOffer } from './new-queue';

const NewQueue = lazy(async () => ({ default: (await import('./new-queue')).NewQueue }));
const IntoQueue = lazy(async () => ({ default: (await import('./into-queue')).IntoQueue }));

/** More items are not reviewed in one queue. */
const MOST = 10_000;

/** A list of requests or traces, as far as a review queue can be made of it. */
export interface ReviewedList {
  subject: 'request' | 'trace';
  /** Ids of the chosen items. */
  ticked: ReadonlySet<number> | ReadonlySet<string>;
  wanted: { filter_group?: unknown; q?: string };
  /** Number of matching items in words, such as "3 requests". */
  total: string;
}

/** Adds the chosen items of a list, or all that match, to a new or existing review queue. */
export function ReviewThese({ list }: { list: ReviewedList }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GuardedButton permission="TABLE_EDIT" onClick={() => setOpen(true)}>
        Review these
      </GuardedButton>
      {isOpen && (
        <WhenLoaded fallback={null}>
          <ReviewDialog list={list} onClose={() => setOpen(false)} />
        </WhenLoaded>
      )}
    </>
  );
}

/** Offers existing queues first, and a new one when none is suitable. */
function ReviewDialog({ list, onClose }: { list: ReviewedList; onClose: () => void }) {
  const [wantsNew, setWantsNew] = useState(false);
  const [, navigate] = useLocation();
  const { data, isPending } = useQueueChoice();
  const mayCreate = useMay('TABLE_CREATE');
  if (isPending) return null;
  const offers = offersOf(list);
  const queues = (data ?? []).filter(({ subject, state }) => subject === list.subject && state === 'open');
  if (queues.length > 0 && !wantsNew) {
    return <IntoQueue queues={queues} offers={offers} onNew={() => setWantsNew(true)} onClose={onClose} />;
  }
  if (!mayCreate) {
    return (
      <Dialog label="Review these" className="form-dialog" onClose={onClose}>
        <h1>Review these</h1>
        <p>{`No open queue takes ${list.subject}s.`}</p>
        <Needs permission="TABLE_CREATE" to="make a queue" />
        <CloseButton onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <NewQueue
      listed={{ subject: list.subject, offers }}
      onCreated={(id) => navigate(`/reviews/${id}`)}
      onClose={onClose}
    />
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
