import type { JsonObject } from '../../platform/json.js';
import type { RegisteredColumnType } from '../grid/column-type/column-type.js';
import { sourceFields } from '../grid/column-type/source-fields.js';
import { placeLabel, placeToMeta, referencesIn } from '../grid/column-type/source-places.js';

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
