import type { JsonObject } from '../../platform/json.js';
import type { RegisteredColumnType } from './column-type.js';
import { sourceFields } from './source-fields.js';
import { placeLabel, placeToMeta, referencesIn } from './source-places.js';
import { unknownName } from './title-texts.js';

/** A column in a config, and its place. */
export interface NamedSource {
  /** A title or an id. */
  reference: string;
  configKey: string;
  configMeta: JsonObject | null;
  /** The place in words. */
  place: string;
}

/** The columns that a parsed config names. */
export function sourcesOf({ options }: RegisteredColumnType, config: JsonObject): NamedSource[] {
  return referencesIn(sourceFields(options.config), config).map((source) => ({
    reference: source.reference,
    configKey: source.key,
    configMeta: placeToMeta(source),
    place: placeLabel(source),
  }));
}

/**
 * Describes the error in a text of a config that puts values of columns in place of `{title}`: it may only name columns
 * that the config lists. null for a valid config. The config is the result of `parseConfig`.
 */
export function wrongNameInTexts({ options }: RegisteredColumnType, config: JsonObject): string | null {
  const fields = sourceFields(options.config);
  const listed = referencesIn(fields, config).filter(({ position }) => position !== null);
  const columns = listed.map(({ reference }) => ({ id: reference, title: reference }));
  for (const key of options.titleTexts ?? []) {
    const text = config[key];
    const name = typeof text === 'string' ? unknownName(text, columns) : undefined;
    if (name !== undefined) return `${key} names "${name}", which is none of the sources.`;
  }
  return null;
}
