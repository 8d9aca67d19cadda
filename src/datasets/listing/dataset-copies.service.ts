import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type CopiedSheet, SheetCopies } from '../../tables/index.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import { getGroup, getVersion } from '../versions/version.queries.js';

/** The target of a copy; defaults follow from the dataset. */
export interface CopyWishes {
  tableId: string | null;
  title: string | null;
}

/** Copies datasets into tables. */
@Injectable()
export class DatasetCopiesService {
  constructor(
    private readonly db: DataSource,
    private readonly copies: SheetCopies,
  ) {}

  /** Copies a version into a new sheet of a table, with the same cells. Throws dataset_is_draft and what `SheetCopies` throws. */
  async toTable(caller: Caller, id: number, { tableId, title }: CopyWishes): Promise<CopiedSheet> {
    const { manager } = this.db;
    const { sheetId, state, groupId } = await getVersion(manager, caller.workspaceId, id);
    await this.copies.checkTarget(caller, tableId);
    if (state !== 'published') throw DatasetErrors.dataset_is_draft(id);
    const { name } = await getGroup(manager, caller.workspaceId, groupId);
    return this.copies.toTable(caller, sheetId, { tableId, title: title ?? name });
  }
}
