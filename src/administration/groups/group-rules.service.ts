import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { AccessErrors, auditTwice, readGrants, type Role, Workspace } from '../../access/index.js';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { lockUsers } from '../users/users.queries.js';
import { applyRules } from './apply-rules.queries.js';
import { GroupRule } from './group-rule.entity.js';
import { lockRules, usersOf } from './groups.queries.js';

export interface NewGroupRule {
  groupName: string;
  workspaceId: number;
  roles: Role[];
}

/** Rules that make the users in a group members of a workspace. They work at once for the groups that are known of users. */
@Injectable()
export class GroupRules {
  constructor(private readonly db: DataSource) {}

  /** By group, then by workspace. */
  list(): Promise<GroupRule[]> {
    return this.db.manager.find(GroupRule, { order: { groupName: 'ASC', workspaceId: 'ASC' } });
  }

  /** Throws workspace_not_found and group_rule_exists. */
  create(requestId: string, { groupName, workspaceId, roles }: NewGroupRule): Promise<GroupRule> {
    return this.change(requestId, 'group_rule.create', async (tx) => {
      if (!(await tx.existsBy(Workspace, { id: workspaceId, deletedAt: IsNull() })))
        throw AccessErrors.workspace_not_found(workspaceId);
      await readGrants(tx, workspaceId, roles);
      const where = { groupName, workspaceId };
      if (await tx.existsBy(GroupRule, where)) throw AdministrationErrors.group_rule_exists(groupName, workspaceId);
      await tx.insert(GroupRule, { ...where, roles });
      return tx.findOneByOrFail(GroupRule, where);
    });
  }

  /** Throws group_rule_not_found. */
  setRoles(requestId: string, id: number, roles: Role[]): Promise<GroupRule> {
    return this.change(requestId, 'group_rule.set_roles', async (tx) => {
      const rule = await getRule(tx, id);
      await readGrants(tx, rule.workspaceId, roles);
      await tx.update(GroupRule, { id }, { roles });
      return { ...rule, roles };
    });
  }

  /** Ends the memberships that no other rule gives. Throws group_rule_not_found. */
  delete(requestId: string, id: number): Promise<GroupRule> {
    return this.change(requestId, 'group_rule.delete', async (tx) => {
      const rule = await getRule(tx, id);
      await tx.delete(GroupRule, { id });
      return rule;
    });
  }

  private change(
    requestId: string,
    action: string,
    change: (tx: EntityManager) => Promise<GroupRule>,
  ): Promise<GroupRule> {
    return this.db.transaction(async (tx) => {
      await lockRules(tx);
      const rule = await change(tx);
      const { workspaceId, groupName, roles } = rule;
      const details = { name: groupName, roles };
      await auditTwice(tx, { workspaceId, requestId }, [{ action, entityId: rule.id, details }]);
      await applyRules(tx, requestId, await lockUsers(tx, await usersOf(tx, groupName)));
      return rule;
    });
  }
}

async function getRule(tx: EntityManager, id: number): Promise<GroupRule> {
  const rule = await tx.findOneBy(GroupRule, { id });
  if (!rule) throw AdministrationErrors.group_rule_not_found(id);
  return rule;
}
