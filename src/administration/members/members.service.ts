import { DataSource, type EntityManager } from 'typeorm';
import { AdministrationErrors } from '../shared/administration.errors.js';
import {
  ApiKey,
  audit,
  type Caller,
  demandRoles,
  FindsInPath,
  type PathLookup,
  type Role,
} from '../../access/index.js';
import { lockUsers } from '../users/users.queries.js';
import { getMember, listMembers, lockMembers, type Member } from './members.queries.js';

/** The members of workspaces, and what they may do there. */
@FindsInPath({ name: 'user_id', ids: { workspace_id: 'integer', user_id: 'integer' } })
export class MembersService implements PathLookup<{ user_id: number }> {
  constructor(private readonly db: DataSource) {}

  list({ workspaceId }: Caller): Promise<Member[]> {
    return listMembers(this.db.manager, workspaceId);
  }

  findInPath({ workspaceId }: Caller, { user_id }: { user_id: number }): Promise<Member> {
    return getMember(this.db.manager, workspaceId, user_id);
  }

  /** Throws member_not_found, permission_missing for roles that may do more than the caller, last_admin and member_from_groups. */
  setRoles(caller: Caller, userId: number, roles: Role[]): Promise<Member> {
    return this.change(caller, userId, async (tx, member) => {
      await demandRoles(tx, caller, roles);
      if (!roles.includes('admin')) await requireAnotherAdmin(tx, caller, member);
      await tx.update(ApiKey, { workspaceId: caller.workspaceId, id: member.id }, { roles });
      const details = { name: member.name, roles, old_roles: member.roles };
      await audit(tx, caller, { action: 'member.set_roles', entityId: userId, details });
      return { ...member, roles };
    });
  }

  /** With the personal keys and sessions that the user has here. Throws member_not_found, permission_missing, last_admin and
   * member_from_groups. */
  async remove(caller: Caller, userId: number): Promise<void> {
    await this.change(caller, userId, async (tx, member) => {
      await requireAnotherAdmin(tx, caller, member);
      const { workspaceId } = caller;
      await tx.query(
        'UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $1 AND user_id = $2 AND revoked_at IS NULL',
        [workspaceId, userId],
      );
      await audit(tx, caller, { action: 'member.remove', entityId: userId, details: { name: member.name } });
    });
  }

  /** A member who may do more than the caller is not the caller's to change. */
  private change<T>(
    caller: Caller,
    userId: number,
    change: (tx: EntityManager, member: Member) => Promise<T>,
  ): Promise<T> {
    return this.db.transaction(async (tx) => {
      await lockUsers(tx, [userId]);
      await lockMembers(tx, caller.workspaceId);
      const member = await getMember(tx, caller.workspaceId, userId);
      await demandRoles(tx, caller, member.roles);
      if (member.byRules) throw AdministrationErrors.member_from_groups();
      return change(tx, member);
    });
  }
}

/** The operator may leave a workspace without administrators, and nobody else. */
async function requireAnotherAdmin(tx: EntityManager, caller: Caller, member: Member): Promise<void> {
  if (caller.keyId === null || !isAdmin(member)) return;
  const others = await listMembers(tx, caller.workspaceId);
  if (!others.some((other) => other.id !== member.id && isAdmin(other))) throw AdministrationErrors.last_admin();
}

const isAdmin = ({ roles, user }: Member): boolean => roles.includes('admin') && user.status === 'active';
