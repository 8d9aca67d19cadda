import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { readExternalIds } from '../../external-ids/index.js';
import type { CellView } from '../../grid/computing/cell-view.js';
import { OwnedColumns, OwnedRows, type ReadPage } from '../../tables/index.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { DatasetUsers } from '../shared/dataset-users.js';
import { EXTERNAL_ID_TYPE } from '../shared/dataset.entity.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import { getVersion } from '../versions/version.queries.js';
import type { DatasetDetails, ListDatasetsQuery } from './datasets.dto.js';
import { listVersions } from './list-datasets.queries.js';

/** Reads versions of datasets. */
@Injectable()
export class DatasetsService {
  constructor(
    private readonly db: DataSource,
    private readonly columns: OwnedColumns,
    private readonly rows: OwnedRows,
    private readonly users: DatasetUsers,
  ) {}

  /** The versions of a page, and the number of all matches. */
  async list(caller: Caller, query: ListDatasetsQuery): Promise<{ total: number; list: DatasetDetails[] }> {
    const { workspaceId } = caller;
    const { manager } = this.db;
    const { report_id: report } = query;
    const used = report ? await this.users.versionsOf(manager, workspaceId, 'report_id', report) : undefined;
    const { total, list } = await listVersions(manager, workspaceId, { ...query, used });
    const sheetIds = list.map(({ version }) => version.sheetId);
    const titles = await this.columns.titles(manager, workspaceId, sheetIds);
    const groupIds = list.map(({ group }) => group.id);
    const externalIds = await readExternalIds(manager, workspaceId, EXTERNAL_ID_TYPE, groupIds);
    const details = list.map(({ version, group }) => ({
      version,
      group,
      titles: titles.get(version.sheetId)!,
      externalIds: externalIds.get(String(group.id))!,
    }));
    return { total, list: details };
  }

  /** Rows of a version, each as the JSON text of its cells. Throws dataset_not_found. */
  async readRows(caller: Caller, id: number, page: { offset: number; limit: number; q?: string }): Promise<ReadPage> {
    const { workspaceId } = caller;
    const { sheetId } = await getVersion(this.db.manager, workspaceId, id);
    const read = await this.rows.page(workspaceId, sheetId, { ...page, write: writeRow });
    if (!read) throw DatasetErrors.dataset_not_found(id);
    return read;
  }
}

function writeRow(view: CellView, columns: SheetColumn[], row: number): string {
  const cells = columns.map((column) => {
    const { display_value: value } = view.cell(column, row);
    return `{"type":"dataset","value":${JSON.stringify(value ?? '')}}`;
  });
  return `[${cells.join(',')}]`;
}
