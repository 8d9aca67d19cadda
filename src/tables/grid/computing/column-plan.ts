import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { fitsJsonLimits } from '../../../platform/json-limits.js';
import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { safeJson, safeText } from '../../../platform/safe-text.js';
import { EvaluationError } from '../../../platform/untrusted/evaluation-error.js';
import {
  CellFailure,
  type CellOutcome,
  type ComputingColumnType,
  type InputColumn,
  type RegisteredColumnType,
} from '../column-type/column-type.js';
import { rulesOf } from '../column-type/kinds.js';
import { parseConfig } from '../column-type/parse-config.js';
import { type SourceField, sourceFields } from '../column-type/source-fields.js';
import { asText } from '../column-type/values.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import type { NewCell, SourceCell } from '../cells/cells.queries.js';

/** Largest result of a cell, in characters of its text or JSON, and how deep it may nest. */
const MAX_RESULT = 10_000_000;
const RESULT_LIMITS = { depth: 200, containers: 2_000_000 };

/** Between them others have their turn: whoever stores results holds the lock of a sheet meanwhile. */
const ROWS_AT_ONCE = 200;

/** One place of a config that takes its value from a column. */
interface Input extends InputColumn {
  columnKey: string;
}

/** What rows are computed from. */
export interface RowInputs {
  /** The stored cells of a column: undefined for a row where it has none. */
  cellsOf: (columnKey: string) => (rowIndex: number) => SourceCell | undefined;
  /** What stored results were computed from: row → input hash. */
  known: ReadonlyMap<number, string | null>;
}

export interface ComputedRows {
  /** Cells to write, in the order of the rows. */
  cells: NewCell[];
  /** Rows whose stored result was computed from the very same inputs: there is nothing to write. */
  unchanged: number[];
}

/** A cell that waits for the outcome of its column type. */
interface Waiting {
  cell: NewCell;
  config: JsonObject;
}

/** Everything needed to compute the cells of one column. */
export class ColumnPlan {
  /** Digest of what every cell of the column is computed from, besides its inputs. */
  private readonly identity: string;
  /** The config without references; lists of references have their length and no values. */
  private readonly base: JsonObject;
  private readonly listKeys: string[];
  private readonly plugin: ComputingColumnType;
  /** Why no cell can be computed. */
  private readonly broken: string | null;

  private constructor(
    readonly column: SheetColumn,
    readonly inputs: Input[],
    config: JsonObject,
    type: RegisteredColumnType,
  ) {
    const fields = sourceFields(type.options.config);
    const { name, revision = 1, readsTitles = false } = type.options;
    this.plugin = type.plugin;
    this.base = withoutReferences(config, fields);
    this.listKeys = [...new Set(inputs.flatMap(({ key, position }) => (position === null ? [] : [key])))];
    this.broken = missingReference(config, fields, inputs);
    const places = inputs.map(({ key, position, isText, title }) => [key, position, isText, readsTitles ? title : '']);
    this.identity = hash('sha256', JSON.stringify([name, revision, this.base, places]));
  }

  static of(columns: SheetColumns, column: SheetColumn): ColumnPlan {
    const type = columns.type(column);
    const fields = sourceFields(type.options.config);
    const inputs = columns.edgesOf(column).flatMap((edge): Input[] => {
      const source = columns.find(edge.sourceId);
      const field = fields.find(({ key }) => key === edge.configKey);
      const place = field && placeOf(field, edge.configMeta);
      if (!source || !place) return [];
      const isText = rulesOf(columns.type(source).options.kind).edits === 'value';
      return [{ columnKey: source.key, title: source.title, isText, ...place }];
    });
    return new ColumnPlan(column, inputs, parseConfig(type, column.config), type);
  }

  get sourceKeys(): string[] {
    return [...new Set(this.inputs.map((input) => input.columnKey))];
  }

  /** Whether cells are computed by this process at once, instead of by somebody it waits for. */
  get isImmediate(): boolean {
    return !this.plugin.computeMany;
  }

