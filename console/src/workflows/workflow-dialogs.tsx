import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { WorkflowResponse } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Labels } from '../versions/labels';
import { DeleteDialog } from '../versions/manage';

const WORKFLOW = `${WORKSPACE}/workflows/{workflow_id}` as const;

interface Props {
  workflow: WorkflowResponse;
  onClose: () => void;
}

/** Which version runs by a label use. */
export function WorkflowLabels({ workflow, onClose }: Props) {
  const { workflow_id: id, version } = workflow;
  const path = { ...useHere(), workflow_id: id };
  const { data, error, refetch } = useQuery({
    queryKey: ['workflow-labels', id],
    queryFn: ({ signal }) =>
      api('GET /workflows/{workflow_id_or_name}/labels', { path: { workflow_id_or_name: String(id) }, signal }),
  });
  const place = (label: string) =>
    api(`PUT ${WORKFLOW}/labels/{workflow_label}`, {
      path: { ...path, workflow_label: label },
      body: { version_number: version },
    });
  return (
    <Labels
      kind="workflow"
      id={String(id)}
      version={version}
      labels={data?.release_labels.map(({ release_label: name, workflow_version_number: on }) => ({ name, on }))}
      error={error}
      onRetry={() => void refetch()}
      place={place}
      remove={(label) =>
        api(`DELETE ${WORKFLOW}/labels/{workflow_label}`, { path: { ...path, workflow_label: label } })
      }
      onClose={onClose}
    />
  );
}

/** The name and the tags, which all versions share. */
export function RenameWorkflow({ workflow, onClose }: Props) {
  const path = { ...useHere(), workflow_id: workflow.workflow_id };
  const refresh = useRefresh('workflows', 'workflow');
  const save = async (values: FormValues) => {
    const tags = values.text('tags').split(',');
    const body = { name: values.text('name'), tags: tags.map((tag) => tag.trim()).filter((tag) => tag !== '') };
    await api(`PATCH ${WORKFLOW}`, { path, body });
    await refresh();
  };
  return (
    <FormDialog title="Edit name and tags" submit="Save" onSubmit={save} onClose={onClose}>
      <Field label="Name" isRequired>
        <input
          className="field"
          name="name"
          required
          maxLength={255}
          data-first=""
          defaultValue={workflow.workflow_name}
        />
      </Field>
      <Field label="Tags" hint="Separated by commas.">
        <input className="field" name="tags" defaultValue={workflow.workflow.tags.join(', ')} />
      </Field>
    </FormDialog>
  );
}

export function DeleteWorkflow({ workflow, onClose }: Props) {
  const path = { ...useHere(), workflow_id: workflow.workflow_id };
  return (
    <DeleteDialog
      kind="workflow"
      name={workflow.workflow_name}
      list="/workflows"
      onDelete={() => api(`DELETE ${WORKFLOW}`, { path })}
      onClose={onClose}
    >
      <p>It can no longer be found or run. Runs under way go on.</p>
    </DeleteDialog>
  );
}
