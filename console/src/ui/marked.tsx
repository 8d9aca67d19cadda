import type { ReactNode } from 'react';

interface Props {
  text: string;
  /** In characters, in their order, without overlaps. */
  marks: readonly { start: number; end: number }[];
}

/** Characters shown before the first mark, because columns may be narrow. */
const BEFORE = 6;

/** A line of a list with its search matches marked. It begins shortly before the first mark. */
export function Marked({ text, marks }: Props) {
  if (marks.length === 0) return text;
  // Marks count characters, some of which are two units of a JavaScript string.
  const letters = [...text];
  const pieces: ReactNode[] = [];
  const first = marks[0]!.start;
  let at = first > BEFORE + 4 ? first - BEFORE : 0;
  if (at > 0 && letters[at] !== '…') pieces.push('…');
  for (const { start, end } of marks) {
    pieces.push(letters.slice(at, start).join(''), <mark key={start}>{letters.slice(start, end).join('')}</mark>);
    at = end;
  }
  return [...pieces, letters.slice(at).join('')];
}
