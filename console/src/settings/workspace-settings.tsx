import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { SettingsBody } from '../api/schema.gen';
import { useHere, useMe, WORKSPACE } from '../shell/session-context';
import { Field, Form, type FormValues, SelectField } from '../ui/form';
import { counted } from '../ui/format';
import { sendChanges } from './changes-of';
import { Section } from './section';

const AUTO = {
  off: 'Nothing',
  deterministic: 'Only cells that cost nothing',
  all: 'All cells, including model calls',
};

/** The signed-in user or key, and the defaults for new sheets of the workspace. */
export function WorkspaceSettings() {
  const { workspace, api_key: key, user, permissions } = useMe();
  const roles = (user ?? key)?.roles ?? [];
  const path = useHere();
  return (
    <Section
      title="Workspace"
      about={`${workspace.name} has the id ${workspace.id} and the plan ${workspace.plan}. Only the operator of the server can change these.`}
      permission="ADMIN"
      to="see and change what sheets start with"
      queryKey={['settings']}
      read={(signal) => api(`GET ${WORKSPACE}/settings`, { path, signal })}
      actions={
        <span className="quiet-text">
          {`${user ? 'You have' : `Your key …${key?.last_4} has`} the ${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}`}
          {permissions.length > 0 && ` with ${counted(permissions.length, 'permission')}`}
        </span>
      }
    >
      {({ settings }) => <SettingsForm settings={settings} key={settings.updated_at} />}
    </Section>
  );
}

function SettingsForm({ settings }: { settings: SettingsBody }) {
  const path = useHere();
  const refresh = useRefresh('settings');
  const save = async (values: FormValues) => {
    const form = {
      auto_recalculate: values.text('auto_recalculate') as SettingsBody['auto_recalculate'],
      default_model: values.optional('default_model'),
      embedding_model: values.optional('embedding_model'),
      import_max_bytes: values.number('import_max_bytes'),
      protected_labels: namesIn(values.text('protected_labels')),
      approval_labels: namesIn(values.text('approval_labels')),
    };
    await sendChanges(form, settings, (body) => api(`PATCH ${WORKSPACE}/settings`, { path, body }));
    await refresh();
  };
  const model = (name: 'default_model' | 'embedding_model', label: string, example: string) => (
    <Field label={label} hint={`As provider/model, such as ${example}. Default: the model of the server.`}>
      <input className="field" name={name} defaultValue={settings[name] ?? ''} />
    </Field>
  );
  return (
    <Form submit="Save" onSubmit={save}>
      <SelectField
        label="Auto-recalculate in new sheets"
        name="auto_recalculate"
        options={AUTO}
        value={settings.auto_recalculate}
        hint="Which stale cells recompute after an edit. Existing sheets keep their setting."
      />
      {model('default_model', 'Default model', 'openai/gpt-4.1-mini')}
      {model('embedding_model', 'Embedding model', 'openai/text-embedding-3-small')}
      <Field label="Import size limit, in bytes" hint="Default: the limit of the server.">
        <input
          className="field"
          type="number"
          name="import_max_bytes"
          min={1}
          defaultValue={settings.import_max_bytes ?? ''}
        />
      </Field>
      <LabelFields settings={settings} />
    </Form>
  );
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Protected labels of prompts, tools, workflows and skills. */
function LabelFields({ settings }: { settings: SettingsBody }) {
  return (
    <>
      <Field
        label="Protected labels"
        hint="Separated by commas, such as production, live. Only members with the permission PROTECTED_LABELS move them."
      >
        <input className="field" name="protected_labels" defaultValue={settings.protected_labels.join(', ')} />
      </Field>
      <Field
        label="Protected labels that need an approval"
        hint="Each change needs the approval of a second person. They must be protected labels as well."
      >
        <input className="field" name="approval_labels" defaultValue={settings.approval_labels.join(', ')} />
      </Field>
    </>
  );
}
