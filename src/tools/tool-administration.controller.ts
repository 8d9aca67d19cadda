import { Body, Controller, Delete, Param, Patch, Put, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type AuthenticatedRequest, OperatorToo, WorkspacesService } from '../access/index.js';
import { LABEL_REFUSALS } from '../registry/index.js';
import { Throws } from '../platform/http/throws.js';
import {
  ManagedToolLabelPath,
  ManagedToolPath,
  PlaceToolLabelRequest,
  ToolDeletedResponse,
  ToolLabelResponse,
  toToolChange,
  UpdateToolRequest,
} from './tool-administration.dto.js';
import { ToolFolderItem } from './tool.folder-item.js';
import { ToolResponse, toToolLabelBody, toToolResponse } from './tools.dto.js';
import { ToolErrors } from './tools.errors.js';
import { ToolsService } from './tools.service.js';

/** Routes for tools that the existing API does not have. */
@ApiTags('Tools')
@Controller('api/admin/v1/workspaces/:workspace_id/tools/:tool_id')
export class ToolAdministrationController {
  constructor(
    private readonly tools: ToolsService,
    private readonly items: ToolFolderItem,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Patch()
  @ApiOperation({
    summary: 'Change the name or the description of a tool.',
    description:
      'Missing fields stay as they are, and versions do not change. 409 `tool_name_taken`: another tool has the name.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: ToolResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    AccessErrors.permission_missing,
    ToolErrors.tool_not_found,
    ToolErrors.tool_name_taken,
  )
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedToolPath,
    @Body() body: UpdateToolRequest,
  ): Promise<ToolResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toToolResponse(await this.tools.update(caller, path.tool_id, toToolChange(body)));
  }

  @Delete()
  @ApiOperation({
    summary: 'Delete a tool with its environment variables.',
    description: 'Prompts that refer to it get no tool from it any more. Its name becomes free.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: ToolDeletedResponse })
  @Throws(AccessErrors.workspace_not_found, ...LABEL_REFUSALS, ToolErrors.tool_not_found)
  async delete(@Req() request: AuthenticatedRequest, @Param() path: ManagedToolPath): Promise<ToolDeletedResponse> {
    await this.items.deleteOne(await this.workspaces.callerIn(request, path.workspace_id), path.tool_id);
    return { success: true };
  }

  @Put('labels/:tool_label')
  @ApiOperation({
    summary: 'Put a label on a version of a tool, or move it there.',
    description: 'Prompts that refer to the tool by this label get that version from now on.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: ToolLabelResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    ...LABEL_REFUSALS,
    ToolErrors.tool_not_found,
    ToolErrors.tool_version_not_found,
  )
  async placeLabel(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedToolLabelPath,
    @Body() { version_number: version }: PlaceToolLabelRequest,
  ): Promise<ToolLabelResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const label = await this.tools.placeLabel(caller, path.tool_id, path.tool_label.trim(), version);
    return { success: true, label: toToolLabelBody(label) };
  }

  @Delete('labels/:tool_label')
  @ApiOperation({
    summary: 'Remove a label of a tool.',
    description:
      'Versions do not change. Prompts that refer to the label no longer find the tool by it. 403 `label_protected`: the label needs the role admin or approver.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: ToolDeletedResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    ...LABEL_REFUSALS,
    ToolErrors.tool_not_found,
    ToolErrors.tool_label_not_found,
  )
  async deleteLabel(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedToolLabelPath,
  ): Promise<ToolDeletedResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.tools.deleteLabel(caller, path.tool_id, path.tool_label.trim());
    return { success: true };
  }
}
