/** A list or an object in strict JSON, and where it ends in the text it was read from; without one, where reading it failed. */
export interface StrictJson {
  json: string | null;
  end: number;
}

const TOKEN = /\s+|[[\]{},:]|"|'|-?\d[\d.eE+-]*|[A-Za-z]+/y;
const WORDS: Record<string, string> = {
  true: 'true',
  false: 'false',
  null: 'null',
  True: 'true',
  False: 'false',
  None: 'null',
};
const CLOSING: Record<string, string> = { '[': ']', '{': '}' };
const CLOSES = new Set(Object.values(CLOSING));
const CONTROL = /\p{Cc}/gu;

/**
 * Converts the list or object that begins at a position of a text into strict JSON. Also accepts Python's notation
 * (texts in single quotes, True, False, None), raw line breaks in texts, and a comma after the last entry. Fails at
 * anything else, and at the end of the text. The position of commas and colons is left to the parser of the result.
 */
export function toStrictJson(text: string, start: number): StrictJson {
  const closings: string[] = [];
  const pieces: string[] = [];
  let at = start;
  do {
    const next = readToken(text, at);
    const isPlaced = next.json !== null && place(next.json, closings);
    if (!isPlaced) return { json: null, end: next.json === null ? next.end : at };
    if (CLOSES.has(next.json!) && pieces.at(-1) === ',') pieces.pop();
    if (next.json !== '') pieces.push(next.json!);
    at = next.end;
  } while (closings.length > 0);
  return { json: pieces[0]! in CLOSING ? pieces.join('') : null, end: at };
}

function readToken(text: string, at: number): StrictJson {
  TOKEN.lastIndex = at;
  const token = TOKEN.exec(text)?.[0];
  if (token === undefined) return { json: null, end: at };
  if (token === '"' || token === "'") return readString(text, at);
  const json = strictToken(token);
  return { json, end: json === null ? at : at + token.length };
}

/** Whether a token may stand where it does: a bracket that closes has to be the one that is open. */
function place(token: string, closings: string[]): boolean {
  if (token in CLOSING) closings.push(CLOSING[token]!);
  return !CLOSES.has(token) || closings.pop() === token;
}

/** Null for any word that is not of JSON or Python. */
function strictToken(token: string): string | null {
  if (/^\s/.test(token)) return '';
  return /^[A-Za-z]/.test(token) ? (WORDS[token] ?? null) : token;
}

function readString(text: string, start: number): StrictJson {
  const quote = text[start]!;
  let close = text.indexOf(quote, start + 1);
  while (close >= 0 && isEscaped(text, close, start)) close = text.indexOf(quote, close + 1);
  if (close < 0) return { json: null, end: text.length };
  const content = text.slice(start + 1, close).replace(CONTROL, (found) => JSON.stringify(found).slice(1, -1));
  return { json: `"${quote === '"' ? content : inDoubleQuotes(content)}"`, end: close + 1 };
}

function isEscaped(text: string, quote: number, start: number): boolean {
  let first = quote;
  while (first > start + 1 && text[first - 1] === '\\') first--;
  return (quote - first) % 2 === 1;
}

/** A backslash goes with what follows it. */
const inDoubleQuotes = (content: string): string =>
  content.replace(/\\[^]|"/g, (found) => (found === "\\'" ? "'" : found === '"' ? '\\"' : found));
