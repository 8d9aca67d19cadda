import type { FieldClass } from '../../platform/filters/fields.js';
import { FilterSemanticsError, FilterSyntaxError } from '../../platform/filters/errors.js';
import { type FilterGroup, parse } from '../../platform/filters/grammar.js';
import type { Location } from '../../platform/filters/shape.js';
import { nearestName } from '../../platform/http/unknown-keys.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';

/** Fields of rows for filters, besides the values of their cells. A column with such a title is named by its id. */
export const ROW_FIELDS = {
  row_index: { class: 'ordinal' },
  cell_status: { class: 'states' },
  cell_error: { class: 'messages' },
  cell_verdict: { class: 'states' },
  row_verdict: { class: 'states' },
  row_score: { class: 'numbers' },
} as const satisfies Record<string, { class: FieldClass }>;

/** Fields with the result of the scorecard, or of one of its steps. */
export const SCORECARD_FIELDS = ['row_verdict', 'row_score'];

export const ROW_INDEX = 'row_index';

/** The columns of a sheet by the names in filters and sorts of rows: ids and titles. */
export class RowNames {
  /** Several columns may share a title. */
  private readonly byName = new Map<string, SheetColumn[]>();
  private readonly titles: string[];

  constructor(columns: SheetColumns) {
    const list = columns.shown({ withSystem: true });
    this.titles = [...new Set(list.map(({ title }) => title))];
    for (const column of list) this.byName.set(column.title, [...(this.byName.get(column.title) ?? []), column]);
    for (const column of list) {
      for (const id of [column.id, column.id.toUpperCase()]) this.byName.set(id, [column]);
    }
  }

  /**
   * Throws the errors of `parse`, and column_reference_ambiguous. `at` is the location of the filter in the request.
   */
  parse(filter: unknown, at: Location): FilterGroup {
    const cells = [...this.byName.keys()].map((name) => [name, { class: 'json' }] as const);
    const fields = { ...Object.fromEntries(cells), ...ROW_FIELDS };
    const group = parse(filter, { fields, names: [...this.titles, ...Object.keys(ROW_FIELDS)], at });
    this.checkNames(group, at);
    return group;
  }

  /** The column of a sort; null for the index of rows. */
  sortedBy(name: string, at: Location): SheetColumn | null {
    if (name === ROW_INDEX) return null;
    if (!this.byName.has(name)) throw this.unknown(name, at);
    return this.column(name, at);
  }

  /** The column that a parsed filter names as its field or key. */
  column(name: string, at: Location = []): SheetColumn {
    const [first, second] = this.byName.get(name) ?? [];
    if (second) throw GridErrors.column_reference_ambiguous(at.join('.'), name);
    if (!first) throw new Error(`No column is called ${name}.`);
    return first;
  }

  private checkNames({ filters }: FilterGroup, at: Location): void {
    for (const item of filters) {
      if ('filters' in item) this.checkNames(item, at);
      else if (!Object.hasOwn(ROW_FIELDS, item.field)) this.column(item.field, at);
      // Their keys are steps of a scorecard, not columns.
      else if (SCORECARD_FIELDS.includes(item.field)) continue;
      else if (item.nestedKey !== null) {
        if (!this.byName.has(item.nestedKey)) throw this.unknown(item.nestedKey, at, 'nested_key');
        this.column(item.nestedKey, at);
      }
    }
  }

  private unknown(name: string, at: Location, place = String(at.at(-1))): FilterSyntaxError | FilterSemanticsError {
    const nearest = nearestName(name, place === 'sort' ? [...this.titles, ROW_INDEX] : this.titles);
    const hint = nearest === null ? 'Name a column by its title or its id.' : `Did you mean "${nearest}"?`;
    return new FilterSyntaxError([
      { loc: [...at], msg: `The ${place} "${name.slice(0, 60)}" is no column of this sheet. ${hint}`, type: 'enum' },
    ]);
  }
}
