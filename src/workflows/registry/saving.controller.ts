import { Body, Controller, HttpCode, Param, Patch } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { LABEL_REFUSALS } from '../../registry/index.js';
import { Stores } from '../../storage/index.js';
import { ExternalIdErrors } from '../../external-ids/index.js';
import { FolderErrors } from '../../folders/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import {
  CreateWorkflowRequest,
  PatchWorkflowRequest,
  toChangedVersion,
  toNewVersion,
  toSavedResponse,
  WorkflowSavedResponse,
} from './saving.dto.js';
import { SavingService } from './saving.service.js';
import { WorkflowPath } from './workflows.dto.js';

@ApiTags('Workflows')
@Controller('rest/workflows')
export class SavingController {
  constructor(private readonly saving: SavingService) {}

  @IdempotentPost()
  @Stores()
  @ApiOperation({
    summary: 'Create a workflow, or save a new version of one.',
    description:
      'With `name` this creates a workflow, with `workflow_id` or `workflow_name` it adds a version. Each node is computed like a column of its type, from inputs and from the nodes that it depends on. Nothing is saved when a node or an edge is wrong: 400 `workflow_invalid` lists the faults.',
  })
  @ApiCreatedResponse({ type: WorkflowSavedResponse })
  @Throws(
    ...LABEL_REFUSALS,
    WorkflowErrors.workflow_unnamed,
    WorkflowErrors.workflow_named_twice,
    WorkflowErrors.workflow_identifiers_differ,
    WorkflowErrors.workflow_name_taken,
    WorkflowErrors.workflow_invalid,
    WorkflowErrors.workflow_not_found,
    FolderErrors.folder_not_found,
    ExternalIdErrors.external_id_in_use,
  )
  async save(@CurrentCaller() caller: Caller, @Body() body: CreateWorkflowRequest): Promise<WorkflowSavedResponse> {
    const { workflow_id: id = null, workflow_name: name = null } = body;
    const isKnown = id !== null || name !== null;
    if (body.name != null && isKnown) throw WorkflowErrors.workflow_named_twice();
    if (body.name != null)
      return toSavedResponse(await this.saving.create(caller, body.name.trim(), toNewVersion(body)));
    if (!isKnown) throw WorkflowErrors.workflow_unnamed();
    return toSavedResponse(await this.saving.add(caller, { id, name: name?.trim() ?? null }, toNewVersion(body)));
  }

  @Patch(':workflow_id_or_name')
  @Stores()
  @HttpCode(201)
  @ApiOperation({
    summary: 'Save a new version of a workflow by changing an older one.',
    description:
      'Starts from the latest version, or from `base_version` or `base_label`, and saves the result as a new version; the older one stays as it is. Nothing is saved when a node or an edge of the result is wrong: 400 `workflow_invalid` lists the faults.',
  })
  @ApiCreatedResponse({ type: WorkflowSavedResponse })
  @Throws(
    ...LABEL_REFUSALS,
    WorkflowErrors.workflow_version_ambiguous,
    WorkflowErrors.workflow_invalid,
    WorkflowErrors.workflow_not_found,
    WorkflowErrors.workflow_version_not_found,
    WorkflowErrors.workflow_label_not_found,
  )
  async patch(
    @CurrentCaller() caller: Caller,
    @Param() path: WorkflowPath,
    @Body() body: PatchWorkflowRequest,
  ): Promise<WorkflowSavedResponse> {
    return toSavedResponse(await this.saving.patch(caller, path.workflow_id_or_name, toChangedVersion(body)));
  }
}
