import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { AddReviewItemsResponse, ReviewQueueBody } from '../api/schema.gen';
import { useMay } from '../shell/permissions';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Options } from '../ui/options';
import { Added } from './add-items';
import { type ItemOffer, Offers } from './new-queue';

interface Props {
  /** Queues that take such items; at least one. */
  queues: ReviewQueueBody[];
  offers: ItemOffer[];
  /** Makes a new queue instead. */
  onNew: () => void;
  onClose: () => void;
}

/** Adds items of a list to an existing queue. */
export function IntoQueue({ queues, offers, onNew, onClose }: Props) {
  const [added, setAdded] = useState<(AddReviewItemsResponse & { id: string }) | null>(null);
  const mayCreate = useMay('TABLE_CREATE');
  const refresh = useRefresh('review-queue', 'review-queues');
  const add = async (values: FormValues) => {
    const id = values.text('queue');
    const body = offers[values.number('offer')!]!.items;
    const path = { review_queue_id: id };
    const answer = await api('POST /api/public/v2/review-queues/{review_queue_id}/items', { path, body });
    void refresh();
    return { ...answer, id };
  };
  if (added) return <Added added={added} queueId={added.id} onClose={onClose} />;
  return (
    <FormDialog
      title="Review these"
      submit="Add to the queue"
      onSubmit={add}
      onDone={setAdded}
      onClose={onClose}
      more={
        mayCreate && (
          <button type="button" className="button" onClick={onNew}>
            Make a new queue
          </button>
        )
      }
    >
      <Field label="Queue">
        <select className="field" name="queue" data-first="">
          <Options pairs={queues.map(({ id, name }) => [id, name])} />
        </select>
      </Field>
      <Offers offers={offers} />
    </FormDialog>
  );
}
