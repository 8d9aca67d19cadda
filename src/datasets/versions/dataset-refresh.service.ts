import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { LogSelection } from '../../requests/index.js';
import { OwnedSheets } from '../../tables/index.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import type { DatasetVersion } from '../shared/dataset.entity.js';
import { createVersion } from './create-version.js';
import { repeatSearch } from './filter-params.js';
import { getVersion, holdGroup } from './version.queries.js';

/** Creates new versions of datasets by repeating the searches of earlier versions. */
@Injectable()
export class DatasetRefreshService {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
  ) {}

  /**
   * Repeats the search of a version. The new version is filled in the background and hidden until then; users of datasets are
   * called when it is published or has failed. Throws dataset_not_found, dataset_not_refreshable for a version whose rows were
   * chosen one by one, and dataset_refresh_empty before anything is written.
   */
  async refresh(caller: Caller, datasetId: number): Promise<DatasetVersion> {
    const { workspaceId } = caller;
    const { manager } = this.db;
    const { filterParams, groupId } = await getVersion(manager, workspaceId, datasetId);
    if (!filterParams) throw DatasetErrors.dataset_not_refreshable(datasetId);
    const request = repeatSearch(filterParams);
    const one = await LogSelection.readIds(manager, workspaceId, { ...request.selection, sort: null, limit: 1 });
    if (one.length === 0) throw DatasetErrors.dataset_refresh_empty();
    const { version, operation } = await this.db.transaction(async (tx) => {
      const group = await holdGroup(tx, workspaceId, groupId);
      const created = await createVersion(tx, this.sheets, caller, { group, state: 'hidden', filterParams });
      const started = await this.sheets.import(tx, caller, created.sheet, { source: 'request_logs', request });
      return { version: created.version, operation: started };
    });
    this.sheets.notify(operation);
    return version;
  }
}
