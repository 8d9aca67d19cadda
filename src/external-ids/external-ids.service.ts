import type { ExternalIdHolder } from './external-id-holder.js';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demandAny } from '../access/index.js';
import type { ExternalIdBody } from './external-ids.dto.js';
import { ExternalIdErrors } from './external-ids.errors.js';
import { attachExternalIds, readExternalIds } from './external-ids.queries.js';
import { ExternalIdMapping } from './external-id.entity.js';

type EntityId = number | string;

@Injectable()
export class ExternalIdsService {
  constructor(private readonly db: DataSource) {}

  attach(caller: Caller, holder: ExternalIdHolder, id: EntityId, pair: ExternalIdBody): Promise<void> {
    return this.db.transaction(async (tx) => {
      await lockHolder(tx, caller, holder, id);
      demandAny(caller, holder.editedWith);
      await attachExternalIds(tx, { workspaceId: caller.workspaceId, type: holder.type, id }, [pair]);
      await audit(tx, caller, { action: `${holder.type}.attach_external_id`, entityId: id, details: pair });
    });
  }

  async list(caller: Caller, holder: ExternalIdHolder, id: EntityId): Promise<ExternalIdBody[]> {
    const { workspaceId } = caller;
    const live = await this.db.query<unknown[]>(findSql(holder), [workspaceId, id]);
    if (live.length === 0) throw ExternalIdErrors.external_id_holder_not_found(holder.type, id);
    const found = await readExternalIds(this.db.manager, workspaceId, holder.type, [id]);
    return found.get(String(id))!;
  }

  detach(caller: Caller, holder: ExternalIdHolder, id: EntityId, pair: ExternalIdBody): Promise<void> {
    const { workspaceId } = caller;
    const { type: entityType } = holder;
    return this.db.transaction(async (tx) => {
      await lockHolder(tx, caller, holder, id);
      const { source, external_id: externalId } = pair;
      const mapping = { workspaceId, source, externalId, entityType, entityId: String(id) };
      const { affected } = await tx.delete(ExternalIdMapping, mapping);
      if (!affected) throw ExternalIdErrors.external_id_not_found(pair.source, pair.external_id);
      // Throwing rolls back the transaction, and the deletion with it.
      demandAny(caller, holder.editedWith);
      await audit(tx, caller, { action: `${entityType}.detach_external_id`, entityId: id, details: pair });
    });
  }
}

/** Keeps the entity from being deleted until the end of the transaction. Throws external_id_holder_not_found. */
async function lockHolder(tx: EntityManager, caller: Caller, holder: ExternalIdHolder, id: EntityId): Promise<void> {
  const found = await tx.query<unknown[]>(`${findSql(holder)} FOR SHARE`, [caller.workspaceId, id]);
  if (found.length === 0) throw ExternalIdErrors.external_id_holder_not_found(holder.type, id);
}

function findSql({ table, softDeleted }: ExternalIdHolder): string {
  const live = softDeleted ? 'AND deleted_at IS NULL' : '';
  return `SELECT 1 FROM ${table} WHERE workspace_id = $1 AND id = $2 ${live}`;
}
