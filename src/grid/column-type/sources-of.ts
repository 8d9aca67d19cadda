import type { JsonObject } from '../../platform/json.js';
import type { RegisteredColumnType } from './column-type.js';
import { sourceFields } from './source-fields.js';
import { placeLabel, placeToMeta, referencesIn } from './source-places.js';
import { unknownName } from './title-texts.js';

/** A column that a config names, and where. */
export interface NamedSource {
  /** A title or an id. */
  reference: string;
  configKey: string;
  configMeta: JsonObject | null;
  /** The place in words. */
  place: string;
}

/** The columns that a config names, as `parseConfig` gives it. */
export function sourcesOf({ options }: RegisteredColumnType, config: JsonObject): NamedSource[] {
  return referencesIn(sourceFields(options.config), config).map((source) => ({
    reference: source.reference,
    configKey: source.key,
    configMeta: placeToMeta(source),
    place: placeLabel(source),
  }));
}

/**
 * What is wrong with a text of a config, as `parseConfig` gives it, that puts the values of columns in place of `{title}`: it may
 * only name those that the config lists. null when nothing is.
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
