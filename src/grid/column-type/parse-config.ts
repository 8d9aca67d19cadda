import type { ValidationError } from 'class-validator';
import type { EntityManager } from 'typeorm';
import { toInstance } from '../../platform/http/field.js';
import { RefusedValue } from '../../platform/http/schema-field.js';
import { validate } from '../../platform/http/validation.pipe.js';
import type { JsonObject } from '../../platform/json.js';
import { GridErrors } from '../shared/grid.errors.js';
import type { ColumnTypeOptions, RegisteredColumnType } from './column-type.js';

/**
 * Parses the config of a column: converts earlier forms and drops unknown keys. Throws column_config_invalid with the
 * first error.
 */
export function parseConfig({ options, plugin }: RegisteredColumnType, given: JsonObject): JsonObject {
  const config = toInstance(options.config, todaysForm(options, given));
  const [error] = validate(config);
  if (error) throw GridErrors.column_config_invalid(options.name, describe(error));
  try {
    plugin.check?.(config);
  } catch (problem) {
    throw GridErrors.column_config_invalid(options.name, (problem as Error).message);
  }
  return { ...config } as JsonObject;
}

/** Throws column_config_invalid when a config refers to something outside of its sheet that does not exist. */
export async function requireReferences(
  tx: EntityManager,
  { options, plugin }: RegisteredColumnType,
  config: JsonObject,
  place: { workspaceId: number },
): Promise<void> {
  const missing = await plugin.findMissing?.(tx, config, place);
  if (missing) throw GridErrors.column_config_invalid(options.name, missing);
}

/** If both forms of a key are given, the older one is ignored. */
export function todaysForm({ olderKeys = {}, normalize }: ColumnTypeOptions, given: JsonObject): JsonObject {
  const known = Object.entries(given).filter(([key]) => !Object.hasOwn(olderKeys, key));
  const renamed = Object.entries(given).flatMap(([key, value]) =>
    Object.hasOwn(olderKeys, key) ? [[olderKeys[key]!, value] as const] : [],
  );
  const config = Object.fromEntries([...renamed, ...known]);
  return normalize ? normalize(config) : config;
}

function describe(error: ValidationError): string {
  if (error.value instanceof RefusedValue) {
    const [{ loc, msg } = { loc: [], msg: 'it is not valid' }] = error.value.details;
    return `${[error.property, ...loc].join('.')}: ${msg}.`;
  }
  if (error.children?.length) return `${error.property}.${describe(error.children[0]!)}`;
  if (error.value === undefined) return `${error.property} is required.`;
  return `${error.property}: ${Object.values(error.constraints ?? {})[0]}.`;
}
