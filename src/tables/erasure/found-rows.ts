import { RowSet } from '../../grid/shared/row-set.js';

/** The versions of the sheet in which a row was about a person. */
export interface FoundRow {
  row: number;
  /** The version that added it; earlier content at its index belongs to somebody else. */
  from: number;
  /** The version that removed it; null while it exists. */
  until: number | null;
}

/** Some rows of a sheet. */
export interface RowsOfSheet {
  sheetId: string;
  rows: FoundRow[];
}

/** The rows of sheets that are about a person, each index once. */
export class FoundRows {
  private readonly bySheet = new Map<string, Map<number, FoundRow>>();

  /** Returns whether the row was new. */
  add(sheetId: string, found: FoundRow): boolean {
    const rows = this.bySheet.get(sheetId) ?? new Map<number, FoundRow>();
    this.bySheet.set(sheetId, rows);
    const known = rows.get(found.row);
    if (!known) {
      rows.set(found.row, found);
      return true;
    }
    const from = Math.min(known.from, found.from);
    const until = known.until === null || found.until === null ? null : Math.max(known.until, found.until);
    if (from === known.from && until === known.until) return false;
    rows.set(found.row, { row: found.row, from, until });
    return true;
  }

  get sheetIds(): string[] {
    return [...this.bySheet.keys()];
  }

  of(sheetId: string): FoundRow[] {
    return [...(this.bySheet.get(sheetId)?.values() ?? [])];
  }

  indexesOf(sheetId: string): RowSet {
    return RowSet.of(this.of(sheetId).map(({ row }) => row));
  }
}
