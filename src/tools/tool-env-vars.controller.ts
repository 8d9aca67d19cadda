import { Body, Controller, Delete, Get, Param, Patch } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../access/index.js';
import {
  CreateEnvVarRequest,
  EnvVarDeletedResponse,
  EnvVarErrors,
  toNewEnvVar,
  UpdateEnvVarRequest,
} from '../env-vars/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import { SecretErrors } from '../platform/secrets/secrets.errors.js';
import { ToolEnvVarPath, ToolEnvVarResponse, ToolEnvVarsResponse, ToolPath, toToolEnvVarBody } from './tools.dto.js';
import { ToolErrors } from './tools.errors.js';
import { ToolEnvVarsService } from './tool-env-vars.service.js';

@ApiTags('Environment variables')
@Controller('api/public/v2/tool-registry/:tool_identifier/env-vars')
export class ToolEnvVarsController {
  constructor(private readonly envVars: ToolEnvVarsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the environment variables of a tool, without their values.',
    description:
      'Only the last four characters of a value are shown. The tool also gets the variables of the workspace, see `GET /api/public/v2/env-vars`.',
  })
  @ApiOkResponse({ type: ToolEnvVarsResponse })
  @Throws(ToolErrors.tool_not_found)
  async list(@CurrentCaller() caller: Caller, @Param() path: ToolPath): Promise<ToolEnvVarsResponse> {
    const variables = await this.envVars.list(caller, path.tool_identifier);
    return { success: true, tool_env_vars: variables.map(toToolEnvVarBody) };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Add an environment variable to a tool.',
    description: 'The tool gets it instead of the one of the workspace with the same name.',
  })
  @ApiCreatedResponse({ type: ToolEnvVarResponse })
  @Throws(
    ToolErrors.tool_not_found,
    AccessErrors.permission_missing,
    EnvVarErrors.env_var_exists,
    EnvVarErrors.env_var_too_many,
    SecretErrors.secrets_key_missing,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: ToolPath,
    @Body() body: CreateEnvVarRequest,
  ): Promise<ToolEnvVarResponse> {
    const created = await this.envVars.create(caller, path.tool_identifier, toNewEnvVar(body));
    return { success: true, tool_env_var: toToolEnvVarBody(created) };
  }

  @Patch(':var_id')
  @ApiOperation({
    summary: 'Set the value of an environment variable of a tool.',
    description: 'Code that starts from now on gets the new value. The name cannot be changed.',
  })
  @ApiOkResponse({ type: ToolEnvVarResponse })
  @Throws(
    ToolErrors.tool_not_found,
    EnvVarErrors.env_var_not_found,
    AccessErrors.permission_missing,
    SecretErrors.secrets_key_missing,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: ToolEnvVarPath,
    @Body() body: UpdateEnvVarRequest,
  ): Promise<ToolEnvVarResponse> {
    const changed = await this.envVars.update(caller, path.tool_identifier, path.var_id, body.value);
    return { success: true, tool_env_var: toToolEnvVarBody(changed) };
  }

  @Delete(':var_id')
  @ApiOperation({
    summary: 'Delete an environment variable of a tool.',
    description: 'From now on the tool gets the variable of the workspace with the same name, if there is one.',
  })
  @ApiOkResponse({ type: EnvVarDeletedResponse })
  @Throws(ToolErrors.tool_not_found, EnvVarErrors.env_var_not_found, AccessErrors.permission_missing)
  async delete(@CurrentCaller() caller: Caller, @Param() path: ToolEnvVarPath): Promise<EnvVarDeletedResponse> {
    await this.envVars.delete(caller, path.tool_identifier, path.var_id);
    return { success: true };
  }
}
