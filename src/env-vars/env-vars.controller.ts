import { Body, Controller, Delete, Get, Param, Patch } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../access/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import { SecretErrors } from '../platform/secrets/secrets.errors.js';
import {
  CreateEnvVarRequest,
  EnvVarDeletedResponse,
  EnvVarPath,
  toNewEnvVar,
  toWorkspaceEnvVarBody,
  UpdateEnvVarRequest,
  WorkspaceEnvVarResponse,
  WorkspaceEnvVarsResponse,
} from './env-vars.dto.js';
import { EnvVarErrors } from './env-vars.errors.js';
import { EnvVarsService } from './env-vars.service.js';

@ApiTags('Environment variables')
@Controller('api/public/v2/env-vars')
export class EnvVarsController {
  constructor(private readonly envVars: EnvVarsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the environment variables of the workspace, without their values.',
    description:
      'By name. The code of every tool gets these variables, unless the tool has its own variable of the same name. Only the last four characters of a value are shown.',
  })
  @ApiOkResponse({ type: WorkspaceEnvVarsResponse })
  async list(@CurrentCaller() caller: Caller): Promise<WorkspaceEnvVarsResponse> {
    const variables = await this.envVars.list(caller);
    return { success: true, workspace_env_vars: variables.map(toWorkspaceEnvVarBody) };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Add an environment variable for all tools of the workspace.',
    description:
      'The value is encrypted and cannot be read again; a server without SECRETS_KEY answers 400 `secrets_key_missing`. If the name exists, this is a 409 `env_var_exists`: update that variable instead.',
  })
  @ApiCreatedResponse({ type: WorkspaceEnvVarResponse })
  @Throws(
    EnvVarErrors.env_var_exists,
    EnvVarErrors.env_var_too_many,
    SecretErrors.secrets_key_missing,
    AccessErrors.permission_missing,
  )
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateEnvVarRequest): Promise<WorkspaceEnvVarResponse> {
    const created = await this.envVars.create(caller, toNewEnvVar(body));
    return { success: true, workspace_env_var: toWorkspaceEnvVarBody(created) };
  }

  @Patch(':var_id')
  @ApiOperation({
    summary: 'Set the value of an environment variable of the workspace.',
    description: 'Code that starts from now on gets the new value. The name cannot be changed.',
  })
  @ApiOkResponse({ type: WorkspaceEnvVarResponse })
  @Throws(EnvVarErrors.env_var_not_found, SecretErrors.secrets_key_missing, AccessErrors.permission_missing)
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: EnvVarPath,
    @Body() body: UpdateEnvVarRequest,
  ): Promise<WorkspaceEnvVarResponse> {
    const changed = await this.envVars.update(caller, path.var_id, body.value);
    return { success: true, workspace_env_var: toWorkspaceEnvVarBody(changed) };
  }

  @Delete(':var_id')
  @ApiOperation({
    summary: 'Delete an environment variable of the workspace.',
    description: 'Code that starts from now on no longer finds the variable.',
  })
  @ApiOkResponse({ type: EnvVarDeletedResponse })
  @Throws(EnvVarErrors.env_var_not_found, AccessErrors.permission_missing)
  async delete(@CurrentCaller() caller: Caller, @Param() path: EnvVarPath): Promise<EnvVarDeletedResponse> {
    await this.envVars.delete(caller, path.var_id);
    return { success: true };
  }
}
