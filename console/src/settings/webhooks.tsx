import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { WebhookBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Field, FormDialog, type FormValues, SelectField } from '../ui/form';
import { Failure, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { sendChanges } from './changes-of';
import { Deliveries } from './deliveries';
import { Secret } from './secret';
import { Section } from './section';

type Open =
  | { kind: 'new' }
  | { kind: 'edit' | 'delete' | 'renew' | 'deliveries'; webhook: WebhookBody }
  | { kind: 'secret'; secret: string }
  | null;

/** Subscriptions to events, with their deliveries. */
export function Webhooks() {
  const path = useHere();
  const [open, setOpen] = useState<Open>(null);
  return (
    <>
      <Section
        title="Webhooks"
        about="Events of the workspace are signed and sent to your server. Each is sent again until it has arrived."
        permission="ADMIN"
        to="see and change webhooks"
        queryKey={['webhooks']}
        read={(signal) => api(`GET ${WORKSPACE}/webhooks`, { path, signal })}
        actions={
          <GuardedButton permission="ADMIN" className="button primary" onClick={() => setOpen({ kind: 'new' })}>
            New webhook
          </GuardedButton>
        }
      >
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <p>There are no webhooks yet. Create one with the URL of a server that takes POST requests.</p>
          ) : (
            <WebhookTable webhooks={webhooks} onOpen={setOpen} />
          )
        }
      </Section>
      <OpenDialog open={open} onOpen={setOpen} />
    </>
  );
}

function OpenDialog({ open, onOpen }: { open: Open; onOpen: (open: Open) => void }) {
  const onClose = () => onOpen(null);
  const onSecret = ({ secret }: { secret: string }) => onOpen({ kind: 'secret', secret });
  switch (open?.kind) {
    case 'new':
      return <EditWebhook webhook={null} onClose={onClose} onSecret={onSecret} />;
    case 'edit':
      return <EditWebhook webhook={open.webhook} onClose={onClose} onSecret={onSecret} />;
    case 'renew':
      return <RenewSecret webhook={open.webhook} onClose={onClose} onSecret={onSecret} />;
    case 'delete':
      return <DeleteWebhook webhook={open.webhook} onClose={onClose} />;
    case 'deliveries':
      return <Deliveries webhook={open.webhook} onClose={onClose} />;
    case 'secret':
      return <Secret secret={open.secret} what="secret" onClose={onClose} />;
    case undefined:
      return null;
  }
}

function WebhookTable({ webhooks, onOpen }: { webhooks: WebhookBody[]; onOpen: (open: Open) => void }) {
  const button = (kind: 'edit' | 'delete' | 'renew' | 'deliveries', title: string, webhook: WebhookBody) => (
    <button className="button" onClick={() => onOpen({ kind, webhook })}>
      {title}
    </button>
  );
  return (
    <Table
      label="Webhooks"
      rows={webhooks}
      keyOf={({ id }) => id}
      classOf={({ enabled }) => (enabled ? undefined : 'off')}
      columns={[
        {
          name: 'Receiver',
          cell: ({ name, url, enabled }) => (
            <>
              {name && <div>{name}</div>}
              <code className="breaks">{url}</code>
              {!enabled && <div>switched off</div>}
            </>
          ),
        },
        {
          name: 'Events',
          cell: ({ event_types }) => event_types?.map((type) => <div key={type}>{type}</div>) ?? 'all',
        },
        {
          name: '',
          className: 'buttons',
          cell: (webhook) => (
            <>
              {button('deliveries', 'Deliveries', webhook)}
              {button('edit', 'Change', webhook)}
              {button('renew', 'New secret', webhook)}
              {button('delete', 'Delete', webhook)}
            </>
          ),
        },
      ]}
    />
  );
}

type Format = WebhookBody['format'];
const FORMATS: Record<Format, string> = { json: 'JSON', slack: 'Slack message', teams: 'Teams message' };

interface DialogProps {
  webhook: WebhookBody;
  onClose: () => void;
  onSecret: (issued: { secret: string }) => void;
}

