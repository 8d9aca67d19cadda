/** Comments and raw blocks, and the expressions and statements of a template. */
const TAG = /\{#[^]*?#\}|\{%-?\s*raw\s*-?%\}[^]*?\{%-?\s*endraw\s*-?%\}|\{\{([^]*?)\}\}|\{%[-+]?([^]*?)%\}/g;
/** A name that is no attribute, no filter and no argument by name. */
const NAME = /(?<![\w.|])(?<![.|]\s*)(?<!\bis\s+(?:not\s+)?)[A-Za-z_]\w*(?!\w)(?!\s*=(?!=))/g;
const WORDS = new Set(
  (
    'and or not in is if else elif true false none True False None recursive ' +
    'loop range dict namespace cycler joiner lipsum'
  ).split(' '),
);

/**
 * The variables that a Jinja template needs, each once. This is an approximation, the server has the parser: names that
 * a loop or an assignment binds count as bound everywhere.
 */
export function jinjaNames(text: string): string[] {
  const used: string[] = [];
  const bound = new Set<string>();
  for (const [, expression, statement] of text.matchAll(TAG)) {
    if (expression !== undefined) used.push(...namesIn(expression));
    if (statement === undefined) continue;
    const { names, rest } = readStatement(statement.trim());
    names.forEach((name) => bound.add(name));
    used.push(...namesIn(rest));
  }
  return [...new Set(used.filter((name) => !bound.has(name)))];
}

/** The names that a statement binds, and the expression in it. */
function readStatement(statement: string): { names: string[]; rest: string } {
  const loop = /^for\s+([^]+?)\s+in\s([^]*)/.exec(statement);
  if (loop) return { names: namesIn(loop[1]!), rest: loop[2]! };
  const set = /^set\s+([^=]+?)\s*(?:=([^]*)|$)/.exec(statement);
  if (set) return { names: namesIn(set[1]!), rest: set[2] ?? '' };
  return { names: [], rest: /^(?:if|elif)\b([^]*)/.exec(statement)?.[1] ?? '' };
}

function namesIn(expression: string): string[] {
  const bare = expression.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g, '0');
  return [...bare.matchAll(NAME)].map(([name]) => name).filter((name) => !WORDS.has(name));
}
