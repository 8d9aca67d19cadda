import { isObject, type JsonObject } from '../platform/json.js';

/** Replaces the prompt of a configuration by one version of it, if it has that name. */
export function withPromptVersion(
  configuration: JsonObject,
  { name, version }: { name: string | undefined; version: number },
): JsonObject {
  const { template } = configuration;
  if (!isObject(template) || (template.name ?? template.prompt_name) !== name) return configuration;
  const { label: _, ...rest } = template;
  return { ...configuration, template: { ...rest, version_number: version } };
}
