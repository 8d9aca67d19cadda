import type { GridJudgementBody } from '../api/schema.gen';
import { oneLine } from '../ui/format';
import type { GridCell } from './tiles';

/** Characters of a cell that the server sends with a page. What is as long may be cut. */
const TEXT_LENGTH = 200;

export const mayBeCut = (text: string | null): boolean =>
  text === '…' || (text !== null && text.length >= TEXT_LENGTH && [...text].length >= TEXT_LENGTH);

/** How people call the states of cells that are not completed. */
export const STATE_WORDS: Record<string, string> = {
  stale: 'stale',
  queued: 'queued',
  running: 'running',
  error: 'failed',
  cancelled: 'cancelled',
};

/** The word for a cell that is not as it should be: its text is not stored, or its state. */
export function wordOf({ status, draft }: GridCell): string | undefined {
  if (!draft || draft.state === 'saved') return STATE_WORDS[status];
  return draft.state === 'unsaved' ? 'not saved' : 'saving';
}

/** What a judged cell shows: its verdict and the reason, not the question. */
export function judgedLine({ value, yes_count: yes, question_count: questions, reasoning }: GridJudgementBody): string {
  const verdict = value ? '✓ yes' : '✗ no';
  const share = questions > 1 && !value ? ` (${yes} of ${questions} yes)` : '';
  return oneLine(`${verdict}${share}${reasoning ? ` · ${reasoning}` : ''}`);
}

/** What stands in a cell of the grid. With several lines a text keeps its own. */
export function shownIn({ text, judgement, draft }: GridCell, output?: string, lines = 1): string {
  if (judgement && !draft) return judgedLine(judgement);
  const line = cellLine(text, output);
  return lines > 1 && text !== null && line === oneLine(text) ? text : line;
}

/** What a cell shows: a line made for reading. `output` is what the type of its column gives. */
export function cellLine(text: string | null, output = 'text'): string {
  if (text === null) return '';
  if (output !== 'text' || text.startsWith('[') || text.startsWith('{')) {
    if (text === 'true') return '✓ yes';
    if (text === 'false') return '– no';
    const said = messageIn(text) ?? judgementsIn(text);
    if (said !== null) return said;
  }
  return oneLine(text);
}

export const isNumber = (text: string | null): boolean => text !== null && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

/** Who says what in the first message of a conversation, whose end may be missing. */
function messageIn(text: string): string | null {
  if (!/^\[\s*\{/.test(text)) return null;
  const role = /"role":\s*"(\w+)"/.exec(text)?.[1];
  const content = /"(?:content|text)":\s*"((?:[^"\\]|\\.)*)/.exec(text)?.[1];
  return role && content ? oneLine(`${role}: ${unescaped(content)}`) : null;
}

/** What a judge says to each question: `✓ Is it polite? ✗ Is it short?`. The end may be missing. */
function judgementsIn(text: string): string | null {
  const found = [...text.matchAll(/[{,]\s*"((?:[^"\\]|\\.)*)":\s*\{"value":\s*(true|false)/g)];
  if (!text.startsWith('{') || found.length === 0) return null;
  return oneLine(
    found.map(([, question, value]) => `${value === 'true' ? '✓' : '✗'} ${unescaped(question!)}`).join(' '),
  );
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
