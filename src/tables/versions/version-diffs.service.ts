import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { type CursorPosition, decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { MAX_ID } from '../../platform/http/fields.js';
import { readingOrder } from '../../platform/http/list.js';
import type { CellAddress } from '../../grid/shared/cell-id.js';
import { LargeValues } from '../../grid/cells/large-values.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { findVersion } from '../../grid/versions/find-version.js';
import { PastGrid } from '../../grid/versions/sheet-grid.js';
import { VersionDiff } from '../../grid/versions/version-diff.js';

export interface DiffPage {
  /** The version to compare with. Default: the newest. */
  against?: string;
  cursor?: string;
  limit: number;
}

@Injectable()
export class VersionDiffsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly reading: ReadingPool,
  ) {}

  /**
   * A page of the differences between two versions. Later pages keep the version that was the newest on the first one.
   */
  compare(caller: Caller, path: SheetPath & { version_id: string }, { against, cursor, limit }: DiffPage) {
    // Large values are read while the answer is sent, after the transaction.
    const large = new LargeValues(this.db.manager, caller.workspaceId);
    return this.reading.read(async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const list = diffOrder(path, against);
      const position = cursor ? positionIn(list, cursor, sheet) : null;
      const before = await this.readGrid(tx, sheet, path.version_id);
      const after = await this.readGrid(tx, sheet, String(position?.against ?? against ?? sheet.version));
      const isForward = before.version <= after.version;
      const [older, newer] = isForward ? [before, after] : [after, before];
      const diff = new VersionDiff(sheet.workspaceId, older, newer, large);
      const walk = { after: position, order: readingOrder(list.order, position), limit };
      return { before, after, isForward, list, large, ...(await diff.page(tx, walk)) };
    });
  }

  private async readGrid(tx: EntityManager, sheet: Sheet, reference: string): Promise<PastGrid> {
    return PastGrid.read(tx, this.types, sheet, await findVersion(tx, sheet, reference));
  }
}

interface DiffPosition extends CellAddress, CursorPosition {
  against: number;
}

/** Decodes a cursor: the version that the adjacent page compared with, and the cell at its edge. */
function positionIn(list: ListOrder, cursor: string, sheet: Sheet): DiffPosition {
  const position = decodePosition(list, cursor, ['number', 'number', 'number']);
  const { values } = position;
  const [against, columnKey, rowIndex] = values as [number, number, number];
  // No version of this sheet and no cell has such numbers, so the cursor is forged.
  const possible = against > 0 && against <= sheet.version && columnKey >= 0 && rowIndex >= 0 && rowIndex <= MAX_ID;
  if (!possible) throw PlatformErrors.cursor_invalid();
  return { ...position, against, columnKey: String(columnKey), rowIndex };
}

function diffOrder({ version_id }: { version_id: string }, against: string | undefined): ListOrder {
  return { sort: `diff:${version_id.toLowerCase()}`, order: 'asc', filters: { against: against?.toLowerCase() } };
}
