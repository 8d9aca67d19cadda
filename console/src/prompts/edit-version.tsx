import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { PatchPromptRequest, RawPromptResponse } from '../api/schema.gen';
import { ModelField } from '../models/model-field';
import { Field } from '../ui/form';
import { DraftChanges, type Publication, PublishDialog } from '../versions/publish';
import { MessageField } from './message-field';
import { type Draft, draftOf, draftText, patchOf } from './version-draft';

interface Props {
  prompt: RawPromptResponse;
  onClose: () => void;
  onPublished: () => void;
}

/** Publishes a version that is this one with changes. Nothing that is published ever changes. */
export function EditVersion({ prompt, onClose, onPublished }: Props) {
  const [draft, setDraft] = useState(() => draftOf(prompt));
  const [before] = useState(() => draftText(draft));
  const refresh = useRefresh('prompts', 'prompt', 'prompt-versions');
  const publish = async ({ message, label }: Publication) => {
    const body = {
      version: prompt.version,
      ...patchOf(prompt, draft),
      commit_message: message,
      ...(label !== null && { release_labels: [label] }),
    } as PatchPromptRequest;
    await api('PATCH /rest/prompt-templates/{identifier}', { path: { identifier: String(prompt.id) }, body });
    await refresh();
  };
  return (
    <PublishDialog
      kind="prompt"
      title={`A new version of ${prompt.prompt_name}, from version ${prompt.version}`}
      isChanged={draftText(draft) !== before}
      onPublish={publish}
      onPublished={onPublished}
      onClose={onClose}
    >
      <div className="form-field">
        <span>Model</span>
        <ModelField model={draft.model} onChange={(model) => setDraft({ ...draft, model })} />
      </div>
      <MessageFields draft={draft} onChange={setDraft} />
      <JsonFields draft={draft} onChange={setDraft} />
      <DraftChanges before={before} after={draftText(draft)} />
    </PublishDialog>
  );
}

interface DraftProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
}

function MessageFields({ draft, onChange }: DraftProps) {
  const { messages, isChat } = draft;
  return (
    <>
      {messages.map((message, at) => (
        // Messages have no names, and keep their order.
        <MessageField
          key={at}
          message={message}
          onChange={(changed) => onChange({ ...draft, messages: messages.with(at, changed) })}
          onRemove={isChat ? () => onChange({ ...draft, messages: messages.toSpliced(at, 1) }) : null}
        />
      ))}
      {isChat && (
        <div className="actions">
          <button
            type="button"
            className="button"
            onClick={() => onChange({ ...draft, messages: [...messages, { role: 'user', text: '', isText: true }] })}
          >
            Add a message
          </button>
        </div>
      )}
    </>
  );
}

const AREAS = [
  {
    name: 'parameters',
    label: 'Parameters of the model, as JSON',
    hint: 'Parameters you delete here are removed from the new version.',
    placeholder: '{"temperature": 0.2}',
  },
  {
    name: 'tools',
    label: 'Tools, as a JSON list',
    hint: undefined,
    placeholder: '[{"type": "function", "function": {"name": "find_order"}}]',
  },
  {
    name: 'schema',
    label: 'Response format, as JSON',
    hint: undefined,
    placeholder: '{"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}}',
  },
] as const;

function JsonFields({ draft, onChange }: DraftProps) {
  return AREAS.filter(({ name }) => draft.isChat || name !== 'tools').map(({ name, label, hint, placeholder }) => (
    <Field key={name} label={label} hint={hint}>
      <textarea
        className="field mono grows"
        rows={Math.min(12, draft[name].split('\n').length + 1)}
        placeholder={placeholder}
        spellCheck={false}
        value={draft[name]}
        onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
      />
    </Field>
  ));
}
