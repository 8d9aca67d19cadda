import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ApiKeyBody, SessionBody } from '../api/schema.gen';
import { useMe } from '../shell/session-context';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { moment } from '../ui/format';
import { Moment } from '../ui/moment';
import { Refused } from '../ui/parts';
import { Table } from '../ui/table';
import { Identities } from './identities';
import { type Role, RoleBoxes } from './roles';
import { Secret } from './secret';
import { Section } from './section';

/** Sessions, identities and personal keys of the signed-in user. */
export function Account() {
  const { user } = useMe();
  return (
    <>
      <Sessions />
      {user && <Identities />}
      {user && <PersonalKeys />}
    </>
  );
}

function Sessions() {
  const refresh = useRefresh('own-sessions', 'session');
  const endOthers = useMutation({ mutationFn: () => api('DELETE /console/sessions'), onSuccess: refresh });
  return (
    <Section
      title="Your sessions"
      about="Browsers in which you are signed in."
      permission={null}
      to=""
      queryKey={['own-sessions']}
      read={(signal) => api('GET /console/sessions', { signal })}
      actions={
        <>
          <Refused error={endOthers.error} />
          <button className="button" onClick={() => endOthers.mutate()}>
            End all others
          </button>
        </>
      }
    >
      {({ sessions }) => <SessionTable sessions={sessions} onEnded={refresh} />}
    </Section>
  );
}

function SessionTable({ sessions, onEnded }: { sessions: SessionBody[]; onEnded: () => Promise<unknown> }) {
  return (
    <Table
      label="Your sessions"
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Browser', cell: ({ user_agent }) => <span className="ellipsis">{user_agent ?? 'unknown'}</span> },
        { name: 'Address', className: 'mono', cell: ({ address }) => address ?? 'unknown' },
        { name: 'Signed in', cell: ({ created_at }) => <Moment at={created_at} /> },
        { name: 'Last used', cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
        {
          name: '',
          className: 'buttons',
          cell: ({ id, is_current }) => (is_current ? 'this one' : <EndButton id={id} onEnded={onEnded} />),
        },
      ]}
    />
  );
}

function EndButton({ id, onEnded }: { id: string; onEnded: () => Promise<unknown> }) {
  const { mutate, error } = useMutation({
    mutationFn: () => api('DELETE /console/sessions/{console_session_id}', { path: { console_session_id: id } }),
    onSuccess: onEnded,
  });
  return (
    <>
      <Refused error={error} />
      <button className="button" onClick={() => mutate()}>
        End
      </button>
    </>
  );
}

type Open = { kind: 'new' } | { kind: 'revoke'; key: ApiKeyBody } | { kind: 'secret'; secret: string } | null;

function PersonalKeys() {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Section
        title="Your API keys"
        about="Personal keys for your own scripts. They have at most your permissions and end with your membership."
        permission={null}
        to=""
        queryKey={['own-keys']}
        read={(signal) => api('GET /api/public/v2/me/api-keys', { signal })}
        actions={
          <button className="button primary" onClick={() => setOpen({ kind: 'new' })}>
            New personal key
          </button>
        }
      >
        {({ api_keys }) => <OwnKeyTable keys={api_keys} onOpen={setOpen} />}
      </Section>
      {open?.kind === 'new' && <NewOwnKey onClose={close} onIssued={(secret) => setOpen({ kind: 'secret', secret })} />}
      {open?.kind === 'revoke' && <RevokeOwnKey apiKey={open.key} onClose={close} />}
      {open?.kind === 'secret' && <Secret secret={open.secret} what="API key" onClose={close} />}
    </>
  );
}

function OwnKeyTable({ keys, onOpen }: { keys: ApiKeyBody[]; onOpen: (open: Open) => void }) {
  if (keys.length === 0) return <p className="quiet-text">None.</p>;
  return (
    <Table
      label="Your API keys"
      rows={keys}
      keyOf={({ id }) => id}
      classOf={({ revoked_at }) => (revoked_at ? 'off' : undefined)}
      columns={[
        { name: 'Name', cell: ({ name }) => name ?? <span className="quiet-text">without a name</span> },
        { name: 'Ends in', className: 'mono', cell: ({ last_4 }) => `…${last_4}` },
        { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
        { name: 'Last used', cell: ({ last_used_at }) => (last_used_at ? <Moment at={last_used_at} /> : 'never') },
        {
          name: '',
          className: 'buttons',
          cell: (key) =>
            key.revoked_at ? (
              `revoked ${moment(key.revoked_at)}`
            ) : (
              <button className="button" onClick={() => onOpen({ kind: 'revoke', key })}>
                Revoke
              </button>
            ),
        },
      ]}
    />
  );
}

function NewOwnKey({ onClose, onIssued }: { onClose: () => void; onIssued: (secret: string) => void }) {
  const refresh = useRefresh('own-keys');
  const create = async (values: FormValues) => {
    const roles = values.all('roles') as Role[];
    const body = { name: values.optional('name'), ...(roles.length > 0 && { roles }) };
    onIssued((await api('POST /api/public/v2/me/api-keys', { body })).secret);
    void refresh();
  };
  return (
    <FormDialog title="New personal key" submit="Create" onSubmit={create} onDone={() => undefined} onClose={onClose}>
      <Field label="Name">
        <input className="field" name="name" maxLength={255} data-first="" placeholder="My notebook" />
      </Field>
      <RoleBoxes hint="Default: all your roles." />
    </FormDialog>
  );
}

function RevokeOwnKey({ apiKey, onClose }: { apiKey: ApiKeyBody; onClose: () => void }) {
  const refresh = useRefresh('own-keys');
  const revoke = async () => {
    await api('DELETE /api/public/v2/me/api-keys/{key_id}', { path: { key_id: apiKey.id } });
    await refresh();
  };
  return (
    <FormDialog
      title={`Revoke the key …${apiKey.last_4}?`}
      submit="Revoke"
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>Programs that use this key are rejected immediately. A revoked key cannot be restored.</p>
    </FormDialog>
  );
}
