import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { LabelChangeBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { useMe } from '../shell/session-context';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Moment } from '../ui/moment';
import { Table } from '../ui/table';
import { KINDS, type VersionedKind } from './kinds';

const CHANGES = '/api/public/v2/label-changes';
const PERMISSION = 'PROTECTED_LABELS';
const LONGEST_REASON = 2000;

/** Refreshes the lists that show the labels. */
const useLabelsRefresh = (kind: VersionedKind) => useRefresh('label-changes', ...KINDS[kind].lists);

/** Requests a change of a label that a second person approves. */
export function AskForApproval(props: {
  kind: VersionedKind;
  /** The id of the item. */
  item: string;
  label: string;
  /** The version that has the label; null for a new label. */
  from: number | null;
  /** Null to remove the label. */
  to: number | null;
  onClose: () => void;
}) {
  const { kind, item, label, from, to, onClose } = props;
  const refresh = useLabelsRefresh(kind);
  const ask = async (values: FormValues) => {
    await api(`POST ${CHANGES}`, { body: { kind, item, label, version_number: to, reason: values.text('reason') } });
    await refresh();
  };
  return (
    <FormDialog title="Request approval" submit="Request approval" onSubmit={ask} onClose={onClose}>
      <p>
        Changes of the label {label} need the approval of a second person: {stepOf(from, to)}. The request expires after
        7 days.
      </p>
      <ReasonField label="Reason" isRequired />
    </FormDialog>
  );
}

type Decision = 'approve' | 'reject' | 'cancel';
type Open = { decision: Decision; change: LabelChangeBody } | null;

/** Requested changes, with buttons for approvers and for the requester. */
export function LabelChangeTable({ changes, withItem }: { changes: LabelChangeBody[]; withItem: boolean }) {
  const [open, setOpen] = useState<Open>(null);
  const item = { name: 'Item', cell: (change: LabelChangeBody) => <Item change={change} /> };
  return (
    <>
      <Table
        label="Label changes"
        rows={changes}
        keyOf={({ id }) => id}
        columns={[
          ...(withItem ? [item] : []),
          { name: 'Label', cell: ({ label }) => label },
          { name: 'Change', cell: (change) => <Step change={change} /> },
          { name: 'Reason', className: 'breaks', cell: ({ reason }) => reason },
          { name: 'Requested by', cell: ({ asked_by }) => asked_by.name ?? `key ${asked_by.key_id}` },
          { name: 'Asked', cell: ({ created_at }) => <Moment at={created_at} /> },
          { name: 'State', className: 'breaks', cell: (change) => <State change={change} /> },
          {
            name: '',
            className: 'buttons',
            cell: (change) => <Decisions change={change} onDecide={(decision) => setOpen({ decision, change })} />,
          },
        ]}
      />
      {open && <Decide {...open} onClose={() => setOpen(null)} />}
    </>
  );
}

function Decisions({ change, onDecide }: { change: LabelChangeBody; onDecide: (decision: Decision) => void }) {
  const { key_id: key, user } = useMe();
  const { asked_by: asker, state } = change;
  if (state !== 'open') return null;
  const isOwn = asker.key_id === key || (user !== null && asker.user_id === user.id);
  if (isOwn) {
    return (
      <button className="button" onClick={() => onDecide('cancel')}>
        Cancel request
      </button>
    );
  }
  if (!user) return <span className="quiet-text">A signed-in person decides</span>;
  return (
    <>
      <GuardedButton permission={PERMISSION} onClick={() => onDecide('approve')}>
        Approve
      </GuardedButton>
      <GuardedButton permission={PERMISSION} onClick={() => onDecide('reject')}>
        Reject
      </GuardedButton>
    </>
  );
}

const TITLES: Record<Decision, string> = {
  approve: 'Approve this change?',
  reject: 'Reject this change?',
  cancel: 'Cancel this request?',
};
const SUBMITS: Record<Decision, string> = { approve: 'Approve', reject: 'Reject', cancel: 'Cancel request' };

function Decide({ decision, change, onClose }: NonNullable<Open> & { onClose: () => void }) {
  const refresh = useLabelsRefresh(change.kind);
  const { label, item_name, from_version_number: from, version_number: to, reason } = change;
  const path = { label_change_id: change.id };
  const decide = async (values: FormValues) => {
    // Also after an error: the request may be outdated by now.
    await send(decision, path, values).finally(refresh);
  };
  return (
    <FormDialog title={TITLES[decision]} submit={SUBMITS[decision]} onSubmit={decide} onClose={onClose}>
      <p>
        {item_name}, label {label}: {stepOf(from, to)}. {decision === 'approve' && 'The label changes immediately.'}
      </p>
      <p dir="auto">{reason}</p>
      {decision !== 'cancel' && <ReasonField label="Note" isRequired={decision === 'reject'} />}
    </FormDialog>
  );
}

function send(decision: Decision, path: { label_change_id: string }, values: FormValues): Promise<unknown> {
  if (decision === 'cancel') return api(`POST ${CHANGES}/{label_change_id}/cancel`, { path });
  if (decision === 'reject') {
    return api(`POST ${CHANGES}/{label_change_id}/reject`, { path, body: { reason: values.text('reason') } });
  }
  return api(`POST ${CHANGES}/{label_change_id}/approve`, { path, body: { reason: values.optional('reason') } });
}

function ReasonField({ label, isRequired = false }: { label: string; isRequired?: boolean }) {
  return (
    <Field label={label} isRequired={isRequired}>
      <textarea className="field" name="reason" rows={3} maxLength={LONGEST_REASON} required={isRequired} />
    </Field>
  );
}

function Item({ change: { kind, item_id, item_name } }: { change: LabelChangeBody }): ReactNode {
  return (
    <>
      <Link className="link" href={KINDS[kind].path(item_id)}>
        {item_name}
      </Link>
      {kind !== 'prompt' && ` (${kind.replace('_', ' ')})`}
    </>
  );
}

/** The change, with a link to the difference of the two versions. */
function Step({ change }: { change: LabelChangeBody }): ReactNode {
  const { kind, item_id, from_version_number: from, version_number: to } = change;
  const text = stepOf(from, to);
  if (to === null) return text;
  const query = new URLSearchParams({ v: String(to), ...(from !== null && { against: String(from) }) });
  return (
    <Link className="link" href={`${KINDS[kind].path(item_id)}?${query.toString()}`}>
      {text}
    </Link>
  );
}

function stepOf(from: number | null, to: number | null): string {
  if (to === null) return `remove from v${from}`;
  return from === null ? `new on v${to}` : `v${from} to v${to}`;
}

const OUTDATED = {
  label_moved: 'the label has changed',
  item_deleted: 'the item was deleted',
  asker_left: 'who asked has left or lost the permission',
  expired: 'nobody decided',
};

function State({ change: { state, outdated_because, decided_by, decision_reason } }: { change: LabelChangeBody }) {
  if (outdated_because) return <>{`outdated: ${OUTDATED[outdated_because]}`}</>;
  const by = decided_by ? ` by ${decided_by.name ?? `key ${decided_by.key_id}`}` : '';
  return (
    <>
      {`${state}${by}`}
      {decision_reason && (
        <div className="quiet-text" dir="auto">
          {decision_reason}
        </div>
      )}
    </>
  );
}
