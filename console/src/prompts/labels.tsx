import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError } from '../api/client';
import { useRefresh } from '../api/lists';
import type { PromptLabelBody, RawPromptResponse } from '../api/schema.gen';
import { Dialog } from '../ui/dialog';
import { Field, Form, FormDialog, type FormValues } from '../ui/form';
import { Failure, Refused, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { AskForApproval } from './label-changes';

/** A change that needs an approval: versions that have the label before and after it. */
interface Asked {
  label: string;
  from: number | null;
  to: number | null;
}

const needsApproval = (error: unknown): boolean => error instanceof ApiError && error.code === 'approval_needed';

/** Which version applications get: labels are moved here, created and removed. */
export function Labels({ prompt, onClose }: { prompt: RawPromptResponse; onClose: () => void }) {
  const { id, version } = prompt;
  const refresh = useRefresh('prompts', 'prompt-labels', 'prompt-versions');
  const [error, setError] = useState<Error | null>(null);
  const [removed, setRemoved] = useState<PromptLabelBody | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { data, ...query } = useQuery({
    queryKey: ['prompt-labels', id],
    queryFn: ({ signal }) =>
      api('GET /prompt-templates/{identifier}/labels', { path: { identifier: String(id) }, signal }),
  });
  const target = { prompt_version_number: version };
  /** Offers to ask where the server wants an approval. */
  const orAsk = async (change: Asked, request: Promise<unknown>) => {
    await request.then(refresh, (refusal: unknown) => {
      if (!needsApproval(refusal)) throw refusal;
      setAsked(change);
    });
  };
  const move = ({ release_label: label, release_label_id, prompt_version_number: from }: PromptLabelBody) => {
    setError(null);
    const path = { prompt_label_id: release_label_id };
    const moved = api('PATCH /prompt-labels/{prompt_label_id}', { path, body: target });
    void orAsk({ label, from, to: version }, moved).catch(setError);
  };
  const create = (values: FormValues) => {
    const label = values.text('name');
    const body = { name: label, ...target };
    const created = api('POST /prompts/{prompt_id}/label', { path: { prompt_id: id }, body });
    return orAsk({ label, from: null, to: version }, created);
  };
  const remove = async ({ release_label: label, release_label_id, prompt_version_number: from }: PromptLabelBody) => {
    const path = { prompt_label_id: release_label_id };
    await orAsk({ label, from, to: null }, api('DELETE /prompt-labels/{prompt_label_id}', { path }));
  };
  if (asked) return <AskForApproval prompt={prompt} {...asked} onClose={() => setAsked(null)} />;
  if (removed) return <RemoveLabel label={removed} onRemove={remove} onClose={() => setRemoved(null)} />;
  return (
    <Dialog label="Release labels" className="form-dialog" onClose={onClose}>
      <h1>Release labels</h1>
      <p>Applications that ask for a label get its version from their next request.</p>
      {!data && !query.error && <Waiting on />}
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      <Refused error={error} />
      {data && data.release_labels.length > 0 && (
        <LabelTable labels={data.release_labels} version={version} onMove={move} onRemove={setRemoved} />
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
  labels: PromptLabelBody[];
  version: number;
  onMove: (label: PromptLabelBody) => void;
  onRemove: (label: PromptLabelBody) => void;
}

function LabelTable({ labels, version, onMove, onRemove }: TableProps) {
  return (
    <Table
      label="Labels"
      rows={labels}
      keyOf={(label) => label.release_label_id}
      columns={[
        { name: 'Label', cell: (label) => label.release_label },
        { name: 'On', cell: (label) => `v${label.prompt_version_number}` },
        {
          name: '',
          className: 'buttons',
          cell: (label) => (
            <>
              <button
                className="button"
                disabled={label.prompt_version_number === version}
                onClick={() => onMove(label)}
              >
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
  label: PromptLabelBody;
  onRemove: (label: PromptLabelBody) => Promise<void>;
  onClose: () => void;
}

function RemoveLabel({ label, onRemove, onClose }: RemoveProps) {
  const { release_label, prompt_version_number } = label;
  return (
    <FormDialog
      title={`Remove the label ${release_label}?`}
      submit="Remove"
      isDangerous
      onSubmit={() => onRemove(label)}
      onClose={onClose}
    >
      <p>
        It is on v{prompt_version_number}. Applications that ask for it get an error from their next request on, until
        it is created again.
      </p>
    </FormDialog>
  );
}
