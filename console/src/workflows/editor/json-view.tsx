import { useEffect, useState } from 'react';
import { type Draft, readDraft, textOf } from './draft';

interface Props {
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Whether the text is a workflow at all. */
  onValid: (isValid: boolean) => void;
}

/** The whole draft as JSON. Invalid JSON does not change the draft. */
export function JsonView({ draft, onChange, onValid }: Props) {
  const [text, setText] = useState(() => textOf(draft));
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => () => onValid(true), [onValid]);
  const write = (next: string) => {
    setText(next);
    try {
      onChange(readDraft(next));
      setProblem(null);
      onValid(true);
    } catch (error) {
      setProblem((error as Error).message);
      onValid(false);
    }
  };
  return (
    <section aria-label="JSON" className="workflow-form">
      <h2>The whole version as JSON</h2>
      <textarea
        className="field mono workflow-json"
        aria-label="The version as JSON"
        aria-invalid={problem !== null}
        spellCheck={false}
        rows={24}
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      {problem && (
        <p role="alert" className="bad breaks">
          {problem}
        </p>
      )}
    </section>
  );
}
