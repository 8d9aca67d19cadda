import { RowSet } from '../../grid/rows/row-set.js';

/** When a row of a sheet was about a person, in versions of the sheet. */
export interface FoundRow {
  row: number;
  /** The version in which it came; what was at its index before is somebody else's. */
  from: number;
  /** The version in which it went; null while it is there. */
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

  /** Gives whether something is known now that was not. */
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
