import { Body, Controller, Delete, Get, Param, Patch, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { DoneResponse } from '../shared/administration.dto.js';
import { AccessErrors, type AuthenticatedRequest, Authenticator, OperatorOnly } from '../../access/index.js';
import { AdministrationErrors } from '../shared/administration.errors.js';
import {
  CreateGroupRuleRequest,
  GroupRulePath,
  GroupRuleResponse,
  GroupRuleRolesRequest,
  GroupRulesResponse,
  toGroupRuleBody,
  toNewGroupRule,
} from './group-rules.dto.js';
import { GroupRules } from './group-rules.service.js';

@ApiTags('People')
@Controller('api/admin/v1/group-rules')
export class GroupRulesController {
  constructor(
    private readonly rules: GroupRules,
    private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the group rules of the installation.',
    description:
      'A rule makes the users in a group members of a workspace. Groups come from single sign-on and SCIM. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: GroupRulesResponse })
  async list(): Promise<GroupRulesResponse> {
    return { success: true, group_rules: (await this.rules.list()).map(toGroupRuleBody) };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Create a group rule.',
    description:
      'Users who are known to be in the group become members at once, others when they next sign in. Several rules for one workspace add up. A membership that somebody gave by hand stays as it is. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiCreatedResponse({ type: GroupRuleResponse })
  @Throws(AccessErrors.workspace_not_found, AdministrationErrors.group_rule_exists)
  async create(@Req() { id }: AuthenticatedRequest, @Body() body: CreateGroupRuleRequest): Promise<GroupRuleResponse> {
    return this.answer(await this.rules.create(id, toNewGroupRule(body)));
  }

  @Patch(':rule_id')
  @ApiOperation({
    summary: 'Set the roles of a group rule.',
    description:
      'Members by this rule have the roles at once. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: GroupRuleResponse })
  @Throws(AdministrationErrors.group_rule_not_found)
  async setRoles(
    @Req() { id }: AuthenticatedRequest,
    @Param() path: GroupRulePath,
    @Body() { roles }: GroupRuleRolesRequest,
  ): Promise<GroupRuleResponse> {
    return this.answer(await this.rules.setRoles(id, path.rule_id, [...new Set(roles)]));
  }

  @Delete(':rule_id')
  @ApiOperation({
    summary: 'Delete a group rule.',
    description:
      'Memberships that no other rule gives end at once, with personal keys and sessions there. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: DoneResponse })
  @Throws(AdministrationErrors.group_rule_not_found)
  async delete(@Req() { id }: AuthenticatedRequest, @Param() path: GroupRulePath): Promise<DoneResponse> {
    await this.rules.delete(id, path.rule_id);
    this.authenticator.forget();
    return { success: true };
  }

  private answer(rule: Parameters<typeof toGroupRuleBody>[0]): GroupRuleResponse {
    this.authenticator.forget();
    return { success: true, group_rule: toGroupRuleBody(rule) };
  }
}
