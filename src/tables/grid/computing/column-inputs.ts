import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import type { SourceCell } from '../cells/cells.queries.js';
import type { InputColumn, RegisteredColumnType } from '../column-type/column-type.js';
import { rulesOf } from '../column-type/kinds.js';
import { type SourceField, sourceFields } from '../column-type/source-fields.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';

/** The stored cells of a column by row: undefined for a row where it has none. */
export type CellsOf = (columnKey: string) => (rowIndex: number) => SourceCell | undefined;

/** One place of a config that takes its value from a column. */
interface Input extends InputColumn {
  columnKey: string;
}

/** What the values of a row are, or why they cannot be used. */
export type RowValues = { values: JsonValue[] } | { problem: string };

/** The places of a config that are filled in with values of the row, and how. */
export class ColumnInputs {
  /** The config without references; lists of references have their length and no values. */
  private readonly base: JsonObject;
  private readonly listKeys: string[];
  /** Why no row can be read: the config names a column that is gone. */
  private readonly broken: string | null;

  private constructor(
    readonly list: Input[],
    config: JsonObject,
    fields: SourceField[],
  ) {
    this.base = withoutReferences(config, fields);
    this.listKeys = [...new Set(list.flatMap(({ key, position }) => (position === null ? [] : [key])))];
    this.broken = missingReference(config, fields, list);
  }

  /** `config` is the one of the column as its type understands it. */
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
      const place = field && placeOf(field, edge.configMeta);
      if (!source || !place) return [];
      const isText = rulesOf(columns.type(source).options.kind).edits === 'value';
      return [{ columnKey: source.key, title: source.title, isText, ...place }];
    });
    return new ColumnInputs(inputs, config, fields);
  }

  get sourceKeys(): string[] {
    return [...new Set(this.list.map((input) => input.columnKey))];
  }

  /** What results depend on besides the values: with the titles where the type reads those. */
  identity(readsTitles: boolean): JsonValue[] {
    const places = this.list.map(({ key, position, isText, title }) => [
      key,
      position,
      isText,
      readsTitles ? title : '',
    ]);
    return [this.base, places];
  }

  /** A function that reads the values of a row, in the order of the list. */
  reader(cellsOf: CellsOf): (rowIndex: number) => RowValues {
    const readers = this.list.map((input) => cellsOf(input.columnKey));
    return (rowIndex) => {
      if (this.broken !== null) return { problem: this.broken };
      const values: JsonValue[] = [];
      for (let index = 0; index < readers.length; index++) {
        const cell = readers[index]!(rowIndex);
        if (cell?.error) return { problem: `"${this.list[index]!.title}" failed in this row.` };
        values.push(unwrapped(cell?.value ?? null));
      }
      return { values };
    };
  }

  /** The config with the values of a row in place of the references. */
  resolve(values: JsonValue[]): JsonObject {
    const config = { ...this.base };
    for (const key of this.listKeys) config[key] = [...((this.base[key] as JsonValue[] | undefined) ?? [])];
    for (let index = 0; index < values.length; index++) {
      const { key, position } = this.list[index]!;
      if (position === null) config[key] = values[index]!;
      else (config[key] as JsonValue[])[position] = values[index]!;
    }
    return config;
  }
}

/** Longest list of columns. */
const MAX_SOURCES = 1_000;

/** Where an edge puts its value; null for one that names no place of the field and only orders. */
function placeOf({ key, shape }: SourceField, meta: JsonObject | null): Pick<Input, 'key' | 'position'> | null {
  if (shape === 'one') return { key, position: null };
  const position = meta?.position;
  const fits = typeof position === 'number' && Number.isInteger(position) && position >= 0 && position < MAX_SOURCES;
  return fits ? { key, position } : null;
}

function withoutReferences(config: JsonObject, fields: SourceField[]): JsonObject {
  const base: JsonObject = {};
  for (const [key, value] of Object.entries(config)) {
    const field = fields.find((candidate) => candidate.key === key);
    if (!field) base[key] = value;
    else if (field.shape === 'list' && Array.isArray(value)) base[key] = value.map(() => null);
  }
  return base;
}

/** A column that the config names and that is gone: null would look like an empty cell. */
function missingReference(config: JsonObject, fields: SourceField[], inputs: Input[]): string | null {
  for (const { key, shape } of fields) {
    const value = config[key];
    const places = shape === 'list' && Array.isArray(value) ? value : [value];
    for (const [index, reference] of places.entries()) {
      const position = shape === 'list' ? index : null;
      if (typeof reference !== 'string' || reference === '') continue;
      if (inputs.some((input) => input.key === key && input.position === position)) continue;
      return `A column that ${key} refers to was deleted. Choose another one.`;
    }
  }
  return null;
}

/** Values may come wrapped in an object of their own. */
function unwrapped(value: JsonValue): JsonValue {
  if (!isObject(value) || !('value' in value)) return value;
  return Object.keys(value).length === 1 ? value.value! : value;
}
