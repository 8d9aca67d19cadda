import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, readingOrder } from '../../platform/http/list.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { findVersion } from '../../grid/versions/find-version.js';
import { recordVersion } from '../../grid/shared/record-version.js';
import { restoreVersion } from './restore-version.js';
import { PastGrid } from '../../grid/versions/sheet-grid.js';
import { SheetVersion } from '../../grid/shared/sheet-version.entity.js';
import { type ScoredSheetVersion, snapshotPieces } from './snapshot.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { findScorecardAt } from '../scorecards/stored-scorecard.queries.js';
import { readVersionScores, type VersionScores } from '../../scoring/index.js';
import { VersionErrors } from '../../grid/versions/versions.errors.js';

@Injectable()
export class VersionsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly reading: ReadingPool,
  ) {}

  /** Up to `limit + 1` versions by number. */
  async list(
    caller: Caller,
    path: SheetPath,
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<{ versions: SheetVersion[]; scores: VersionScores }> {
    const sheet = await getSheet(this.db.manager, addressOf(caller, path));
    const { workspaceId, id: sheetId } = sheet;
    const position = page.cursor ? decodePosition(versionOrder(path, page.order), page.cursor, ['number']) : null;
    const order = readingOrder(page.order, position);
    const query = this.db.manager
      .createQueryBuilder(SheetVersion, 'v')
      .where('v.workspaceId = :workspaceId AND v.sheetId = :sheetId', { workspaceId, sheetId })
      .orderBy('v.number', order === 'asc' ? 'ASC' : 'DESC')
      .limit(page.limit + 1);
    if (position) {
      const [beside] = position.values;
      query.andWhere(`v.number ${order === 'asc' ? '>' : '<'} CAST(:beside AS bigint)`, { beside });
    }
    return this.withScores(sheet, await query.getMany());
  }

  private async withScores(sheet: Pick<Sheet, 'workspaceId' | 'id'>, versions: SheetVersion[]) {
    const numbers = versions.map(({ number }) => number);
    return { versions, scores: await readVersionScores(this.db.manager, sheet, numbers) };
  }

  /** A version with the whole content of the sheet, as pieces of a JSON answer. */
  async get(caller: Caller, path: SheetPath & { version_id: string }): Promise<AsyncGenerator<string>> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const version = await findVersion(tx, sheet, path.version_id);
      const scores = await readVersionScores(tx, sheet, [version.number]);
      const scorecard = await findScorecardAt(tx, sheet, version.number);
      return snapshotPieces(
        this.reading,
        { version, scores, scorecard },
        await PastGrid.read(tx, this.types, sheet, version),
      );
    });
  }

  /** Names the current state, or restores another version as a new one. */
  async create(
    caller: Caller,
    path: SheetPath,
    { name, sourceVersionId }: { name: string | null; sourceVersionId: string | null },
  ): Promise<ScoredSheetVersion> {
    const version =
      sourceVersionId === null
        ? await this.name(caller, path, name)
        : await restoreVersion(this.db, this.types, addressOf(caller, path), { caller, name, sourceVersionId });
    const { workspaceId, sheetId: id, number } = version;
    return { version, scores: await readVersionScores(this.db.manager, { workspaceId, id }, [number]) };
  }

  private name(caller: Caller, path: SheetPath, name: string | null): Promise<SheetVersion> {
    if (name === null) throw VersionErrors.version_name_missing();
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const number = await recordVersion(tx, sheet, { name, deltas: [], createdBy: caller.keyName });
      return findVersion(tx, sheet, String(number));
    });
  }
}

export function versionOrder(path: SheetPath, order: Order): ListOrder {
  return { sort: `version_number:${path.sheet_id.toLowerCase()}`, order };
}