  /** Computes the cells of rows. A cell that cannot be computed fails alone, with the reason. */
  async compute(rows: Iterable<number>, { cellsOf, known }: RowInputs): Promise<ComputedRows> {
    const readers = this.inputs.map((input) => cellsOf(input.columnKey));
    const results: ComputedRows = { cells: [], unchanged: [] };
    const waiting: Waiting[] = [];
    let seen = 0;
    for (const rowIndex of rows) {
      if (++seen % ROWS_AT_ONCE === 0) await setImmediate();
      const values: JsonValue[] = [];
      const problem = this.broken ?? this.read(rowIndex, readers, values);
      const cell: NewCell = { columnKey: this.column.key, rowIndex, value: null, displayValue: null, inputHash: null };
      if (problem !== null) {
        fail(cell, problem);
      } else {
        cell.inputHash = hash('sha256', this.identity + JSON.stringify(values));
        if (cell.inputHash === known.get(rowIndex)) {
          results.unchanged.push(rowIndex);
          continue;
        }
        if (!this.isImmediate) waiting.push({ cell, config: this.resolve(values) });
        else this.settle(cell, () => this.plugin.compute!(this.resolve(values), this.inputs));
      }
      results.cells.push(cell);
    }
    if (waiting.length > 0) await this.computeMany(waiting);
    return results;
  }

  /** Reads the values of a row; says why they cannot be used. */
  private read(rowIndex: number, readers: ReturnType<RowInputs['cellsOf']>[], values: JsonValue[]): string | null {
    for (let index = 0; index < readers.length; index++) {
      const cell = readers[index]!(rowIndex);
      if (cell?.error) return `"${this.inputs[index]!.title}" failed in this row.`;
      values.push(unwrapped(cell?.value ?? null));
    }
    return null;
  }

  private async computeMany(waiting: Waiting[]): Promise<void> {
    let outcomes: CellOutcome[];
    try {
      const configs = waiting.map(({ config }) => config);
      outcomes = await this.plugin.computeMany!(configs, this.inputs);
    } catch (error) {
      outcomes = waiting.map(() => ({ error: this.reason(error) }));
    }
    waiting.forEach(({ cell }, index) => {
      const outcome = outcomes[index] ?? { error: `${this.column.type} gave no outcome for this row.` };
      if ('error' in outcome) fail(cell, outcome.error);
      else this.settle(cell, () => outcome.value);
    });
  }

  /** A plugin that breaks fails this cell, not the job. */
  private settle(cell: NewCell, compute: () => unknown): void {
    try {
      cell.value = toStorable(compute());
    } catch (error) {
      fail(cell, this.reason(error));
    }
  }

  private reason(error: unknown): string {
    if (error instanceof CellFailure || error instanceof EvaluationError) return error.message;
    return `${this.column.type} could not compute: ${String(error)}`;
  }

  /** The config with the values of this row in place of the references. */
  private resolve(values: JsonValue[]): JsonObject {
    const config = { ...this.base };
    for (const key of this.listKeys) config[key] = [...((this.base[key] as JsonValue[] | undefined) ?? [])];
    for (let index = 0; index < values.length; index++) {
      const { key, position } = this.inputs[index]!;
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

function fail(cell: NewCell, error: string): void {
  cell.value = null;
  cell.inputHash = null;
  cell.error = safeText(error);
}

/** Whatever a plugin gives back as the JSON that will be read again. Throws what JSON.stringify throws. */
function toStorable(result: unknown): JsonValue {
  if (typeof result === 'boolean' || result === null || Number.isFinite(result)) return result as JsonValue;
  if (typeof result === 'string') return safeText(fitting(result));
  const json = fitting(JSON.stringify(result) ?? 'null');
  if (!fitsJsonLimits(json, RESULT_LIMITS)) throw new CellFailure('The result nests too deeply.');
  return safeJson(JSON.parse(json) as JsonValue);
}

function fitting(text: string): string {
  if (text.length > MAX_RESULT) throw new CellFailure(`The result is longer than ${MAX_RESULT} characters.`);
  return text;
}

/** True for what a person would call an empty cell. */
export function isBlank(value: JsonValue | undefined): boolean {
  return value === null || value === undefined || asText(value) === '';
}
