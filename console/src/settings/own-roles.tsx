import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { RoleBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Table } from '../ui/table';
import { sendChanges } from './changes-of';
import { ROLES_KEY, useRoles } from './roles';
import { Section } from './section';

const PERMISSION = 'ADMIN';

type Open = { kind: 'new' } | { kind: 'change' | 'delete'; role: RoleBody } | null;

/** The roles of the workspace and what each grants. */
export function Roles() {
  const path = useHere();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Section
        title="Roles"
        about="Everybody may read everything and send data. A role adds permissions; a person or key with several roles has those of all."
        permission={null}
        to="see the roles"
        queryKey={ROLES_KEY}
        read={(signal) => api(`GET ${WORKSPACE}/roles`, { path, signal })}
        actions={
          <GuardedButton permission={PERMISSION} className="button primary" onClick={() => setOpen({ kind: 'new' })}>
            New role
          </GuardedButton>
        }
      >
        {({ roles, permissions }) => <RoleTable roles={roles} all={permissions.length} onOpen={setOpen} />}
      </Section>
      {open?.kind === 'new' && <NewRole onClose={close} />}
      {open?.kind === 'change' && <ChangeRole role={open.role} onClose={close} />}
      {open?.kind === 'delete' && <DeleteRole role={open.role} onClose={close} />}
    </>
  );
}

function RoleTable({ roles, all, onOpen }: { roles: RoleBody[]; all: number; onOpen: (open: Open) => void }) {
  const granted = ({ permissions }: RoleBody) => {
    if (permissions.length === all) return 'all';
    return permissions.length === 0 ? 'none' : permissions.join(', ');
  };
  return (
    <Table
      label="Roles"
      rows={roles}
      keyOf={({ name }) => name}
      columns={[
        {
          name: 'Role',
          cell: ({ name, description }) => (
            <>
              {name}
              {description && <div className="quiet-text">{description}</div>}
            </>
          ),
        },
        { name: 'Permissions', cell: granted },
        {
          name: '',
          className: 'buttons',
          cell: (role) =>
            role.is_built_in ? (
              <span className="quiet-text">built in</span>
            ) : (
              <>
                <GuardedButton
                  permission={PERMISSION}
                  className="button"
                  onClick={() => onOpen({ kind: 'change', role })}
                >
                  Change
                </GuardedButton>
                <GuardedButton
                  permission={PERMISSION}
                  className="button"
                  onClick={() => onOpen({ kind: 'delete', role })}
                >
                  Delete
                </GuardedButton>
              </>
            ),
        },
      ]}
    />
  );
}

/** A box for each permission. The form has the chosen ones under the name `permissions`. */
function PermissionBoxes({ chosen = [] }: { chosen?: readonly string[] }) {
  const { data } = useRoles();
  return (
    <fieldset>
      <legend>Permissions</legend>
      <div className="permissions">
        {data?.permissions.map((name) => (
          <label key={name} className="tick">
            <input type="checkbox" name="permissions" value={name} defaultChecked={chosen.includes(name)} />
            <span className="mono">{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const DescriptionField = ({ value = '' }: { value?: string }) => (
  <Field label="Description">
    <input className="field" name="description" maxLength={500} defaultValue={value} />
  </Field>
);

const bodyOf = (values: FormValues) => ({
  description: values.optional('description'),
  permissions: values.all('permissions'),
});

function NewRole({ onClose }: { onClose: () => void }) {
  const path = useHere();
  const refresh = useRefresh('roles');
  const create = async (values: FormValues) => {
    await api(`POST ${WORKSPACE}/roles`, { path, body: { name: values.text('name'), ...bodyOf(values) } });
    await refresh();
  };
  return (
    <FormDialog title="New role" submit="Create" onSubmit={create} onClose={onClose}>
      <Field label="Name" hint="Lower-case letters, digits, _ and -. It cannot be changed later." isRequired>
        <input className="field" name="name" maxLength={63} required data-first="" placeholder="reviewer" />
      </Field>
      <DescriptionField />
      <PermissionBoxes />
    </FormDialog>
  );
}

function ChangeRole({ role, onClose }: { role: RoleBody; onClose: () => void }) {
  const path = { ...useHere(), role_name: role.name };
  const refresh = useRefresh('roles', 'session');
  const change = async (values: FormValues) => {
    await sendChanges(bodyOf(values), role, (body) => api(`PATCH ${WORKSPACE}/roles/{role_name}`, { path, body }));
    await refresh();
  };
  return (
    <FormDialog title={`Role ${role.name}`} submit="Save" onSubmit={change} onClose={onClose}>
      <p>Keys and people with this role get the new permissions immediately.</p>
      <DescriptionField value={role.description ?? ''} />
      <PermissionBoxes chosen={role.permissions} />
    </FormDialog>
  );
}

function DeleteRole({ role, onClose }: { role: RoleBody; onClose: () => void }) {
  const path = { ...useHere(), role_name: role.name };
  const refresh = useRefresh('roles');
  const remove = async () => {
    await api(`DELETE ${WORKSPACE}/roles/{role_name}`, { path });
    await refresh();
  };
  return (
    <FormDialog title={`Delete the role ${role.name}?`} submit="Delete" isDangerous onSubmit={remove} onClose={onClose}>
      <p>Possible only while no key, member, invitation or group rule has the role.</p>
    </FormDialog>
  );
}
