/** The shape of a statement: equal for statements that differ only in layout, parameter numbers and lengths of lists. */
export function shapeOf(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '$')
    .replace(/(\$(?:::\w+)?)(?:, ?\$(?:::\w+)?)+/g, '$1, …')
    .replace(/(\([^()]*…\))(?:, ?\([^()]*…\))+/g, '$1, …');
}

/** Longest statement in a log line, in characters. */
const SHOWN = 2000;

/** The loggable form of a statement: its shape, without any literal. */
export function loggedShape(text: string): string {
  const shape = shapeOf(text.replace(/'(?:[^']|'')*'/g, "'…'").replace(/\$(\w*)\$[^]*?\$\1\$/g, '$$…$$')).trim();
  return shape.length > SHOWN ? `${shape.slice(0, SHOWN)}…` : shape;
}

const COMPARED = /\bworkspace_id"?\s*=\s*\$(\d+)/;
/** New rows have the workspace first: INSERT INTO things (workspace_id, …) VALUES ($1, …) or SELECT $1, …. */
const INSERTED = /\(\s*"?workspace_id"?\s*,[^()]*\)\s*(?:VALUES\s*\(|SELECT\s+)\s*\$(\d+)/i;

/** The workspace that a statement names as a parameter; null when it names none, like a COPY, which has it in its data. */
export function workspaceIn(text: string, values: readonly unknown[]): number | null {
  const place = COMPARED.exec(text)?.[1] ?? INSERTED.exec(text)?.[1];
  const value = place === undefined ? undefined : values[Number(place) - 1];
  const workspace = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof workspace === 'number' && Number.isInteger(workspace) ? workspace : null;
}

/** A name for a statement: its verb and its table, such as "SELECT request_logs". */
export function statementName(text: string): string {
  const [, verb = 'SQL'] = /\b(SELECT|INSERT|UPDATE|DELETE|COPY|BEGIN|START|COMMIT|ROLLBACK|SET)\b/i.exec(text) ?? [];
  const [, table] = /\b(?:FROM|INTO|UPDATE|COPY)\s+"?(\w+)"?/i.exec(text) ?? [];
  return table ? `${verb.toUpperCase()} ${table}` : verb.toUpperCase();
}
