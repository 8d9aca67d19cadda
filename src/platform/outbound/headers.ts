/** The characters of RFC 9110 for names. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** Tabs and printable Latin-1: no line breaks, which would start another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that belong to the connection and to the message on it: the client sets them. */
const OF_THE_CLIENT = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

const MAX_HEADERS = 50;
/** Servers commonly read 8 to 16 KB of headers. */
const MAX_CHARACTERS = 8_000;

/**
 * Why headers of a user cannot be sent, in a sentence; null when they can. `reserved` are further names, in lower case, that users
 * cannot set. Messages contain no value: it may be a secret.
 */
export function findHeaderProblem(headers: Record<string, unknown>, reserved: readonly string[] = []): string | null {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return `There are more than ${MAX_HEADERS} headers.`;
  const names = new Set<string>();
  let characters = 0;
  for (const [name, value] of entries) {
    const folded = name.toLowerCase();
    if (!NAME.test(name)) return `${shown(name)} is no name of a header.`;
    if (OF_THE_CLIENT.has(folded) || reserved.includes(folded)) return `The header ${name} is set by the server.`;
    if (names.has(folded)) return `The header ${name} is given twice.`;
    if (typeof value !== 'string') return `The header ${name} must be a text.`;
    if (!VALUE.test(value)) {
      return `The header ${name} holds characters that a header cannot hold, such as line breaks.`;
    }
    names.add(folded);
    characters += name.length + value.length;
  }
  return characters > MAX_CHARACTERS ? `The headers are longer than ${MAX_CHARACTERS} characters together.` : null;
}

function shown(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
