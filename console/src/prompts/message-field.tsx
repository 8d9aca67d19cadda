import type { ReactNode } from 'react';
import type { EditableMessage } from './template-text';

const ROLES = ['system', 'user', 'assistant', 'developer'];

interface Props<M extends EditableMessage> {
  message: M;
  onChange: (message: M) => void;
  /** null where the message has to stay. */
  onRemove: (() => void) | null;
  /** Beside the role. */
  actions?: ReactNode;
  /** Below the text. */
  children?: ReactNode;
}

/** A message that is edited: its role and its text, in a field as tall as the text. Content that is more than a text is edited as JSON. */
export function MessageField<M extends EditableMessage>(props: Props<M>) {
  const { message, onChange, onRemove, actions, children } = props;
  const { role, text, isText } = message;
  return (
    <div className="message-field">
      <div className="message-head">
        {isText && role !== '' ? (
          <select
            className="field role"
            aria-label="Role"
            value={role}
            onChange={(event) => onChange({ ...message, role: event.target.value })}
          >
            {[...new Set([...ROLES, role])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        ) : (
          <span className="quiet-text">{isText ? 'text' : `${role || 'content'}, as JSON`}</span>
        )}
        {actions}
        {onRemove && (
          <button type="button" className="button quiet" onClick={onRemove}>
            Remove
          </button>
        )}
      </div>
      <textarea
        dir="auto"
        className={isText ? 'field grows' : 'field grows mono'}
        aria-label={`Message of ${role || 'the prompt'}`}
        // Browsers that cannot make a field as tall as its text go by the lines.
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => onChange({ ...message, text: event.target.value })}
      />
      {children}
    </div>
  );
}
