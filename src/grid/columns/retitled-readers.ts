import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, setOwn } from '../../platform/json.js';
import type { RegisteredColumnType } from '../column-type/column-type.js';
import { todaysForm } from '../column-type/parse-config.js';
import { sourceFields } from '../column-type/source-fields.js';
import { placeFromMeta, referencesIn, type SourcePlace } from '../column-type/source-places.js';
import { renameInText, unknownName } from '../column-type/title-texts.js';
import { GridErrors } from '../shared/grid.errors.js';
import { type ColumnState, stateOf } from './column-state.js';

import type { SheetColumn } from './column.entity.js';
import { isEdgeOf, type ResolvedEdge } from './references.js';
import type { SheetColumns } from './sheet-columns.js';

type NamedColumn = Pick<SheetColumn, 'id' | 'title'>;

/** A column whose config names others by title, before and after these were renamed. */
export interface RetitledReader {
  column: SheetColumn;
  before: ColumnState;
  after: ColumnState;
}

/**
 * The columns whose configs name renamed ones by title. Configs must show the current titles: only those can be saved
 * again.
 */
export function retitledReaders(columns: SheetColumns, newTitles: ReadonlyMap<string, string>): RetitledReader[] {
  const readers = columns.list.filter((column) => columns.edgesOf(column).some((edge) => newTitles.has(edge.sourceId)));
  return readers.flatMap((column) => {
    const before = stateOf(columns, column);
    const config = retitled(columns, columns.type(column), before, newTitles);
    return isDeepStrictEqual(config, before.config) ? [] : [{ column, before, after: { ...before, config } }];
  });
}

/** Throws column_config_invalid when a text of the config names a column that is none of its sources. */
export function requireNamesInTexts(
  type: RegisteredColumnType,
  { config, edges }: { config: JsonObject; edges: ResolvedEdge[] },
  columns: NamedColumn[],
): void {
  for (const key of type.options.titleTexts ?? []) {
    const text = config[key];
    const name = typeof text === 'string' ? unknownName(text, listed(type, edges, columns)) : undefined;
    if (name !== undefined) {
      throw GridErrors.column_config_invalid(
        type.options.name,
        `${key} names "${name}", which is none of the sources.`,
      );
    }
  }
}

function retitled(
  columns: SheetColumns,
  type: RegisteredColumnType,
  { config: stored, edges }: ColumnState,
  newTitles: ReadonlyMap<string, string>,
): JsonObject {
  const { options } = type;
  const config = { ...withPlaces(type, stored) };
  for (const place of referencesIn(sourceFields(options.config), config)) {
    const sourceId = edges.find((edge) => isEdgeOf(edge, place))?.sourceId;
    const title = sourceId && newTitles.get(sourceId);
    if (title && columns.find(sourceId)!.title === place.reference) put(config, place, title);
  }
  for (const key of options.titleTexts ?? []) {
    const text = config[key];
    if (typeof text === 'string') config[key] = renameInText(text, listed(type, edges, columns.list), newTitles);
  }
  return config;
}

/** The stored config, or its current form if its sources are under older keys. */
function withPlaces({ options }: RegisteredColumnType, config: JsonObject): JsonObject {
  const today = todaysForm(options, config);
  const isToday = sourceFields(options.config).every(({ key }) => isDeepStrictEqual(today[key], config[key]));
  return isToday ? config : today;
}

/** The columns in lists of a config, by their names in its texts. */
function listed({ options }: RegisteredColumnType, edges: ResolvedEdge[], columns: NamedColumn[]): NamedColumn[] {
  const fields = sourceFields(options.config);
  return edges.flatMap(({ sourceId, configKey, configMeta }) => {
    const field = fields.find(({ key, shape }) => key === configKey && shape === 'list');
    const source = columns.find(({ id }) => id === sourceId);
    return source && field && placeFromMeta(field, configMeta) ? [source] : [];
  });
}

function put(config: JsonObject, { key, position, variable }: SourcePlace, title: string): void {
  const value = config[key]!;
  if (variable !== null && isObject(value)) {
    const map = { ...value };
    setOwn(map, variable, title);
    config[key] = map;
  } else config[key] = Array.isArray(value) ? value.with(position!, title) : title;
}
