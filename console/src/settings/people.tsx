import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { InvitationBody, MemberBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { useHere, useMe, WORKSPACE } from '../shell/session-context';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Moment } from '../ui/moment';
import { Table } from '../ui/table';
import { type Role, RoleBoxes } from './roles';
import { Secret } from './secret';
import { Section } from './section';

const PERMISSION = 'ADMIN';

type Open =
  | { kind: 'invite' }
  | { kind: 'roles' | 'remove'; member: MemberBody }
  | { kind: 'withdraw'; invitation: InvitationBody }
  | { kind: 'link'; link: string; sentTo: string | null }
  | null;

/** Members of the workspace and open invitations. */
export function People() {
  const path = useHere();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Section
        title="Members"
        about="People who sign in to the console. Programs use API keys."
        permission={PERMISSION}
        to="see, invite, change and remove members"
        queryKey={['members']}
        read={(signal) => api(`GET ${WORKSPACE}/members`, { path, signal })}
        actions={
          <GuardedButton permission={PERMISSION} className="button primary" onClick={() => setOpen({ kind: 'invite' })}>
            Invite
          </GuardedButton>
        }
      >
        {({ members }) => <MemberTable members={members} onOpen={setOpen} />}
      </Section>
      <Section
        title="Open invitations"
        about="Each link works once. A new invitation of the same address replaces the earlier one."
        permission={PERMISSION}
        to="see and withdraw invitations"
        queryKey={['invitations']}
        read={(signal) => api(`GET ${WORKSPACE}/invitations`, { path, signal })}
      >
        {({ invitations }) => <InvitationTable invitations={invitations} onOpen={setOpen} />}
      </Section>
      {open?.kind === 'invite' && (
        <Invite onClose={close} onInvited={(link, sentTo) => setOpen({ kind: 'link', link, sentTo })} />
      )}
      {open?.kind === 'roles' && <ChangeRoles member={open.member} onClose={close} />}
      {open?.kind === 'remove' && <Remove member={open.member} onClose={close} />}
      {open?.kind === 'withdraw' && <Withdraw invitation={open.invitation} onClose={close} />}
      {open?.kind === 'link' && (
        <Secret secret={open.link} what="invitation link" onClose={close}>
          {open.sentTo !== null && <p>The link was sent to {open.sentTo} by e-mail.</p>}
        </Secret>
      )}
    </>
  );
}

function MemberTable({ members, onOpen }: { members: MemberBody[]; onOpen: (open: Open) => void }) {
  const me = useMe();
  if (members.length === 0) return <p className="quiet-text">No members yet.</p>;
  return (
    <Table
      label="Members"
      rows={members}
      keyOf={({ user_id }) => user_id}
      classOf={({ status }) => (status === 'disabled' ? 'off' : undefined)}
      columns={[
        {
          name: 'Name',
          cell: ({ user_id, name, email, status }) => (
            <>
              {name ?? email}
              {user_id === me.user?.id && ' (you)'}
              {status === 'disabled' && ' (disabled)'}
              {name !== null && <div className="quiet-text">{email}</div>}
            </>
          ),
        },
        { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
        { name: 'Joined', cell: ({ created_at }) => <Moment at={created_at} /> },
        { name: 'Last seen', cell: ({ last_used_at }) => (last_used_at ? <Moment at={last_used_at} /> : 'never') },
        {
          name: '',
          className: 'buttons',
          cell: (member) =>
            member.from_groups ? (
              <span className="quiet-text">by a group</span>
            ) : (
              <>
                <button className="button" onClick={() => onOpen({ kind: 'roles', member })}>
                  Change roles
                </button>
                <button className="button" onClick={() => onOpen({ kind: 'remove', member })}>
                  Remove
                </button>
              </>
            ),
        },
      ]}
    />
  );
}

function InvitationTable(props: { invitations: InvitationBody[]; onOpen: (open: Open) => void }) {
  const { invitations, onOpen } = props;
  if (invitations.length === 0) return <p className="quiet-text">None.</p>;
  return (
    <Table
      label="Open invitations"
      rows={invitations}
      keyOf={({ id }) => id}
      columns={[
        { name: 'E-mail address', cell: ({ email }) => email },
        { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
        { name: 'Expires', cell: ({ expires_at }) => <Moment at={expires_at} /> },
        {
          name: '',
          className: 'buttons',
          cell: (invitation) => (
            <button className="button" onClick={() => onOpen({ kind: 'withdraw', invitation })}>
              Withdraw
            </button>
          ),
        },
      ]}
    />
  );
}

function Invite({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (link: string, sentTo: string | null) => void;
}) {
  const path = useHere();
  const refresh = useRefresh('invitations');
  const invite = async (values: FormValues) => {
    const roles = values.all('roles') as Role[];
    const body = { email: values.text('email'), ...(roles.length > 0 && { roles }) };
    const issued = await api(`POST ${WORKSPACE}/invitations`, { path, body });
    onInvited(new URL(issued.path, location.origin).href, issued.email_sent ? issued.invitation.email : null);
    void refresh();
  };
  return (
    <FormDialog
      title="Invite a member"
      submit="Create the link"
      onSubmit={invite}
      onDone={() => undefined}
      onClose={onClose}
    >
      <p>You get a single-use link, valid for seven days. It is also sent by e-mail if the server can send mail.</p>
      <Field label="E-mail address" isRequired>
        <input className="field" name="email" type="email" maxLength={320} required data-first="" />
      </Field>
      <RoleBoxes hint="Default: member." />
    </FormDialog>
  );
}

const nameOf = ({ name, email }: MemberBody): string => name ?? email;

function ChangeRoles({ member, onClose }: { member: MemberBody; onClose: () => void }) {
  const path = { ...useHere(), user_id: member.user_id };
  const refresh = useRefresh('members', 'session');
  const change = async (values: FormValues) => {
    await api(`PATCH ${WORKSPACE}/members/{user_id}`, { path, body: { roles: values.all('roles') as Role[] } });
    await refresh();
  };
  return (
    <FormDialog title={`Roles of ${nameOf(member)}`} submit="Save" onSubmit={change} onClose={onClose}>
      <RoleBoxes hint="Limits personal keys immediately." chosen={member.roles} />
    </FormDialog>
  );
}

function Remove({ member, onClose }: { member: MemberBody; onClose: () => void }) {
  const path = { ...useHere(), user_id: member.user_id };
  const refresh = useRefresh('members', 'session');
  const remove = async () => {
    await api(`DELETE ${WORKSPACE}/members/{user_id}`, { path });
    await refresh();
  };
  return (
    <FormDialog title={`Remove ${nameOf(member)}?`} submit="Remove" isDangerous onSubmit={remove} onClose={onClose}>
      <p>Sessions and personal keys in this workspace end immediately. The name stays on changes made by the member.</p>
    </FormDialog>
  );
}

function Withdraw({ invitation, onClose }: { invitation: InvitationBody; onClose: () => void }) {
  const path = { ...useHere(), invitation_id: invitation.id };
  const refresh = useRefresh('invitations');
  const withdraw = async () => {
    await api(`DELETE ${WORKSPACE}/invitations/{invitation_id}`, { path });
    await refresh();
  };
  return (
    <FormDialog
      title={`Withdraw the invitation of ${invitation.email}?`}
      submit="Withdraw"
      isDangerous
      onSubmit={withdraw}
      onClose={onClose}
    >
      <p>The link stops working immediately.</p>
    </FormDialog>
  );
}
