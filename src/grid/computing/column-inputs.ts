import type { SourceField } from '../column-type/source-field.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { SourceCell } from '../cells/cells.queries.js';
import type { InputColumn, LeftValue, RegisteredColumnType } from '../column-type/column-type.js';
import { rulesOf } from '../column-type/kinds.js';
import { sourceFields } from '../column-type/source-fields.js';
import { isSamePlace, isSpecialName, placeFromMeta, placeLabel, referencesIn } from '../column-type/source-places.js';
import { uniqueNames } from '../column-type/unique-names.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';

/** The stored cells of a column by row: undefined for a row where it has none. */
export type CellsOf = (columnKey: string) => (rowIndex: number) => SourceCell | undefined;

/** One place of a config that takes its value from a column. */
interface Input extends InputColumn {
  columnKey: string;
}

/** A column that is read because it is on the left, or a source beside those. */
interface LeftInput {
  columnKey: string;
  title: string;
  /** Unique name among the columns that are read. */
  name: string;
  /** A failed source is null. Without this, it fails the cell. */
  toleratesFailure: boolean;
}

/** The values of a row, or why they cannot be used. */
export type RowValues = { values: JsonValue[] } | { problem: string };

/** The inputs of a column's cells, and how a row's values are filled into the config. */
export class ColumnInputs {
  /** The config without references: lists and maps of references are empty. */
  private readonly base: JsonObject;
  /** The config of a row before its values, with all keys, so that all rows share one hidden class. */
  private readonly unfilled: JsonObject;
  private readonly listKeys: string[];
  private readonly mapKeys: string[];
  /** Error of all rows: the config names a deleted column. */
  private readonly broken: string | null;

  private constructor(
    /** The places of the config to fill with values of the row. */
    readonly list: Input[],
    /** Columns to the left in the order they are shown, for a type that reads all of them. */
    private readonly left: LeftInput[],
    config: JsonObject,
    fields: SourceField[],
  ) {
    this.base = withoutReferences(config, fields);
    this.unfilled = { ...this.base, ...Object.fromEntries(list.map(({ key }) => [key, null])) };
    this.listKeys = [...new Set(list.flatMap(({ key, position }) => (position === null ? [] : [key])))];
    this.mapKeys = [...new Set(list.flatMap(({ key, variable }) => (variable === null ? [] : [key])))];
    this.broken = missingReference(config, fields, list);
  }

  /** `config` is the parsed config of the column. */
  static of(
    columns: SheetColumns,
    column: SheetColumn,
    { options }: RegisteredColumnType,
    config: JsonObject,
  ): ColumnInputs {
    const fields = sourceFields(options.config);
    const inputs = columns.edgesOf(column).flatMap((edge): Input[] => {
      const source = columns.find(edge.sourceId);
      const field = fields.find(({ key }) => key === edge.configKey);
      const place = field && placeFromMeta(field, edge.configMeta);
      if (!source || !place) return [];
      const isText = rulesOf(columns.type(source).options.kind).edits === 'value';
      return [{ columnKey: source.key, id: source.id, title: source.title, isText, ...place }];
    });
    return new ColumnInputs(inputs, leftInputs(columns, column), config, fields);
  }

  get sourceKeys(): string[] {
    return [...new Set([...this.list, ...this.left].map((input) => input.columnKey))];
  }

  /** Identifies everything that results depend on besides the values; with the titles where the type reads them. */
  identity(readsTitles: boolean): JsonValue[] {
    const places = this.list.map(({ key, position, variable, isText, title }) => [
      key,
      position ?? variable,
      isText,
      readsTitles ? title : '',
    ]);
    // Types that do not read the columns to their left keep their previous identity.
    return this.left.length === 0 ? [this.base, places] : [this.base, places, this.left.map(({ title }) => title)];
  }

  /** A function that reads the values of a row: those of the list, then those to the left. */
  reader(cellsOf: CellsOf): (rowIndex: number) => RowValues {
    const readers = this.inOrder.map((input) => ({ ...input, cellAt: cellsOf(input.columnKey) }));
    return (rowIndex) => {
      if (this.broken !== null) return { problem: this.broken };
      const values: JsonValue[] = [];
      for (const { cellAt, title, toleratesFailure } of readers) {
        const cell = cellAt(rowIndex);
        if (cell?.error && !toleratesFailure) return { problem: `"${title}" failed in this row.` };
        values.push(cell?.error ? null : unwrapped(cell?.value ?? null));
      }
      return { values };
    };
  }

  /** The config with the values of a row in place of the references. */
  resolve(values: JsonValue[]): JsonObject {
    const config = { ...this.unfilled };
    for (const key of this.listKeys) config[key] = [...((this.base[key] as JsonValue[] | undefined) ?? [])];
    for (const key of this.mapKeys) config[key] = mapOf(Object.entries(this.base[key] ?? {}));
    for (let index = 0; index < this.list.length; index++) {
      const { key, position, variable } = this.list[index]!;
      if (variable !== null) (config[key] as JsonObject)[variable] = values[index]!;
      else if (position !== null) (config[key] as JsonValue[])[position] = values[index]!;
      else config[key] = values[index]!;
    }
    return config;
  }

  /** The values of a row for a type that reads every column to its left. */
  leftOf(values: JsonValue[]): LeftValue[] {
    return this.left.map(({ name }, index) => ({ title: name, value: values[this.list.length + index]! }));
  }

  private get inOrder(): Pick<LeftInput, 'columnKey' | 'title' | 'toleratesFailure'>[] {
    return [...this.list.map((input) => ({ ...input, toleratesFailure: false })), ...this.left];
  }
}

function leftInputs(columns: SheetColumns, column: SheetColumn): LeftInput[] {
  const left = columns.leftOf(column);
  const names = uniqueNames(left.map(({ source }) => source.title));
  return left.map(({ source, isImplicit }, index) => ({
    columnKey: source.key,
    title: source.title,
    name: names[index]!,
    toleratesFailure: isImplicit,
  }));
}

function withoutReferences(config: JsonObject, fields: SourceField[]): JsonObject {
  const base: JsonObject = {};
  for (const [key, value] of Object.entries(config)) {
    const field = fields.find((candidate) => candidate.key === key);
    if (!field) base[key] = value;
    else if (field.shape === 'list' && Array.isArray(value)) base[key] = value.map(() => null);
    else if (field.shape === 'map' && isObject(value)) base[key] = withoutColumns(value, field);
  }
  return base;
}

/** A map with its special names and without columns. */
function withoutColumns(map: JsonObject, field: SourceField): JsonObject {
  return mapOf(Object.entries(map).map(([key, value]) => [key, isSpecialName(field, value) ? value : null]));
}

/** An object without a prototype: users choose the names of variables, also `constructor` and `__proto__`. */
function mapOf(entries: [string, JsonValue][]): JsonObject {
  const map = Object.create(null) as JsonObject;
  for (const [key, value] of entries) map[key] = value;
  return map;
}

/** Finds a deleted column in the config: null would look like an empty cell. */
function missingReference(config: JsonObject, fields: SourceField[], inputs: Input[]): string | null {
  const references = referencesIn(fields, config);
  const missing = references.find((reference) => !inputs.some((input) => isSamePlace(input, reference)));
  return missing ? `A column that ${placeLabel(missing)} refers to was deleted. Choose another one.` : null;
}

/** Unwraps a value that is wrapped in an object. */
export function unwrapped(value: JsonValue): JsonValue {
  if (!isObject(value) || !('value' in value)) return value;
  return Object.keys(value).length === 1 ? value.value! : value;
}
