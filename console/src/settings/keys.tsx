import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ApiKeyBody, IssuedKeyResponse } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { useHere, useMe, WORKSPACE } from '../shell/session-context';
import { Field, FormDialog, type FormValues, SelectField } from '../ui/form';
import { moment } from '../ui/format';
import { Moment } from '../ui/moment';
import { Table } from '../ui/table';
import { sendChanges } from './changes-of';
import { type Role, RoleBoxes } from './roles';
import { Secret } from './secret';
import { Section } from './section';

const PERMISSION = 'MANAGE_API_KEYS';

type Open =
  | { kind: 'new' }
  | { kind: 'change' | 'rotate' | 'revoke'; key: ApiKeyBody }
  | { kind: 'secret'; secret: string }
  | null;

/** API keys and their roles. */
export function Keys() {
  const path = useHere();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Section
        title="API keys"
        about="Applications, people and this console sign in with keys. What a key may do is decided by its roles."
        permission={PERMISSION}
        to="see, create, change, rotate and revoke keys"
        queryKey={['api-keys']}
        read={(signal) => api(`GET ${WORKSPACE}/api-keys`, { path, signal })}
        actions={
          <GuardedButton permission={PERMISSION} className="button primary" onClick={() => setOpen({ kind: 'new' })}>
            New key
          </GuardedButton>
        }
      >
        {({ api_keys }) => <KeyTable keys={api_keys} onOpen={setOpen} />}
      </Section>
      {open?.kind === 'new' && (
        <NewKey onClose={close} onIssued={({ secret }) => setOpen({ kind: 'secret', secret })} />
      )}
      {open?.kind === 'change' && <ChangeKey apiKey={open.key} onClose={close} />}
      {open?.kind === 'rotate' && (
        <RotateKey apiKey={open.key} onClose={close} onIssued={({ secret }) => setOpen({ kind: 'secret', secret })} />
      )}
      {open?.kind === 'revoke' && <RevokeKey apiKey={open.key} onClose={close} />}
      {open?.kind === 'secret' && <Secret secret={open.secret} what="API key" onClose={close} />}
    </>
  );
}

