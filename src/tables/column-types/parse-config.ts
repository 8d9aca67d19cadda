import type { ValidationError } from 'class-validator';
import { toInstance } from '../../platform/http/field.js';
import { validate } from '../../platform/http/validation.pipe.js';
import type { JsonObject } from '../../platform/json.js';
import { TableErrors } from '../tables.errors.js';
import type { RegisteredColumnType } from './column-type.js';

/**
 * The config of a column as its type understands it: older keys renamed, unknown keys left out.
 * Throws column_config_invalid with the first thing that is wrong.
 */
export function parseConfig({ options, plugin }: RegisteredColumnType, given: JsonObject): JsonObject {
  const renamed = Object.entries(given).map(([key, value]) => [options.olderKeys?.[key] ?? key, value] as const);
  const config = toInstance(options.config, Object.fromEntries(renamed));
  const [error] = validate(config);
  if (error) throw TableErrors.column_config_invalid(options.name, describe(error));
  try {
    plugin.check?.(config);
  } catch (problem) {
    throw TableErrors.column_config_invalid(options.name, (problem as Error).message);
  }
  return { ...config } as JsonObject;
}

function describe(error: ValidationError): string {
  if (error.children?.length) return `${error.property}.${describe(error.children[0]!)}`;
  if (error.value === undefined) return `${error.property} is required.`;
  return `${error.property}: ${Object.values(error.constraints ?? {})[0]}.`;
}
