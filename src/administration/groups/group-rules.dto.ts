import { ApiProperty } from '@nestjs/swagger';
import { CreatedAtField, PathIdField, SuccessField } from '../../platform/http/common-fields.js';
import { IntegerField, ListField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { MOST_ROLES, type Role } from '../../access/index.js';
import type { GroupRule } from './group-rule.entity.js';
import type { NewGroupRule } from './group-rules.service.js';

/** Characters of the name of a group. */
export const LONGEST_GROUP_NAME = 255;

const GrantedRolesField = (description: string): PropertyDecorator =>
  ListField('string', {
    minItems: 1,
    maxItems: MOST_ROLES,
    description,
    example: ['contributor'],
  });

export class GroupRulePath {
  @PathIdField('The id of the rule, from the list of rules.')
  rule_id: number;
}

@Closed()
export class CreateGroupRuleRequest {
  @TextField({
    minLength: 1,
    maxLength: LONGEST_GROUP_NAME,
    description: 'The name of the group, exactly as the identity provider or SCIM sends it.',
    example: 'engineering',
  })
  group: string;

  @IntegerField({
    min: 1,
    max: MAX_ID,
    description: 'The workspace that users in the group are members of.',
    example: 1,
  })
  workspace_id: number;

  @GrantedRolesField('The roles that users in the group have in the workspace.')
  roles: Role[];
}

@Closed()
export class GroupRuleRolesRequest {
  @GrantedRolesField('All roles that the rule gives from now on.')
  roles: Role[];
}

export class GroupRuleBody {
  @IntegerField({ description: 'The id of the rule.' })
  id: number;

  @TextField({ description: 'The name of the group.', example: 'engineering' })
  group: string;

  @IntegerField({ description: 'The workspace that users in the group are members of.', example: 1 })
  workspace_id: number;

  @ListField('string', { description: 'The roles that users in the group have in the workspace.' })
  roles: Role[];

  @CreatedAtField('the rule')
  created_at: string;
}

export class GroupRuleResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => GroupRuleBody, description: 'The rule after the request.' })
  group_rule: GroupRuleBody;
}

export class GroupRulesResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [GroupRuleBody], description: 'All rules of the installation, by group.' })
  group_rules: GroupRuleBody[];
}

export const toNewGroupRule = ({ group, workspace_id, roles }: CreateGroupRuleRequest): NewGroupRule => ({
  groupName: group,
  workspaceId: workspace_id,
  roles: [...new Set(roles)],
});

export function toGroupRuleBody({ id, groupName, workspaceId, roles, createdAt }: GroupRule): GroupRuleBody {
  return { id, group: groupName, workspace_id: workspaceId, roles, created_at: createdAt.toISOString() };
}
