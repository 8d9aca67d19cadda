import { useEffect, useState } from 'react';
import { Field } from '../../ui/form';

interface Props {
  label: string;
  hint?: string;
  value: string;
  /** Whether something else has a name. */
  isTaken: (name: string) => boolean;
  onRename: (name: string) => void;
}

/** A name that others refer to: it changes when the field is left, and only to one that is free. */
export function NameField({ label, hint, value, isTaken, onRename }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const name = text.trim();
  const problem = name === '' ? 'It needs a name.' : name !== value && isTaken(name) ? `${name} is taken.` : null;
  const settle = () => {
    if (problem) setText(value);
    else if (name !== value) onRename(name);
  };
  return (
    <Field label={label} hint={problem ?? hint} isRequired>
      <input
        className="field"
        maxLength={255}
        aria-invalid={problem !== null}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={settle}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          settle();
        }}
      />
    </Field>
  );
}
