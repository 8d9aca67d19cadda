import type { GridJudgementBody } from '../api/schema.gen';
import { oneLine } from '../ui/format';
import type { GridCell } from './tiles';

/** Maximum characters of a cell in a page. Texts of this length may be cut. */
const TEXT_LENGTH = 200;

export const mayBeCut = (text: string | null): boolean =>
  text === '…' || (text !== null && text.length >= TEXT_LENGTH && [...text].length >= TEXT_LENGTH);

/** Words for the states of cells that are not completed. */
export const STATE_WORDS: Record<string, string> = {
  stale: 'stale',
  queued: 'queued',
  running: 'running',
  error: 'failed',
  cancelled: 'cancelled',
};

/** The word for a cell with a problem: its text is not stored, or it is not completed. */
export function wordOf({ status, draft }: GridCell): string | undefined {
  if (!draft || draft.state === 'saved') return STATE_WORDS[status];
  return draft.state === 'unsaved' ? 'not saved' : 'saving';
}

/** The text of a judged cell: its verdict and the reason, not the question. */
export function judgedLine({ value, yes_count: yes, question_count: questions, reasoning }: GridJudgementBody): string {
  const verdict = value ? '✓ yes' : '✗ no';
  const share = questions > 1 && !value ? ` (${yes} of ${questions} yes)` : '';
  return oneLine(`${verdict}${share}${reasoning ? ` · ${reasoning}` : ''}`);
}

/** The text of a cell in the grid. Where a row shows several lines, a text keeps its line breaks. */
export function shownIn({ text, judgement, draft }: GridCell, output?: string, lines = 1): string {
  if (judgement && !draft) return judgedLine(judgement);
  const line = cellLine(text, output);
  return lines > 1 && text !== null && line === oneLine(text) ? text : line;
}

/** The text of a cell in one readable line. `output` is the output of its column type. */
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

/** Role and text of the first message in the JSON of a conversation. The end of the JSON may be missing. */
function messageIn(text: string): string | null {
  if (!/^\[\s*\{/.test(text)) return null;
  const role = /"role":\s*"(\w+)"/.exec(text)?.[1];
  const content = /"(?:content|text)":\s*"((?:[^"\\]|\\.)*)/.exec(text)?.[1];
  return role && content ? oneLine(`${role}: ${unescaped(content)}`) : null;
}

/** The judgements in the JSON of a cell: `✓ Is it polite? ✗ Is it short?`. The end of the JSON may be missing. */
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
