import { useState } from 'react';
import { api } from '../api/client';
import { useCursorList, useRefresh } from '../api/lists';
import type { DeliveryBody, WebhookBody } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { CloseButton, Dialog } from '../ui/dialog';
import { moment } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure, Waiting } from '../ui/parts';
import { More, Table } from '../ui/table';

const isPending = ({ status }: DeliveryBody) => status === 'pending';

/** Sends a delivery again, whatever its status. */
export function useRedelivery(webhookId: number) {
  const here = useHere();
  const refresh = useRefresh('deliveries');
  return async (deliveryId: number) => {
    const path = { ...here, webhook_id: webhookId, delivery_id: deliveryId };
    await api(`POST ${WORKSPACE}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver`, { path });
    await refresh();
  };
}

/** Deliveries of a webhook, newest first. */
export function Deliveries({ webhook, onClose }: { webhook: WebhookBody; onClose: () => void }) {
  const path = { ...useHere(), webhook_id: webhook.id };
  const list = useCursorList(
    ['deliveries', String(webhook.id)],
    (cursor, signal) => api(`GET ${WORKSPACE}/webhooks/{webhook_id}/deliveries`, { path, query: { cursor }, signal }),
    { isUnderWay: isPending, fed: true },
  );
  const [error, setError] = useState<Error | null>(null);
  const sendAgain = useRedelivery(webhook.id);
  return (
    <Dialog label="Deliveries" className="form-dialog wide" onClose={onClose}>
      <h1>Deliveries to {webhook.name ?? webhook.url}</h1>
      <Waiting on={list.isPending} />
      {(error ?? list.error) && <Failure error={(error ?? list.error)!} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && <p>Nothing sent yet.</p>}
      {list.items.length > 0 && (
        <Table
          label="Deliveries"
          rows={list.items}
          keyOf={({ id }) => id}
          columns={[
            { name: 'When', cell: ({ created_at }) => <Moment at={created_at} /> },
            { name: 'Event', cell: ({ event_type }) => event_type },
            { name: 'Result', cell: (delivery) => <Result delivery={delivery} /> },
            {
              name: '',
              className: 'buttons',
              cell: (delivery) => (
                <button
                  className="button"
                  disabled={isPending(delivery)}
                  onClick={() => void sendAgain(delivery.id).catch(setError)}
                >
                  Send again
                </button>
              ),
            },
          ]}
        />
      )}
      <More list={list} />
      <CloseButton onClose={onClose} />
    </Dialog>
  );
}

function Result({ delivery }: { delivery: DeliveryBody }) {
  const { status, attempts, response_status, error, next_attempt_at } = delivery;
  const tries = attempts === 1 ? '1 try' : `${attempts} tries`;
  return (
    <>
      <span className={status === 'failed' ? 'bad' : undefined}>{status}</span>
      {` · ${tries}`}
      {response_status !== null && ` · HTTP ${response_status}`}
      {next_attempt_at !== null && attempts > 0 && ` · next try ${moment(next_attempt_at)}`}
      {error !== null && <div className="quiet-text breaks">{error}</div>}
    </>
  );
}
