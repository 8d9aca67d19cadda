import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { GridErrors } from '../shared/grid.errors.js';

/** Finds the columns of a sheet that callers name: by id in any letter case, otherwise by the exact title. */
export class NamedColumns {
  private readonly byTitle = new Map<string, SheetColumn[]>();

  constructor(private readonly columns: SheetColumns) {
    for (const column of columns.ofSheet) {
      const others = this.byTitle.get(column.title);
      if (others) others.push(column);
      else this.byTitle.set(column.title, [column]);
    }
  }

  /**
   * Returns undefined when no column has that id or title. Throws column_reference_ambiguous when several have the
   * title; its message names `place` in the request.
   */
  find(place: string, name: string): SheetColumn | undefined {
    const byId = this.columns.find(name);
    if (byId && byId.owner !== 'scorecard') return byId;
    const [first, second] = this.byTitle.get(name) ?? [];
    if (second) throw GridErrors.column_reference_ambiguous(place, name);
    return first;
  }
}
