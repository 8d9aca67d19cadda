import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { attachExternalIds, type ExternalIdBody } from '../../external-ids/index.js';
import { lockFolder } from '../../folders/index.js';
import { uniqueViolation } from '../../platform/errors/failures.js';
import { OwnedSheets } from '../../tables/index.js';
import { DatasetGroup, type DatasetVersion, EXTERNAL_ID_TYPE } from '../shared/dataset.entity.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import { createVersion } from '../versions/create-version.js';

export interface NewDatasetGroup {
  /** Default: `Dataset N`. */
  name: string | null;
  folderId: number | null;
  externalIds: ExternalIdBody[];
}

export interface CreatedGroup {
  group: DatasetGroup;
  draft: DatasetVersion;
}

@Injectable()
export class DatasetGroupsService {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
  ) {}

  /** Creates a group with an empty draft. */
  create(caller: Caller, { name, folderId, externalIds }: NewDatasetGroup): Promise<CreatedGroup> {
    const { workspaceId } = caller;
    return this.giveName(name, async (tx) => {
      if (folderId !== null) await lockFolder(tx, workspaceId, folderId);
      const group = await insertGroup(tx, caller, { name, folderId });
      await attachExternalIds(tx, { workspaceId, type: EXTERNAL_ID_TYPE, id: group.id }, externalIds);
      const { version: draft } = await createVersion(tx, this.sheets, caller, { group, state: 'draft' });
      await audit(tx, caller, { action: 'dataset.create', entityId: group.id, details: { name: group.name } });
      return { group, draft };
    });
  }

  /** Throws dataset_group_name_taken when another group has the name. */
  private async giveName<T>(name: string | null, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.db.transaction(work);
    } catch (error) {
      if (uniqueViolation(error) !== 'dataset_groups_name_key') throw error;
      throw DatasetErrors.dataset_group_name_taken(name ?? '');
    }
  }
}

async function insertGroup(
  tx: EntityManager,
  { workspaceId, keyId: createdBy }: Caller,
  { name, folderId }: Pick<NewDatasetGroup, 'name' | 'folderId'>,
): Promise<DatasetGroup> {
  const { identifiers } = await tx.insert(DatasetGroup, {
    workspaceId,
    name: name ?? randomUUID(),
    folderId,
    createdBy,
  });
  const id = identifiers[0]!.id as number;
  if (name === null) await tx.update(DatasetGroup, { workspaceId, id }, { name: await freeName(tx, workspaceId, id) });
  return tx.findOneByOrFail(DatasetGroup, { workspaceId, id });
}

/** The id is unique, so the name is taken only if a user chose it before. */
async function freeName(tx: EntityManager, workspaceId: number, id: number): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? `Dataset ${id}` : `Dataset ${id} (${count})`;
    if (!(await tx.existsBy(DatasetGroup, { workspaceId, name, deletedAt: IsNull() }))) return name;
  }
}
