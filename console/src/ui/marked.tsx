import type { ReactNode } from 'react';

interface Props {
  text: string;
  /** In characters, in their order, without overlaps. */
  marks: readonly { start: number; end: number }[];
}

/** A text with what was searched in it marked. */
export function Marked({ text, marks }: Props) {
  if (marks.length === 0) return text;
  // Marks count characters, of which some take two places in a text of JavaScript.
  const letters = [...text];
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    pieces.push(letters.slice(at, start).join(''), <mark key={start}>{letters.slice(start, end).join('')}</mark>);
    at = end;
  }
  return [...pieces, letters.slice(at).join('')];
}
