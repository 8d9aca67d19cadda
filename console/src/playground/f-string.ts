/** Thrown where the server treats a text as no format string. */
class NoFormat extends Error {}

/**
 * The names of the fields of an f-string, each once, as `src/prompts/rendering/f-string.ts` finds them: the whole text
 * before `!` or `:` is the name. If the text does not parse, names that look like fields count.
 */
export function fStringNames(text: string): string[] {
  if (!/[{}]/.test(text)) return [];
  try {
    return [...new Set(namesIn(text, 0))];
  } catch (error) {
    if (error instanceof NoFormat) return [...new Set(seemingNames(text))];
    throw error;
  }
}

/** Fields are allowed in the spec of a field, and nowhere deeper. */
const MAX_NESTING = 1;

function namesIn(text: string, nesting: number): string[] {
  const names: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign !== '{' && sign !== '}') continue;
    if (text[at + 1] === sign) {
      at++;
      continue;
    }
    if (sign === '}' || nesting > MAX_NESTING) throw new NoFormat();
    const end = fieldEnd(text, at + 1);
    names.push(...fieldNames(text.slice(at + 1, end), nesting));
    at = end;
  }
  return names;
}

/** The position of the brace that closes a field. */
function fieldEnd(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}') depth--;
    if (depth === 0) return at;
    // Deeper nesting is always invalid. Without this limit a text of braces would take quadratic time.
    if (depth > MAX_NESTING + 2) break;
  }
  throw new NoFormat();
}

// A colon or exclamation mark inside brackets belongs to the name.
const FIELD = /^((?:\[[^\]]*\]|[^[!:{}])*)(?:![rsa](?=:|$))?(?::([^]*))?$/;
/** Positional names, and names with the quotes or line breaks of JSON. */
const NO_NAME = /^$|^\d+$|^[.[]|["'\n\r]/;

function fieldNames(field: string, nesting: number): string[] {
  const [, name, spec] = FIELD.exec(field) ?? [];
  if (name === undefined || NO_NAME.test(name)) throw new NoFormat();
  return [name, ...(spec === undefined ? [] : namesIn(spec, nesting + 1))];
}

const SEEMING_FIELD = /\{\{|\{([\p{L}_][\p{L}\p{N}_ .-]*)(?:[!:][^{}"'\n]*)?\}/gu;

const seemingNames = (text: string): string[] =>
  [...text.matchAll(SEEMING_FIELD)].flatMap(([, name]) => (name === undefined ? [] : [name]));
