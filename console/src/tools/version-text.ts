import type { ToolVersionBody } from '../api/schema.gen';

/** Everything that makes a version, for comparing: the definition, the code, the schema of the result. */
export function versionText({
  tool_definition: definition,
  execution,
  response_schema: schema,
}: ToolVersionBody): string {
  const parts = [`definition: ${asJson(definition)}`];
  if (execution) parts.push(`${execution.language}:\n${execution.code}`);
  if (schema) parts.push(`result: ${asJson(schema)}`);
  return parts.join('\n\n');
}

const asJson = (value: unknown): string => JSON.stringify(value, null, 2);
