import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { safeJson, safeText } from '../../platform/safe-text.js';
import { CellFailure, type ComputingColumnType, type RegisteredColumnType } from '../column-types/column-type.js';
import { parseConfig } from '../column-types/parse-config.js';
import { sourceFields } from '../column-types/source-fields.js';
import { asText } from '../column-types/values.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import type { NewCell, SourceCell } from '../cells/cells.queries.js';

/** One place of a config that takes its value from a column. */
interface Input {
  columnKey: string;
  title: string;
  key: string;
  /** The place in a list; null outside one. */
  position: number | null;
}

/** Everything needed to compute the cells of one column. */
export class ColumnPlan {
  /** What every cell of the column is computed from, besides its inputs. */
  private readonly identity: string;

  private constructor(
    readonly column: SheetColumn,
    readonly inputs: Input[],
    private readonly base: JsonObject,
    private readonly type: RegisteredColumnType,
  ) {
    const { name, revision = 1 } = type.options;
    const places = inputs.map(({ key, position }) => [key, position]);
    this.identity = JSON.stringify([name, revision, base, places]);
  }

  static of(columns: SheetColumns, column: SheetColumn): ColumnPlan {
    const type = columns.type(column);
    const fields = sourceFields(type.options.config);
    const config = parseConfig(type, column.config);
    const base = Object.fromEntries(
      Object.entries(config).filter(([key]) => !fields.some((field) => field.key === key)),
    );
    const inputs = columns.edgesOf(column).flatMap((edge): Input[] => {
      const source = columns.find(edge.sourceId);
      if (!source || !fields.some((field) => field.key === edge.configKey)) return [];
      const position = (edge.configMeta?.position as number | undefined) ?? null;
      return [{ columnKey: source.key, title: source.title, key: edge.configKey!, position }];
    });
    return new ColumnPlan(column, inputs, base, type);
  }

  get sourceKeys(): string[] {
    return [...new Set(this.inputs.map((input) => input.columnKey))];
  }

  /**
   * Computes one cell. `source` gives the stored cell of a column in this row. null when the stored result was computed
   * from the very same inputs: there is nothing to write then.
   */
  compute(
    rowIndex: number,
    source: (columnKey: string) => SourceCell | undefined,
    known?: string | null,
  ): NewCell | null {
    const at = { columnKey: this.column.key, rowIndex };
    const failed = this.inputs.find((input) => source(input.columnKey)?.error);
    if (failed) return failure(at, `"${failed.title}" failed in this row.`);
    const values = this.inputs.map((input) => source(input.columnKey)?.value ?? null);
    const inputHash = hash('sha256', this.identity + JSON.stringify(values));
    if (inputHash === known) return null;
    try {
      const result = (this.type.plugin as ComputingColumnType).compute(this.resolve(values));
      return { ...at, value: toStorable(result), displayValue: null, inputHash };
    } catch (error) {
      // A plugin that breaks fails this cell, not the job.
      const reason =
        error instanceof CellFailure ? error.message : `${this.column.type} could not compute: ${String(error)}`;
      return failure(at, reason);
    }
  }

  /** The config with the values of this row in place of the references. */
  private resolve(values: JsonValue[]): JsonObject {
    const config = { ...this.base };
    this.inputs.forEach(({ key, position }, index) => {
      if (position === null) config[key] = values[index]!;
      else config[key] = Object.assign((config[key] as JsonValue[] | undefined) ?? [], { [position]: values[index] });
    });
    return config;
  }
}

function failure(at: Pick<NewCell, 'columnKey' | 'rowIndex'>, error: string): NewCell {
  return { ...at, value: null, displayValue: null, inputHash: null, error: safeText(error) };
}

/** Whatever a plugin gives back as the JSON that will be read again. Throws what JSON.stringify throws. */
function toStorable(result: unknown): JsonValue {
  if (typeof result === 'boolean' || result === null || Number.isFinite(result)) return result as JsonValue;
  if (typeof result === 'string') return safeText(result);
  return safeJson(JSON.parse(JSON.stringify(result) ?? 'null') as JsonValue);
}

/** True for what a person would call an empty cell. */
export function isBlank(value: JsonValue | undefined): boolean {
  return asText(value) === '';
}
