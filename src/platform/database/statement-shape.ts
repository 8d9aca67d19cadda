/** The same for statements that differ only in their layout, in the numbers of parameters and in the length of lists. */
export function shapeOf(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '$')
    .replace(/(\$(?:::\w+)?)(?:, ?\$(?:::\w+)?)+/g, '$1, …')
    .replace(/(\([^()]*…\))(?:, ?\([^()]*…\))+/g, '$1, …');
}

/** Longest statement that a log line has, in characters. */
const SHOWN = 2000;

/** What a log may say of a statement: its shape, without any text that stands in it. */
export function loggedShape(text: string): string {
  const shape = shapeOf(text.replace(/'(?:[^']|'')*'/g, "'…'").replace(/\$(\w*)\$[^]*?\$\1\$/g, '$$…$$')).trim();
  return shape.length > SHOWN ? `${shape.slice(0, SHOWN)}…` : shape;
}

const COMPARED = /\bworkspace_id"?\s*=\s*\$(\d+)/;
/** New rows have the workspace first: INSERT INTO things (workspace_id, …) VALUES ($1, …) or SELECT $1, …. */
const INSERTED = /\(\s*"?workspace_id"?\s*,[^()]*\)\s*(?:VALUES\s*\(|SELECT\s+)\s*\$(\d+)/i;

/** The workspace that a statement names as a parameter; null when it names none, as that of a COPY is in its data. */
export function workspaceIn(text: string, values: readonly unknown[]): number | null {
  const place = COMPARED.exec(text)?.[1] ?? INSERTED.exec(text)?.[1];
  const value = place === undefined ? undefined : values[Number(place) - 1];
  const workspace = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof workspace === 'number' && Number.isInteger(workspace) ? workspace : null;
}

/** A name for a statement: what it does and with what, such as "SELECT request_logs". */
export function statementName(text: string): string {
  const [, verb = 'SQL'] = /\b(SELECT|INSERT|UPDATE|DELETE|COPY|BEGIN|START|COMMIT|ROLLBACK|SET)\b/i.exec(text) ?? [];
  const [, table] = /\b(?:FROM|INTO|UPDATE|COPY)\s+"?(\w+)"?/i.exec(text) ?? [];
  return table ? `${verb.toUpperCase()} ${table}` : verb.toUpperCase();
}
