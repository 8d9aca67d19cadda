import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { leafSql } from '../../platform/filters/to-sql.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { hasVerdicts } from '../../grid/column-type/column-type.js';
import { verdictSql } from '../../grid/cells/cell-verdicts.queries.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { RowSet } from '../../grid/shared/row-set.js';
import { type CellStates, readCellVerdict, readStatus } from './cell-states.js';
import { type RowNames, SCORECARD_FIELDS } from './row-names.js';
import type { RowVerdicts } from './row-verdicts.js';

/** The data that the conditions of a filter refer to. */
export interface FilteredGrid {
  workspaceId: number;
  columns: SheetColumns;
  names: RowNames;
  /** Read only for filters by status. */
  states: CellStates | null;
  /** Read only for filters by the results of the scorecard. */
  verdicts: RowVerdicts | null;
}

/** Whether a filter has a condition on one of these fields. */
export function asksFor({ filters }: FilterGroup, fields: string[]): boolean {
  return filters.some((item) => ('filters' in item ? asksFor(item, fields) : fields.includes(item.field)));
}

export const STATUS_FIELDS = ['cell_status'];

/**
 * A filter as an SQL condition on `r.row`, never null. Every leaf checks whether the row is in the result of one scan
 * of a column. These results are joined to the rows: the planner hashes them at any size, also below NOT and OR, where
 * it would search a long list again for every row.
 */
export class RowConditions {
  private readonly found: string[] = [];

  constructor(
    private readonly grid: FilteredGrid,
    private readonly parameters: SqlParameters,
  ) {}

  /** SQL of the joins, which follows `r`. Read it after the condition. */
  get joins(): string {
    return this.found.map((rows, index) => ` LEFT JOIN (${rows}) f${index} ON f${index}.row_index = r.row`).join('');
  }

  /** The condition that a row is in the result of a SELECT of distinct `row_index`. */
  private readonly among = (rows: string): string => `(f${this.found.push(rows) - 1}.row_index IS NOT NULL)`;

  group({ logic, filters }: FilterGroup): string {
    if (filters.length === 0) return 'TRUE';
    const conditions = filters.map((item) => ('filters' in item ? this.group(item) : this.leaf(item)));
    return `(${conditions.join(` ${logic} `)})`;
  }

  private leaf(leaf: FilterLeaf): string {
    if (leaf.field === 'row_index') return leafSql(leaf, { class: 'ordinal', sql: 'r.row' }, this.parameters);
    const positive = this.positive({ ...leaf, negated: false });
    return leaf.negated ? `(NOT ${positive})` : positive;
  }

  private positive(leaf: FilterLeaf): string {
    if (leaf.field === 'cell_status') return this.hasStatus(leaf);
    if (leaf.field === 'cell_error') return this.hasError(leaf);
    if (leaf.field === 'cell_verdict') return this.hasVerdict(leaf);
    if (SCORECARD_FIELDS.includes(leaf.field)) return this.grid.verdicts!.sql(leaf, this.parameters, this.among);
    const { key } = this.grid.names.column(leaf.field);
    const test = leafSql(leaf, { class: 'json', sql: 'c.value' }, this.parameters);
    return this.among(
      `SELECT c.row_index FROM cells c WHERE c.workspace_id = ${this.workspace} ` +
        `AND c.column_key = ${this.parameters.add(key)}::bigint AND ${test}`,
    );
  }

  private hasStatus({ condition, nestedKey }: FilterLeaf): string {
    if (condition.kind !== 'one_of') throw new Error(`A status cannot be tested for ${condition.kind}.`);
    const statuses = new Set(condition.values.map(readStatus));
    const sets = this.columnsOf(nestedKey).flatMap((column) =>
      [...statuses].map((status) => this.grid.states!.rowsWith(column, status)),
    );
    return `(r.row <@ ${this.parameters.add(RowSet.union(sets).toString())}::int4multirange)`;
  }

  /** Without a name, all columns with verdicts by their type are searched. */
  private hasVerdict({ condition, nestedKey }: FilterLeaf): string {
    if (condition.kind !== 'one_of') throw new Error(`A verdict cannot be tested for ${condition.kind}.`);
    const verdicts = [...new Set(condition.values.map(readCellVerdict))];
    const columns = this.columnsOf(nestedKey).filter(
      (column) => nestedKey !== null || hasVerdicts(this.grid.columns.type(column).options),
    );
    const test = verdicts.map((verdict) => verdictSql('c.value', verdict)).join(' OR ') || 'FALSE';
    return this.among(
      `SELECT DISTINCT c.row_index FROM cells c WHERE c.workspace_id = ${this.workspace} ` +
        `AND c.column_key = ANY(${this.parameters.add(columns.map(({ key }) => key))}::bigint[]) AND (${test})`,
    );
  }

  /** Only failed cells have an error, and their ranges are known: other cells are not read. */
  private hasError(leaf: FilterLeaf): string {
    const keys = this.columnsOf(leaf.nestedKey).map(({ key }) => key);
    const test = leafSql(leaf, { class: 'name', sql: 'c.error' }, this.parameters);
    return this.among(
      `SELECT DISTINCT c.row_index FROM column_chunks h, unnest(h.failed) AS run(rows), cells c ` +
        `WHERE h.workspace_id = ${this.workspace} AND h.column_key = ANY(${this.parameters.add(keys)}::bigint[]) ` +
        `AND c.workspace_id = ${this.workspace} AND c.column_key = h.column_key ` +
        `AND c.row_index >= lower(run.rows) AND c.row_index < upper(run.rows) AND ${test}`,
    );
  }

  /** Added on first use: a statement must not have unused parameters. */
  private get workspace(): string {
    return `${this.parameters.add(this.grid.workspaceId)}::int`;
  }

  /** Without a name, all columns that people see. */
  private columnsOf(name: string | null): SheetColumn[] {
    return name === null ? this.grid.columns.shown({ withSystem: false }) : [this.grid.names.column(name)];
  }
}
