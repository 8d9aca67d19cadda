import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { auditInstallation, Authenticator } from '../../access/index.js';
import { changeGroup } from '../../administration/index.js';
import { uniqueViolation } from '../../platform/errors/failures.js';
import type { ProviderRequest, ScimListQuery } from '../protocol/http.js';
import { listStatement } from '../protocol/list.js';
import { readOperations, readResource } from '../protocol/messages.js';
import { GROUP } from '../protocol/schemas.js';
import { requireVersion } from '../protocol/versions.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { groupKey } from '../users/user-source.js';
import { foldOperations, type GroupChange, type MemberChange, toGroupChange } from './group-change.js';
import { type ReadGroup, versionOfGroup } from './group-resource.js';
import { GROUP_SORTS, GROUP_SOURCE } from './group-source.js';
import { countGroups, findGroup, listGroups, memberIds, membersOf, SOURCE } from './groups.queries.js';
import { ScimGroup } from './scim-group.entity.js';

/** Groups of an identity provider. Every change of them applies the rules of the operator to the users concerned. */
@Injectable()
export class ScimGroups {
  constructor(
    private readonly db: DataSource,
    private readonly authenticator: Authenticator,
  ) {}

  /** Throws scim_filter_invalid and scim_path_invalid. */
  async list(
    query: ScimListQuery,
    { withMembers }: { withMembers: boolean },
  ): Promise<{ groups: ReadGroup[]; total: number; startIndex: number }> {
    const statement = listStatement(GROUP_SOURCE, GROUP_SORTS, query);
    const { page } = statement;
    const total = await countGroups(this.db.manager, statement);
    const isEmpty = page.limit === 0 || page.offset >= total;
    const groups = isEmpty ? [] : await listGroups(this.db.manager, statement, withMembers);
    return { groups, total, startIndex: page.startIndex };
  }

  /** Throws scim_resource_not_found. */
  get(id: string, { withMembers }: { withMembers: boolean }): Promise<ReadGroup> {
    return getGroup(this.db.manager, id, { withMembers });
  }

  /** Throws scim_uniqueness, scim_syntax_invalid and scim_value_invalid. */
  async create({ requestId }: ProviderRequest, body: unknown, shown: { withMembers: boolean }): Promise<ReadGroup> {
    const { displayName, externalId, members } = toGroupChange(readResource(GROUP, body));
    const group = await this.db.transaction(async (tx) => {
      const id = randomUUID();
      const values = { id, displayName, externalId };
      const insert = tx.createQueryBuilder().insert().into(ScimGroup).values(values).orIgnore().returning('id');
      const { raw } = (await insert.execute()) as { raw: unknown[] };
      if (raw.length === 0) throw ScimErrors.scim_uniqueness('displayName', displayName);
      await changeGroup(tx, requestId, { source: SOURCE, group: displayName, added: [...members!.added] });
      await record(tx, requestId, 'create', { id, name: displayName });
      return getGroup(tx, id, shown);
    });
    this.authenticator.forget();
    return group;
  }

  /** Throws the errors of `create` and `get`, and scim_version_outdated. */
  async replace(
    request: ProviderRequest,
    id: string,
    body: unknown,
    shown: { withMembers: boolean },
  ): Promise<ReadGroup> {
    const change = toGroupChange(readResource(GROUP, body));
    return this.change(request, id, shown, () => Promise.resolve(change));
  }

  /** Throws the errors of `replace` and of the operations. */
  patch(request: ProviderRequest, id: string, body: unknown, shown: { withMembers: boolean }): Promise<ReadGroup> {
    const operations = readOperations(body);
    return this.change(request, id, shown, (tx, { displayName }) =>
      foldOperations(operations, () => membersOf(tx, displayName)),
    );
  }

  /** Deletes a group. Its members lose the roles that rules gave them. Throws scim_resource_not_found and scim_version_outdated. */
  async delete({ requestId, ifMatch }: ProviderRequest, id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const { displayName: group } = await lockGroup(tx, id, ifMatch);
      await changeGroup(tx, requestId, { source: SOURCE, group, removed: await memberIds(tx, group) });
      await tx.delete(ScimGroup, { id });
      await record(tx, requestId, 'delete', { id, name: group });
    });
    this.authenticator.forget();
  }

  private async change(
    { requestId, ifMatch }: ProviderRequest,
    id: string,
    shown: { withMembers: boolean },
    read: (tx: EntityManager, group: ReadGroup) => Promise<GroupChange>,
  ): Promise<ReadGroup> {
    const group = await this.db.transaction(async (tx) => {
      const old = await lockGroup(tx, id, ifMatch);
      const { displayName = old.displayName, externalId = old.externalId, members } = await read(tx, old);
      const change = { displayName, externalId, version: old.version + 1, updatedAt: new Date() };
      await tx.update(ScimGroup, { id: old.id }, change).catch((error: unknown) => {
        throw uniqueViolation(error) === 'scim_groups_display_name_key'
          ? ScimErrors.scim_uniqueness('displayName', displayName)
          : error;
      });
      const moved = members ? await movedBy(tx, old.displayName, members) : {};
      await changeGroup(tx, requestId, { source: SOURCE, group: old.displayName, to: displayName, ...moved });
      await record(tx, requestId, 'update', { id: old.id, name: displayName, old_name: old.displayName });
      return getGroup(tx, id, shown);
    });
    this.authenticator.forget();
    return group;
  }
}

/** Members are in the audit trail of the workspaces whose rules name the group. */
function record(
  tx: EntityManager,
  requestId: string,
  verb: string,
  { id, ...names }: { id: string; name: string; old_name?: string },
): Promise<void> {
  const deed = { action: `scim_group.${verb}`, entityId: id, details: { ...names, by: 'scim' } };
  return auditInstallation(tx, requestId, [deed]);
}

/** The users who come and go. */
async function movedBy(
  tx: EntityManager,
  group: string,
  { replaces, added, removed }: MemberChange,
): Promise<{ added: number[]; removed: number[] }> {
  const leaving = replaces ? (await memberIds(tx, group)).filter((id) => !added.has(id)) : [...removed];
  return { added: [...added], removed: leaving };
}

async function lockGroup(tx: EntityManager, id: string, ifMatch: string | undefined): Promise<ReadGroup> {
  const group = await getGroup(tx, id, { lock: true });
  requireVersion(ifMatch, versionOfGroup(group));
  return group;
}

async function getGroup(
  tx: EntityManager,
  id: string,
  options: { lock?: boolean; withMembers?: boolean },
): Promise<ReadGroup> {
  const group = groupKey(id) === '' ? null : await findGroup(tx, id, options);
  if (!group) throw ScimErrors.scim_resource_not_found('Group', id.slice(0, 100));
  return group;
}
