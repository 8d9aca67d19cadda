import { type ReactNode, useEffect, useReducer, useRef, useState } from 'react';

interface Props {
  /** Whether every field could be read. */
  onValid: (isValid: boolean) => void;
  children: ReactNode;
}

/** Fields of a draft. Names one whose text could not be read, such as invalid JSON: it would be lost with the field. */
export function ValidFields({ onValid, children }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState('');
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  // Fields set their validity as they are typed into, and disappear with other changes of the draft.
  useEffect(() => {
    const found = problemIn(root.current!);
    setProblem(found);
    onValid(found === '');
  });
  useEffect(() => () => onValid(true), [onValid]);
  return (
    <div ref={root} className="workflow-form" onChange={redraw}>
      {problem && (
        <p role="alert" className="bad breaks">
          {problem}
        </p>
      )}
      {children}
    </div>
  );
}

/** The first problem that a field itself has found. Empty fields that are required are checked when publishing. */
function problemIn(root: HTMLElement): string {
  const fields = [...root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')];
  const field = fields.find(({ validity }) => validity.customError);
  return field ? `${nameOf(field)}: ${field.validationMessage}` : '';
}

const nameOf = ({ labels, ariaLabel }: HTMLInputElement | HTMLTextAreaElement): string =>
  ariaLabel ?? labels?.[0]?.firstChild?.textContent ?? 'A field';
