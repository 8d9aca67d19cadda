import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { PublishPromptResponse } from '../api/schema.gen';
import { promptPath } from '../prompts/links';
import { Needs, useMay } from '../shell/permissions';
import { CloseButton, Dialog } from '../ui/dialog';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { patchBody, publishBody } from './publication';
import type { Variant } from './variant';

/** Under the name of its source a variant becomes a version of that prompt, with the settings that are not shown. */
async function publishVariant(variant: Variant, values: FormValues): Promise<PublishPromptResponse> {
  const [name, { source }] = [values.text('name'), variant];
  const publication = { message: values.optional('message'), label: values.optional('label') };
  if (name !== source?.name) {
    return api('POST /rest/prompt-templates', { body: publishBody(variant, name, publication) });
  }
  const path = { identifier: String(source.promptId) };
  const query = { version: source.version, resolve_snippets: false };
  const stored = await api('GET /prompt-templates/{identifier}', { path, query });
  const body = patchBody(variant, source, stored.prompt_template, publication);
  return api('PATCH /rest/prompt-templates/{identifier}', { path, body });
}

/** A new prompt and a new version of one have permissions of their own. Which one is needed depends on the name. */
export function useMayPublish(): boolean {
  const mayCreate = useMay('PROMPT_CREATE');
  return useMay('PROMPT_EDIT') || mayCreate;
}

/** Publishes a variant as a version of a prompt, a new one or one that is there. */
export function PublishVariant({ variant, onClose }: { variant: Variant; onClose: () => void }) {
  const [published, setPublished] = useState<PublishPromptResponse | null>(null);
  const mayLabel = useMay('PROMPT_DEPLOY');
  const refresh = useRefresh('prompts', 'prompt', 'prompt-versions');
  const publish = async (values: FormValues) => {
    const made = await publishVariant(variant, values);
    await refresh();
    return made;
  };
  if (published) return <Published version={published} onClose={onClose} />;
  return (
    <FormDialog
      title="Publish as a version"
      submit="Publish the version"
      onSubmit={publish}
      onDone={setPublished}
      onClose={onClose}
    >
      <Field label="Name of the prompt" isRequired hint="A prompt with this name gets a new version.">
        <input
          className="field"
          name="name"
          required
          maxLength={512}
          defaultValue={variant.source?.name ?? ''}
          data-first=""
        />
      </Field>
      <Needs permission="PROMPT_CREATE" to="create a prompt" />
      <Needs permission="PROMPT_EDIT" to="publish a version of an existing prompt" />
      <Field label="Commit message">
        <input className="field" name="message" maxLength={72} placeholder="Names the policy" />
      </Field>
      {mayLabel && (
        <Field label="Release label" hint="The label moves to the new version. Optional.">
          <input className="field" name="label" maxLength={255} placeholder="staging" />
        </Field>
      )}
    </FormDialog>
  );
}

function Published({ version: made, onClose }: { version: PublishPromptResponse; onClose: () => void }) {
  const { id, prompt_name: name, version_number: version } = made;
  return (
    <Dialog label="Published" className="form-dialog" onClose={onClose}>
      <h1>Published</h1>
      <p>
        This is{' '}
        <Link className="link" href={`${promptPath(id)}?v=${version}`}>
          {name}, version {version}
        </Link>
        .
      </p>
      <CloseButton onClose={onClose} />
    </Dialog>
  );
}
