import { useState } from 'react';
import { ApiError } from '../api/client';
import { useRefresh } from '../api/lists';
import { Dialog } from '../ui/dialog';
import { Field, Form, FormDialog, type FormValues } from '../ui/form';
import { Failure, Refused, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { KINDS, type VersionedKind } from './kinds';
import { AskForApproval } from './label-changes';

/** A label and the number of the version that it is on. */
export interface LabelOn {
  name: string;
  on: number;
}

/** A change that needs an approval: versions that have the label before and after it. */
interface Asked {
  label: string;
  from: number | null;
  to: number | null;
}

interface Props {
  kind: VersionedKind;
  id: string;
  /** The version that labels are moved to. */
  version: number;
  /** All of the item; undefined while they are on their way. */
  labels: LabelOn[] | undefined;
  error?: Error | null;
  onRetry?: () => void;
  /** Puts a label on the version: a new one, or one that is moved there. */
  place: (label: string) => Promise<unknown>;
  remove: (label: string) => Promise<unknown>;
  onClose: () => void;
}

const needsApproval = (error: unknown): boolean => error instanceof ApiError && error.code === 'approval_needed';

/** Which version users of an item get: labels are moved here, created and removed. */
export function Labels(props: Props) {
  const { kind, id, version, labels, error: unread = null, onRetry, place, remove, onClose } = props;
  const refresh = useRefresh(...KINDS[kind].lists);
  const [error, setError] = useState<Error | null>(null);
  const [removed, setRemoved] = useState<LabelOn | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  /** Offers to ask where the server wants an approval. */
  const orAsk = async (change: Asked, request: Promise<unknown>) => {
    await request.then(refresh, (refusal: unknown) => {
      if (!needsApproval(refusal)) throw refusal;
      setAsked(change);
    });
  };
  const move = ({ name, on }: LabelOn) => {
    setError(null);
    void orAsk({ label: name, from: on, to: version }, place(name)).catch(setError);
  };
  const create = async (values: FormValues) => {
    const label = values.text('name');
    if (labels?.some(({ name }) => name === label)) {
      throw new Error(`This already has a release label ${label}. Move it in the list.`);
    }
    return orAsk({ label, from: null, to: version }, place(label));
  };
  const take = ({ name, on }: LabelOn) => orAsk({ label: name, from: on, to: null }, remove(name));
  if (asked) return <AskForApproval kind={kind} item={id} {...asked} onClose={() => setAsked(null)} />;
  if (removed) {
    return <RemoveLabel kind={kind} label={removed} onRemove={take} onClose={() => setRemoved(null)} />;
  }
  return (
    <Dialog label="Release labels" className="form-dialog" onClose={onClose}>
      <h1>Release labels</h1>
      <p>{KINDS[kind].users} a label get its version from now on.</p>
      {!labels && !unread && <Waiting on />}
      {unread && <Failure error={unread} onRetry={onRetry} />}
      <Refused error={error} />
      {labels && labels.length > 0 && (
        <LabelTable labels={labels} version={version} onMove={move} onRemove={setRemoved} />
      )}
      <Form submit={`Add label to v${version}`} cancel="Close" onSubmit={create} onCancel={onClose}>
        <Field label="New label">
          <input className="field" name="name" required maxLength={255} placeholder="beta" data-first="" />
        </Field>
      </Form>
    </Dialog>
  );
}

interface TableProps {
  labels: LabelOn[];
  version: number;
  onMove: (label: LabelOn) => void;
  onRemove: (label: LabelOn) => void;
}

function LabelTable({ labels, version, onMove, onRemove }: TableProps) {
  return (
    <Table
      label="Labels"
      rows={labels}
      keyOf={({ name }) => name}
      columns={[
        { name: 'Label', cell: ({ name }) => name },
        { name: 'On', cell: ({ on }) => `v${on}` },
        {
          name: '',
          className: 'buttons',
          cell: (label) => (
            <>
              <button className="button" disabled={label.on === version} onClick={() => onMove(label)}>
                Move to v{version}
              </button>
              <button className="button" onClick={() => onRemove(label)}>
                Remove
              </button>
            </>
          ),
        },
      ]}
    />
  );
}

interface RemoveProps {
  kind: VersionedKind;
  label: LabelOn;
  onRemove: (label: LabelOn) => Promise<void>;
  onClose: () => void;
}

function RemoveLabel({ kind, label, onRemove, onClose }: RemoveProps) {
  return (
    <FormDialog
      title={`Remove the label ${label.name}?`}
      submit="Remove"
      isDangerous
      onSubmit={() => onRemove(label)}
      onClose={onClose}
    >
      <p>
        It is on v{label.on}. {KINDS[kind].users} it fail from now on, until it is created again.
      </p>
    </FormDialog>
  );
}
