import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { OwnedSheets } from '../../tables/index.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { DatasetGroup, DatasetState, DatasetVersion } from '../shared/dataset.entity.js';
import { insertVersion } from './version.queries.js';

export interface VersionToCreate {
  group: DatasetGroup;
  state: DatasetState;
  filterParams?: DatasetVersion['filterParams'];
}

/** Creates a version of a locked group with an empty sheet. Throws dataset_draft_exists. */
export async function createVersion(
  tx: EntityManager,
  sheets: OwnedSheets,
  { keyId: createdBy }: Pick<Caller, 'keyId'>,
  { group, ...given }: VersionToCreate,
): Promise<{ version: DatasetVersion; sheet: Sheet }> {
  const { workspaceId } = group;
  const sheet = await sheets.create(tx, { workspaceId, owner: 'dataset_version', title: group.name });
  const version = await insertVersion(tx, { ...given, workspaceId, groupId: group.id, sheetId: sheet.id, createdBy });
  return { version, sheet };
}
