import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { JsonValue, RawPromptResponse, RenderedPromptResponse } from '../api/schema.gen';
import { Dialog } from '../ui/dialog';
import { valueOfText } from '../ui/exact-json';
import { Field, Form, type FormValues } from '../ui/form';
import { CopyButton } from '../ui/parts';
import { MessageList } from './content';
import { playgroundOf } from './links';

/** Fills the variables of a version in. Nothing is sent to a model: what would be sent is shown. */
export function TryPrompt({ prompt, onClose }: { prompt: RawPromptResponse; onClose: () => void }) {
  const [rendered, setRendered] = useState<RenderedPromptResponse | null>(null);
  const variables = [...new Set(prompt.prompt_template.input_variables ?? [])];
  const fill = async (values: FormValues) => {
    const entries = variables.map((name) => [name, valueOfText(values.raw(`variable ${name}`))]);
    setRendered(
      await api('POST /prompt-templates/{identifier}', {
        path: { identifier: String(prompt.id) },
        body: { version: prompt.version, input_variables: Object.fromEntries(entries) as Record<string, JsonValue> },
      }),
    );
  };
  return (
    <Dialog label="Try" className="form-dialog wide" onClose={onClose}>
      <h1>
        Try {prompt.prompt_name}, version {prompt.version}
      </h1>
      <p className="quiet-text">
        This shows what the model would be sent. To ask the model,{' '}
        <Link className="link" href={playgroundOf(prompt)}>
          open the playground
        </Link>
        .
      </p>
      <Form submit="Show the messages" cancel="Close" onSubmit={fill} onCancel={onClose}>
        {variables.length === 0 && <p>This version has no variables.</p>}
        {variables.map((name, at) => (
          <Field key={name} label={name}>
            <textarea
              className="field"
              name={`variable ${name}`}
              rows={2}
              placeholder="Text, or JSON for lists and objects"
              {...(at === 0 && { 'data-first': '' })}
            />
          </Field>
        ))}
      </Form>
      {rendered && (
        <section className="said" aria-live="polite" aria-label="Messages sent to the model">
          <h2>Messages sent to the model</h2>
          {rendered.warning && <p className="needs">{rendered.warning}</p>}
          <MessageList template={rendered.prompt_template} />
          {rendered.llm_kwargs && (
            <div className="actions">
              <CopyButton
                text={JSON.stringify(rendered.llm_kwargs, null, 2)}
                label="Copy the arguments of the call as JSON"
              />
            </div>
          )}
        </section>
      )}
    </Dialog>
  );
}