function EditWebhook({ webhook, onClose, onSecret }: Omit<DialogProps, 'webhook'> & { webhook: WebhookBody | null }) {
  const path = useHere();
  const refresh = useRefresh('webhooks');
  const save = async (values: FormValues) => {
    const types = values.all('event_types');
    const form = {
      url: values.text('url'),
      name: values.optional('name'),
      format: values.text('format') as Format,
      event_types: types.length > 0 ? types : null,
    };
    if (webhook) {
      const enabled = values.all('enabled').length > 0;
      const ofWebhook = { ...path, webhook_id: webhook.id };
      await sendChanges({ ...form, enabled }, webhook, (body) =>
        api(`PATCH ${WORKSPACE}/webhooks/{webhook_id}`, { path: ofWebhook, body }),
      );
    } else {
      onSecret(await api(`POST ${WORKSPACE}/webhooks`, { path, body: form }));
    }
    void refresh();
  };
  return (
    <FormDialog
      title={webhook ? 'Change the webhook' : 'New webhook'}
      submit={webhook ? 'Save' : 'Create'}
      onSubmit={save}
      onDone={webhook ? onClose : () => undefined}
      onClose={onClose}
    >
      <Field
        label="URL"
        hint="http or https, or mailto: with an e-mail address where the server sends mail. Private addresses are rejected unless the server allows them."
        isRequired
      >
        <input className="field" name="url" required maxLength={2000} data-first="" defaultValue={webhook?.url} />
      </Field>
      <Field label="Name">
        <input className="field" name="name" maxLength={255} defaultValue={webhook?.name ?? ''} />
      </Field>
      <SelectField
        label="Format"
        name="format"
        options={FORMATS}
        value={webhook?.format}
        hint="Messages for chat systems have a title, a text and a link. E-mail addresses take JSON alone."
      />
      <Types chosen={webhook?.event_types ?? []} />
      {webhook && (
        <label className="tick">
          <input type="checkbox" name="enabled" defaultChecked={webhook.enabled} /> Send new events
        </label>
      )}
    </FormDialog>
  );
}

/** Chooses event types. Types that nothing announces are listed only if the webhook has them. */
function Types({ chosen }: { chosen: string[] }) {
  const path = useHere();
  const { data, error, refetch } = useQuery({
    queryKey: ['event-types'],
    queryFn: ({ signal }) => api(`GET ${WORKSPACE}/events/types`, { path, signal }),
    staleTime: Infinity,
  });
  const types = data?.event_types.filter(({ type, is_announced }) => is_announced || chosen.includes(type));
  return (
    <fieldset>
      <legend>Event types</legend>
      <p className="quiet-text">If you choose none, all types are sent, including those of later releases.</p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!types && !error && <Waiting on />}
      {/* Saving without the list must not change what is sent. */}
      {!types && chosen.map((type) => <input key={type} type="hidden" name="event_types" value={type} />)}
      {types?.map(({ type, description }) => (
        <Field key={type} label={<code>{type}</code>} hint={description} isInline>
          <input type="checkbox" name="event_types" value={type} defaultChecked={chosen.includes(type)} />
        </Field>
      ))}
    </fieldset>
  );
}

function RenewSecret({ webhook, onClose, onSecret }: DialogProps) {
  const path = useHere();
  const renew = async () => {
    onSecret(
      await api(`POST ${WORKSPACE}/webhooks/{webhook_id}/secret`, { path: { ...path, webhook_id: webhook.id } }),
    );
  };
  return (
    <FormDialog
      title="Renew the secret?"
      submit="Renew the secret"
      onSubmit={renew}
      onDone={() => undefined}
      onClose={onClose}
    >
      <p>All later deliveries are signed with it. The receiver needs it to verify signatures.</p>
    </FormDialog>
  );
}

function DeleteWebhook({ webhook, onClose }: Omit<DialogProps, 'onSecret'>) {
  const path = useHere();
  const refresh = useRefresh('webhooks');
  const remove = async () => {
    await api(`DELETE ${WORKSPACE}/webhooks/{webhook_id}`, { path: { ...path, webhook_id: webhook.id } });
    await refresh();
  };
  return (
    <FormDialog title="Delete this webhook?" submit="Delete" isDangerous onSubmit={remove} onClose={onClose}>
      <p>
        Nothing is sent to <code className="breaks">{webhook.url}</code> any more, and its deliveries are deleted too.
      </p>
    </FormDialog>
  );
}
