import { isObject, type JsonObject } from '../platform/json.js';

/** A configuration whose prompt, when it has that name, is one version of it instead of what it says. */
export function withPromptVersion(
  configuration: JsonObject,
  { name, version }: { name: string | undefined; version: number },
): JsonObject {
  const { template } = configuration;
  if (!isObject(template) || (template.name ?? template.prompt_name) !== name) return configuration;
  const { label: _, ...rest } = template;
  return { ...configuration, template: { ...rest, version_number: version } };
}