function KeyTable({ keys, onOpen }: { keys: ApiKeyBody[]; onOpen: (open: Open) => void }) {
  const me = useMe();
  return (
    <Table
      label="API keys"
      rows={keys}
      keyOf={({ id }) => id}
      classOf={(key) => (key.revoked_at || hasExpired(key) ? 'off' : undefined)}
      columns={[
        {
          name: 'Name',
          cell: ({ id, name, owner_email }) => (
            <>
              {name ?? <span className="quiet-text">without a name</span>}
              {id === me.api_key?.id && ' (you)'}
              {owner_email && <div className="quiet-text">{owner_email}</div>}
            </>
          ),
        },
        { name: 'Ends in', className: 'mono', cell: ({ last_4 }) => `…${last_4}` },
        { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
        { name: 'Accepted', cell: (key) => <Limits apiKey={key} /> },
        { name: 'Created', cell: ({ created_at }) => <Moment at={created_at} /> },
        { name: 'Last used', cell: ({ last_used_at }) => (last_used_at ? <Moment at={last_used_at} /> : 'never') },
        {
          name: '',
          className: 'buttons',
          cell: (key) =>
            key.revoked_at ? (
              `revoked ${moment(key.revoked_at)}`
            ) : (
              <>
                <button className="button" onClick={() => onOpen({ kind: 'change', key })}>
                  Change
                </button>
                {!hasExpired(key) && (
                  <button className="button" onClick={() => onOpen({ kind: 'rotate', key })}>
                    Rotate
                  </button>
                )}
                <button className="button" onClick={() => onOpen({ kind: 'revoke', key })}>
                  Revoke
                </button>
              </>
            ),
        },
      ]}
    />
  );
}

const hasExpired = ({ expires_at }: ApiKeyBody) => expires_at !== null && new Date(expires_at) <= new Date();

/** Until when a key is accepted, and from where. */
function Limits({ apiKey }: { apiKey: ApiKeyBody }) {
  const { expires_at: expires, allowed_networks: networks } = apiKey;
  const until = expires ? `${hasExpired(apiKey) ? 'expired' : 'until'} ${moment(expires)}` : 'never expires';
  return (
    <>
      {until}
      <div className="quiet-text">{networks.length === 0 ? 'from any network' : `from ${networks.join(', ')}`}</div>
    </>
  );
}

/** The value of a field for local time. */
const toLocal = (iso: string | null): string => {
  if (!iso) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

function LimitFields({ expires = null, networks = [] }: { expires?: string | null; networks?: string[] }) {
  return (
    <>
      <Field label="Expires" hint="In your local time. If empty, the key never expires.">
        <input className="field" name="expires_at" type="datetime-local" defaultValue={toLocal(expires)} />
      </Field>
      <Field
        label="Allowed networks"
        hint="One per line, such as 192.0.2.0/24. If empty, the key is accepted from any network."
      >
        <textarea className="field mono" name="networks" rows={3} defaultValue={networks.join('\n')} />
      </Field>
    </>
  );
}

/** Both limits in the form. An untouched moment keeps its seconds, which the field does not show. */
function limitsIn(values: FormValues, before: string | null = null) {
  const typed = values.text('expires_at');
  return {
    ...(typed !== toLocal(before) && { expires_at: typed === '' ? null : new Date(typed).toISOString() }),
    allowed_networks: values
      .text('networks')
      .split(/[\s,]+/)
      .filter(Boolean),
  };
}

function NewKey({ onClose, onIssued }: { onClose: () => void; onIssued: (issued: IssuedKeyResponse) => void }) {
  const path = useHere();
  const refresh = useRefresh('api-keys');
  const create = async (values: FormValues) => {
    const roles = values.all('roles') as Role[];
    const body = {
      name: values.optional('name'),
      owner_email: values.optional('owner_email'),
      ...(roles.length > 0 && { roles }),
      ...limitsIn(values),
    };
    onIssued(await api(`POST ${WORKSPACE}/api-keys`, { path, body }));
    void refresh();
  };
  return (
    <FormDialog title="New API key" submit="Create" onSubmit={create} onDone={() => undefined} onClose={onClose}>
      <Field label="Name">
        <input className="field" name="name" maxLength={255} data-first="" placeholder="Production exporter" />
      </Field>
      <Field label="E-mail address of its owner" hint="Objects created with the key carry this address.">
        <input className="field" name="owner_email" maxLength={320} type="email" />
      </Field>
      <RoleBoxes hint="Default: your own roles." />
      <LimitFields />
    </FormDialog>
  );
}

function ChangeKey({ apiKey, onClose }: { apiKey: ApiKeyBody; onClose: () => void }) {
  const refresh = useRefresh('api-keys', 'session');
  const change = async (values: FormValues) => {
    const path = { workspace_id: apiKey.workspace_id, key_id: apiKey.id };
    const form = { name: values.optional('name'), ...limitsIn(values, apiKey.expires_at) };
    await sendChanges(form, apiKey, (body) => api(`PATCH ${WORKSPACE}/api-keys/{key_id}`, { path, body }));
    await refresh();
  };
  return (
    <FormDialog title={`Change the key …${apiKey.last_4}`} submit="Save" onSubmit={change} onClose={onClose}>
      <Field label="Name">
        <input className="field" name="name" maxLength={255} data-first="" defaultValue={apiKey.name ?? ''} />
      </Field>
      <LimitFields expires={apiKey.expires_at} networks={apiKey.allowed_networks} />
    </FormDialog>
  );
}

const nameOf = ({ name, last_4 }: ApiKeyBody): string =>
  name === null ? `the key …${last_4}` : `“${name}” …${last_4}`;

const OVERLAPS = { 0: 'Not at all', 3600: 'An hour', 86400: 'A day', 604800: 'A week', 2592000: '30 days' };

function RotateKey(props: { apiKey: ApiKeyBody; onClose: () => void; onIssued: (issued: IssuedKeyResponse) => void }) {
  const { apiKey, onClose, onIssued } = props;
  const refresh = useRefresh('api-keys');
  const rotate = async (values: FormValues) => {
    const path = { workspace_id: apiKey.workspace_id, key_id: apiKey.id };
    const body = { overlap_seconds: values.number('overlap')! };
    onIssued(await api(`POST ${WORKSPACE}/api-keys/{key_id}/rotate`, { path, body }));
    void refresh();
  };
  return (
    <FormDialog
      title={`Rotate ${nameOf(apiKey)}`}
      submit="Rotate the key"
      onSubmit={rotate}
      onDone={() => undefined}
      onClose={onClose}
    >
      <p>A new key with the same name, roles and networks replaces it.</p>
      <SelectField label="How long the old key stays valid" name="overlap" options={OVERLAPS} value="86400" />
    </FormDialog>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKeyBody; onClose: () => void }) {
  const me = useMe();
  const refresh = useRefresh('api-keys', 'session');
  const revoke = async () => {
    const path = { workspace_id: apiKey.workspace_id, key_id: apiKey.id };
    await api(`DELETE ${WORKSPACE}/api-keys/{key_id}`, { path });
    await refresh();
  };
  return (
    <FormDialog title={`Revoke ${nameOf(apiKey)}?`} submit="Revoke" isDangerous onSubmit={revoke} onClose={onClose}>
      <p>
        Whoever uses this key is refused at once. A revoked key cannot be restored.
        {apiKey.id === me.api_key?.id && ' You have signed in with this key, so you will be signed out.'}
      </p>
    </FormDialog>
  );
}
