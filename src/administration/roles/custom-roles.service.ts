import { DataSource, type EntityManager, type FindOneOptions } from 'typeorm';
import { AdministrationErrors } from '../shared/administration.errors.js';
import {
  audit,
  BUILT_IN_ROLES,
  type Caller,
  CustomRole,
  demand,
  FindsInPath,
  type PathLookup,
  type Permission,
} from '../../access/index.js';
import { countUses, listUses } from './role-uses.queries.js';

export type NewCustomRole = Pick<CustomRole, 'name' | 'description' | 'permissions'>;

/** Changes of a role; absent fields stay unchanged. */
export type CustomRoleChange = Partial<Omit<NewCustomRole, 'name'>>;

/** Roles that a workspace defines. Nobody can grant permissions by them that they lack. */
@FindsInPath({ name: 'role_name', ids: { role_name: 'name' } })
export class CustomRoles implements PathLookup<{ role_name: string }> {
  constructor(private readonly db: DataSource) {}

  /** By name. */
  list({ workspaceId }: Caller): Promise<CustomRole[]> {
    return this.db.manager.find(CustomRole, { where: { workspaceId }, order: { name: 'ASC' } });
  }

  findInPath(caller: Caller, { role_name }: { role_name: string }): Promise<CustomRole> {
    return getRole(this.db.manager, caller, role_name);
  }

  /** Throws role_exists and permission_missing. */
  create(caller: Caller, role: NewCustomRole): Promise<CustomRole> {
    const { workspaceId, keyId: createdBy } = caller;
    const { name, permissions } = role;
    demandEach(caller, permissions);
    if (BUILT_IN_ROLES.some(({ name: taken }) => taken === name)) throw AdministrationErrors.role_exists(name);
    return this.db.transaction(async (tx) => {
      const row = { workspaceId, createdBy, ...role };
      const { raw }: { raw: unknown[] } = await tx
        .createQueryBuilder()
        .insert()
        .into(CustomRole)
        .values(row)
        .orIgnore()
        .returning('name')
        .execute();
      if (raw.length === 0) throw AdministrationErrors.role_exists(name);
      await audit(tx, caller, { action: 'role.create', entityId: name, details: { name, permissions } });
      return getRole(tx, caller, name);
    });
  }

  /** Keys and members with the role have the new permissions at once. Throws role_not_found and permission_missing. */
  update(caller: Caller, name: string, change: CustomRoleChange): Promise<CustomRole> {
    return this.db.transaction(async (tx) => {
      const role = await getRole(tx, caller, name, { lock: { mode: 'pessimistic_write' } });
      demandEach(caller, [...role.permissions, ...(change.permissions ?? [])]);
      await tx.update(CustomRole, { workspaceId: caller.workspaceId, name }, change);
      const { permissions } = { ...role, ...change };
      const details = { name, permissions, old_permissions: role.permissions };
      await audit(tx, caller, { action: 'role.update', entityId: name, details });
      return { ...role, ...change };
    });
  }

  /** Throws role_not_found, permission_missing, and role_in_use while anybody has it. */
  delete(caller: Caller, name: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      const role = await getRole(tx, caller, name, { lock: { mode: 'pessimistic_write' } });
      demandEach(caller, role.permissions);
      const use = await countUses(tx, caller.workspaceId, name);
      if (Object.values(use).some((count) => count > 0)) throw AdministrationErrors.role_in_use(name, listUses(use));
      await tx.delete(CustomRole, { workspaceId: caller.workspaceId, name });
      await audit(tx, caller, { action: 'role.delete', entityId: name, details: { name } });
    });
  }
}

function demandEach(caller: Caller, permissions: readonly Permission[]): void {
  for (const permission of permissions) demand(caller, permission);
}

async function getRole(
  tx: EntityManager,
  { workspaceId }: Caller,
  name: string,
  options: Pick<FindOneOptions<CustomRole>, 'lock'> = {},
): Promise<CustomRole> {
  const role = await tx.findOne(CustomRole, { where: { workspaceId, name }, ...options });
  if (!role) throw AdministrationErrors.role_not_found(name);
  return role;
}
