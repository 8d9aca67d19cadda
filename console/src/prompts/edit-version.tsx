import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { PatchPromptRequest, RawPromptResponse } from '../api/schema.gen';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { changedParameters, type EditableMessage, editableMessages, editedContent } from './template-text';

interface Props {
  prompt: RawPromptResponse;
  onClose: () => void;
  onPublished: () => void;
}

/** Publishes a version that is this one with changes. Nothing that is published ever changes. */
export function EditVersion({ prompt, onClose, onPublished }: Props) {
  const template = prompt.prompt_template;
  const [messages, setMessages] = useState(() => editableMessages(template));
  const refresh = useRefresh('prompts', 'prompt', 'prompt-versions');
  const parameters = prompt.metadata?.model?.parameters;
  const publish = async (values: FormValues) => {
    const body = {
      version: prompt.version,
      ...editedContent(template, messages),
      commit_message: values.optional('commit_message'),
      ...(parameters && changedParameters(parameters, values.text('parameters'))),
    } as PatchPromptRequest;
    await api('PATCH /rest/prompt-templates/{identifier}', { path: { identifier: String(prompt.id) }, body });
    await refresh();
  };
  return (
    <FormDialog
      title={`A new version of ${prompt.prompt_name}, from version ${prompt.version}`}
      submit="Publish"
      isWide
      onSubmit={publish}
      onClose={onClose}
      onDone={() => {
        onClose();
        onPublished();
      }}
    >
      <MessageFields messages={messages} isChat={template.type === 'chat'} onChange={setMessages} />
      {parameters && (
        <Field label="Parameters of the model, as JSON" hint="A parameter that you take out is removed.">
          <textarea
            className="field mono"
            name="parameters"
            rows={3}
            defaultValue={JSON.stringify(parameters, null, 2)}
          />
        </Field>
      )}
      <Field label="What has changed">
        <input className="field" name="commit_message" maxLength={72} placeholder="Shorter greeting" />
      </Field>
    </FormDialog>
  );
}

interface MessagesProps {
  messages: EditableMessage[];
  /** False for a completion, which is a single text. */
  isChat: boolean;
  onChange: (messages: EditableMessage[]) => void;
}

function MessageFields({ messages, isChat, onChange }: MessagesProps) {
  return (
    <>
      {messages.map((message, at) => (
        // Messages have no names, and keep their order.
        <MessageField
          key={at}
          message={message}
          onChange={(changed) => onChange(messages.with(at, changed))}
          onRemove={isChat ? () => onChange(messages.toSpliced(at, 1)) : undefined}
        />
      ))}
      {isChat && (
        <div className="actions">
          <button
            type="button"
            className="button"
            onClick={() => onChange([...messages, { role: 'user', text: '', isText: true }])}
          >
            Add a message
          </button>
        </div>
      )}
    </>
  );
}

interface MessageProps {
  message: EditableMessage;
  onChange: (message: EditableMessage) => void;
  onRemove?: () => void;
}

const ROLES = ['system', 'user', 'assistant', 'developer'];

function MessageField({ message, onChange, onRemove }: MessageProps) {
  const { role, text, isText } = message;
  return (
    <div className="message-field">
      <div className="actions">
        {isText && role !== '' ? (
          <select
            className="field"
            aria-label="Role"
            value={role}
            onChange={(event) => onChange({ ...message, role: event.target.value })}
          >
            {[...new Set([...ROLES, role])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        ) : (
          <span className="quiet-text">
            {isText ? 'text' : `${role || 'content'}, as JSON: it is more than a text`}
          </span>
        )}
        {onRemove && (
          <button type="button" className="button quiet" onClick={onRemove}>
            Remove
          </button>
        )}
      </div>
      <textarea
        dir="auto"
        className="field mono"
        aria-label={`Message of ${role || 'the prompt'}`}
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => onChange({ ...message, text: event.target.value })}
      />
    </div>
  );
}
