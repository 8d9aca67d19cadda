import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ApiKeyBody, IssuedKeyResponse } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { useMe } from '../shell/session-context';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { moment } from '../ui/format';
import { Table } from '../ui/table';
import { Secret } from './secret';
import { Section } from './section';

const PERMISSION = 'MANAGE_API_KEYS';
/** What a role is for, as the server has it (`access/permissions.ts`). */
const ROLES = {
  admin: 'Everything, settings included',
  member: 'Everything but settings',
  contributor: 'Create, edit and delete',
  publisher: 'Move labels (publish)',
  developer: 'Manage API keys',
  viewer: 'Read, and send traces and calls',
} as const;
type Role = keyof typeof ROLES;

type Open =
  { kind: 'new' } | { kind: 'rename' | 'revoke'; key: ApiKeyBody } | { kind: 'secret'; secret: string } | null;

/** API keys and their roles. */
export function Keys() {
  const { workspace } = useMe();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Section
        title="API keys"
        about="Applications, people and this console sign in with keys. What a key may do is decided by its roles."
        permission={PERMISSION}
        to="see, create, rename and revoke keys"
        queryKey={['api-keys']}
        read={(signal) =>
          api('GET /api/admin/v1/workspaces/{workspace_id}/api-keys', { ...inHere(workspace.id), signal })
        }
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
      {open?.kind === 'rename' && <RenameKey apiKey={open.key} onClose={close} />}
      {open?.kind === 'revoke' && <RevokeKey apiKey={open.key} onClose={close} />}
      {open?.kind === 'secret' && <Secret secret={open.secret} what="API key" onClose={close} />}
    </>
  );
}

const inHere = (workspace_id: number) => ({ path: { workspace_id } });

function KeyTable({ keys, onOpen }: { keys: ApiKeyBody[]; onOpen: (open: Open) => void }) {
  const me = useMe();
  return (
    <Table
      label="API keys"
      rows={keys}
      keyOf={({ id }) => id}
      classOf={({ revoked_at }) => (revoked_at ? 'off' : undefined)}
      columns={[
        {
          name: 'Name',
          cell: ({ id, name, owner_email }) => (
            <>
              {name ?? <span className="quiet-text">without a name</span>}
              {id === me.api_key.id && ' (you)'}
              {owner_email && <div className="quiet-text">{owner_email}</div>}
            </>
          ),
        },
        { name: 'Ends in', className: 'mono', cell: ({ last_4 }) => `…${last_4}` },
        { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
        { name: 'Created', cell: ({ created_at }) => moment(created_at) },
        { name: 'Last used', cell: ({ last_used_at }) => (last_used_at ? moment(last_used_at) : 'never') },
        {
          name: '',
          className: 'buttons',
          cell: (key) =>
            key.revoked_at ? (
              `revoked ${moment(key.revoked_at)}`
            ) : (
              <>
                <button className="button" onClick={() => onOpen({ kind: 'rename', key })}>
                  Rename
                </button>
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

function NewKey({ onClose, onIssued }: { onClose: () => void; onIssued: (issued: IssuedKeyResponse) => void }) {
  const { workspace } = useMe();
  const refresh = useRefresh('api-keys');
  const create = async (values: FormValues) => {
    const roles = values.all('roles') as Role[];
    const body = {
      name: values.optional('name'),
      owner_email: values.optional('owner_email'),
      ...(roles.length > 0 && { roles }),
    };
    onIssued(await api('POST /api/admin/v1/workspaces/{workspace_id}/api-keys', { ...inHere(workspace.id), body }));
    void refresh();
  };
  return (
    <FormDialog title="New API key" submit="Create" onSubmit={create} onDone={() => undefined} onClose={onClose}>
      <Field label="Name">
        <input className="field" name="name" maxLength={255} data-first="" placeholder="Production exporter" />
      </Field>
      <Field label="E-mail address of its owner" hint="What the key creates can be found by it.">
        <input className="field" name="owner_email" maxLength={320} type="email" />
      </Field>
      <fieldset>
        <legend>Roles, none for those of your own key</legend>
        {Object.entries(ROLES).map(([role, about]) => (
          <label key={role} className="tick">
            <input type="checkbox" name="roles" value={role} />
            {role} <span className="quiet-text">{about}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

function RenameKey({ apiKey, onClose }: { apiKey: ApiKeyBody; onClose: () => void }) {
  const refresh = useRefresh('api-keys', 'session');
  const rename = async (values: FormValues) => {
    const path = { workspace_id: apiKey.workspace_id, key_id: apiKey.id };
    const body = { name: values.optional('name') };
    await api('PATCH /api/admin/v1/workspaces/{workspace_id}/api-keys/{key_id}', { path, body });
    await refresh();
  };
  return (
    <FormDialog title={`Rename the key …${apiKey.last_4}`} submit="Rename" onSubmit={rename} onClose={onClose}>
      <Field label="Name">
        <input className="field" name="name" maxLength={255} data-first="" defaultValue={apiKey.name ?? ''} />
      </Field>
    </FormDialog>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKeyBody; onClose: () => void }) {
  const me = useMe();
  const refresh = useRefresh('api-keys', 'session');
  const revoke = async () => {
    const path = { workspace_id: apiKey.workspace_id, key_id: apiKey.id };
    await api('DELETE /api/admin/v1/workspaces/{workspace_id}/api-keys/{key_id}', { path });
    await refresh();
  };
  return (
    <FormDialog
      title={`Revoke ${apiKey.name ?? 'the key'} …${apiKey.last_4}?`}
      submit="Revoke"
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>
        Whoever uses it is refused at once, and it cannot be taken back.
        {apiKey.id === me.api_key.id && ' It is the key that you have signed in with: you will be signed out.'}
      </p>
    </FormDialog>
  );
}
