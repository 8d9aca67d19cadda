import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, Can, CurrentCaller } from '../access/index.js';
import { LABEL_REFUSALS } from '../registry/index.js';
import { CommonListQuery } from '../entity-lists/index.js';
import { EnvVarErrors } from '../env-vars/index.js';
import { ExternalIdErrors } from '../external-ids/index.js';
import { FolderErrors } from '../folders/index.js';
import { Stores } from '../storage/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import {
  CreateToolRequest,
  SaveToolVersionRequest,
  TestToolRequest,
  TestToolResponse,
  toContent,
  toLabels,
  toNewTool,
  ToolCreatedResponse,
  ToolPath,
  ToolResponse,
  ToolsResponse,
  ToolVersionQuery,
  ToolVersionResponse,
  toTestResponse,
  toToolBody,
  toToolResponse,
  toToolTest,
  toToolVersionBody,
} from './tools.dto.js';
import { ToolErrors } from './tools.errors.js';
import { ToolsService } from './tools.service.js';
import { ToolTestingService } from './tool-testing.service.js';

const VERSION_NOT_FOUND = [
  ToolErrors.tool_not_found,
  ToolErrors.tool_version_not_found,
  ToolErrors.tool_label_not_found,
];

@ApiTags('Tools')
@Controller('api/public/v2/tool-registry')
export class ToolsController {
  constructor(
    private readonly tools: ToolsService,
    private readonly testing: ToolTestingService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the tools of the workspace, the latest updated first.',
    description: 'Without versions, and without deleted tools.',
  })
  @ApiOkResponse({ type: ToolsResponse })
  async list(@CurrentCaller() caller: Caller, @Query() query: CommonListQuery): Promise<ToolsResponse> {
    return { success: true, tool_registries: (await this.tools.list(caller, query)).map(toToolBody) };
  }

  @IdempotentPost()
  @Stores()
  @ApiOperation({
    summary: 'Create a tool with its first version.',
    description:
      '409 `tool_name_taken`: the name exists. 409 `external_id_in_use`: another entity has the external ID.',
  })
  @Can('TOOL_CREATE')
  @ApiCreatedResponse({ type: ToolCreatedResponse })
  @Throws(
    AccessErrors.label_protected,
    AccessErrors.approval_needed,
    FolderErrors.folder_not_found,
    ToolErrors.tool_name_taken,
    ExternalIdErrors.external_id_in_use,
  )
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateToolRequest): Promise<ToolCreatedResponse> {
    const { tool, version } = await this.tools.create(caller, toNewTool(body));
    return {
      success: true,
      tool_registry: toToolBody(tool),
      version: toToolVersionBody(version),
      external_ids: tool.externalIds,
    };
  }

  @Get(':tool_identifier')
  @ApiOperation({
    summary: 'Read a tool with one of its versions.',
    description:
      'Default: the latest version. `label` takes precedence over `version`. 404 says what is missing: `tool_not_found`, `tool_version_not_found` or `tool_label_not_found`.',
  })
  @ApiOkResponse({ type: ToolResponse })
  @Throws(...VERSION_NOT_FOUND)
  async read(
    @CurrentCaller() caller: Caller,
    @Param() path: ToolPath,
    @Query() query: ToolVersionQuery,
  ): Promise<ToolResponse> {
    return toToolResponse(await this.tools.read(caller, path.tool_identifier, query));
  }

  @IdempotentPost(':tool_identifier/versions')
  @Stores()
  @ApiOperation({
    summary: 'Save a new version of a tool.',
    description: 'Prompts that refer to the tool without a label or a version get it from now on.',
  })
  @ApiCreatedResponse({ type: ToolVersionResponse })
  @Throws(ToolErrors.tool_not_found, ...LABEL_REFUSALS)
  async saveVersion(
    @CurrentCaller() caller: Caller,
    @Param() path: ToolPath,
    @Body() body: SaveToolVersionRequest,
  ): Promise<ToolVersionResponse> {
    const version = await this.tools.saveVersion(caller, path.tool_identifier, toContent(body), toLabels(body));
    return { success: true, version: toToolVersionBody(version) };
  }

  @Post(':tool_identifier/test-execute')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Run the code of a tool once with given inputs.',
    description:
      'The code runs in a sandbox without files and network. It finds the inputs in `args` and the environment variables of the workspace and of the tool in `os.environ` or `process.env`. An error of the code is a result with the status `error`.',
  })
  @ApiOkResponse({ type: TestToolResponse })
  @Throws(
    ...VERSION_NOT_FOUND,
    AccessErrors.permission_missing,
    ToolErrors.tool_not_executable,
    ToolErrors.tool_function_unnamed,
    EnvVarErrors.env_var_unreadable,
    ToolErrors.tool_timeout,
    ToolErrors.tool_sandbox_failed,
  )
  async testExecute(
    @CurrentCaller() caller: Caller,
    @Param() path: ToolPath,
    @Query() query: ToolVersionQuery,
    @Body() body: TestToolRequest,
  ): Promise<TestToolResponse> {
    return toTestResponse(await this.testing.test(caller, path.tool_identifier, toToolTest(query, body)));
  }
}
