import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { JsonObject, WorkflowResponse } from '../api/schema.gen';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { textOfInput, valuesOf } from './inputs';

interface Props {
  workflow: WorkflowResponse;
  /** Initial values of the fields: the inputs of an earlier run. */
  inputs: JsonObject;
  onClose: () => void;
  onStarted: (run: number) => void;
}

/** Starts a run of a version with inputs. */
export function StartRun({ workflow, inputs, onClose, onStarted }: Props) {
  const refresh = useRefresh('workflow-runs', 'workflows');
  const { version, required_input_variables: types } = workflow;
  const start = async (values: FormValues) => {
    const { workflow_version_execution_id: id } = await api('POST /workflows/{workflow_name}/run', {
      path: { workflow_name: String(workflow.workflow_id) },
      body: {
        workflow_version_number: version,
        input_variables: valuesOf(types, (name) => values.raw(`input ${name}`)),
        return_all_outputs: true,
      },
    });
    await refresh();
    return id;
  };
  const entries = Object.entries(types);
  return (
    <FormDialog
      title={`Run version ${version}`}
      submit={`Run version ${version}`}
      isWide
      onSubmit={start}
      onDone={onStarted}
      onClose={onClose}
    >
      <p className="quiet-text">Nodes with models are billed.</p>
      {entries.length === 0 && <p>This version has no inputs.</p>}
      {entries.map(([name, type], at) => (
        <Field key={name} label={name} hint={HINTS[type] ?? 'JSON.'} isRequired={type !== 'string'}>
          {(tied) => (
            <textarea
              {...tied}
              className={type === 'string' ? 'field' : 'field mono'}
              name={`input ${name}`}
              rows={ROWS[type] ?? 1}
              required={type !== 'string'}
              defaultValue={textOfInput(inputs[name])}
              {...(at === 0 && { 'data-first': '' })}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  );
}

const ROWS: Record<string, number> = { string: 3, object: 4, array: 4 };
const HINTS: Record<string, string> = {
  string: 'A text.',
  number: 'A number.',
  integer: 'An integer.',
  boolean: 'true or false.',
  object: 'A JSON object.',
  array: 'A JSON list.',
};
