/** Functions whose result differs from one moment to the next, which a node must not work out by itself. */
const CLOCK = String.raw`\b(?:now|statement_timestamp|transaction_timestamp)\s*\(|\bcurrent_(?:timestamp|date|time)\b|\blocaltime`;
const VOLATILE = String.raw`\b(?:clock_timestamp|gen_random_uuid|uuidv[47]|random|nextval|set_config|txid_current\w*)\s*\(`;
const CHANGING = new RegExp(`${CLOCK}|${VOLATILE}`, 'i');

/** FOR UPDATE only locks. */
const WRITES = /\b(?:INSERT\s+INTO|(?<!\bFOR\s+|\bKEY\s+)UPDATE|DELETE\s+FROM)\b/i;

interface Rule {
  /** The part of a statement begins behind this. */
  begin: RegExp;
  /** Pattern that the part must not contain. */
  forbidden: RegExp;
  problem: string;
}

const RULES: Rule[] = [
  { begin: /\bDO\s+UPDATE\s+SET\b/gi, forbidden: CHANGING, problem: 'reads the clock or chance in DO UPDATE SET' },
  {
    begin: /(?<!\bDO\s+)\bUPDATE\s+\S+(?:\s+(?:AS\s+)?\w+)?\s+SET\b/gi,
    forbidden: new RegExp(VOLATILE, 'i'),
    problem: 'calls a volatile function in UPDATE … SET',
  },
  { begin: /\bcoalesce\s*(?=\()/gi, forbidden: CHANGING, problem: 'reads the clock or chance in COALESCE' },
  { begin: /\bCASE\b/gi, forbidden: CHANGING, problem: 'reads the clock or chance in CASE' },
];

/** End of a list of assignments. */
const END_OF_SET = /^(?:FROM|WHERE|RETURNING)$/i;

/**
 * Problems of a writing statement that uses the clock where all nodes must get the same value. Empty for a statement
 * that only reads.
 */
export function clockInWrites(text: string): string[] {
  const code = withoutLiterals(text);
  if (!WRITES.test(code)) return [];
  return RULES.filter(({ begin, forbidden }) =>
    [...code.matchAll(begin)].some((match) => forbidden.test(partBehind(code, match.index, match[0]))),
  ).map(({ problem }) => problem);
}

function withoutLiterals(text: string): string {
  return text.replace(/--[^\n]*|\/\*[^]*?\*\//g, ' ').replace(/'(?:[^']|'')*'/g, "''");
}

/** Up to the end of the list, the bracket or the CASE that it stands in. */
function partBehind(code: string, at: number, opening: string): string {
  const start = at + opening.length;
  const isCase = /^CASE$/i.test(opening);
  const isCall = /^coalesce/i.test(opening);
  let depth = isCase ? 1 : 0;
  for (const { 0: token, index } of code.slice(start).matchAll(/[()]|\w+/g)) {
    if (token === '(' || /^CASE$/i.test(token)) depth++;
    else if (token === ')' || /^END$/i.test(token)) depth--;
    const isOver = depth < 0 || (depth === 0 && (isCase || isCall || END_OF_SET.test(token)));
    if (isOver) return code.slice(start, start + index);
  }
  return code.slice(start);
}
