import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { SecretErrors } from '../../platform/secrets/secrets.errors.js';
import { CredentialTester } from '../calls/credential-test.js';
import {
  CreateModelCredentialRequest,
  ModelCredentialDeletedResponse,
  ModelCredentialPath,
  ModelCredentialResponse,
  ModelCredentialsResponse,
  TestModelCredentialRequest,
  TestModelCredentialResponse,
  toChange,
  toModelCredentialBody,
  toModelCredentialResponse,
  toTestResponse,
  UpdateModelCredentialRequest,
} from './model-credentials.dto.js';
import { ModelCredentialErrors } from './model-credentials.errors.js';
import { ModelCredentialsService } from './model-credentials.service.js';

@ApiTags('Model credentials')
@Controller('api/admin/v1/workspaces/:workspace_id/model-credentials')
export class ModelCredentialsController {
  constructor(
    private readonly credentials: ModelCredentialsService,
    private readonly tester: CredentialTester,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the model credentials of a workspace, without their secrets.',
    description: 'By provider and name. Only the last four characters of a secret are shown.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ModelCredentialsResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<ModelCredentialsResponse> {
    const credentials = await this.credentials.list(await this.workspaces.callerIn(request, path.workspace_id));
    return { success: true, model_credentials: credentials.map(toModelCredentialBody) };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Add a credential for the models of a provider.',
    description: 'The secret is encrypted with SECRETS_KEY. Afterwards only its last four characters are shown.',
  })
  @OperatorToo('ADMIN')
  @ApiCreatedResponse({ type: ModelCredentialResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    ModelCredentialErrors.model_credential_invalid,
    ModelCredentialErrors.model_credential_name_taken,
    ModelCredentialErrors.model_credential_too_many,
    SecretErrors.secrets_key_missing,
  )
  async create(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() body: CreateModelCredentialRequest,
  ): Promise<ModelCredentialResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const input = { ...toChange(body), provider: body.provider, name: body.name };
    return toModelCredentialResponse(await this.credentials.create(caller, input));
  }

  @Get(':credential_id')
  @ApiOperation({
    summary: 'Read a model credential, without its secret.',
    description: 'Only the last four characters of the secret are shown; it cannot be read again.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ModelCredentialResponse })
  @Throws(AccessErrors.workspace_not_found, ModelCredentialErrors.model_credential_not_found)
  async get(
    @Req() request: AuthenticatedRequest,
    @Param() path: ModelCredentialPath,
  ): Promise<ModelCredentialResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toModelCredentialResponse(await this.credentials.get(caller, path.credential_id));
  }

  @Patch(':credential_id')
  @ApiOperation({
    summary: 'Change a model credential.',
    description:
      'Missing fields stay as they are. Calls that start from now on use a new secret. A `base_url` on another server needs the secret again.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ModelCredentialResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    ModelCredentialErrors.model_credential_not_found,
    ModelCredentialErrors.model_credential_invalid,
    ModelCredentialErrors.model_credential_secret_needed,
    ModelCredentialErrors.model_credential_name_taken,
    SecretErrors.secrets_key_missing,
  )
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: ModelCredentialPath,
    @Body() body: UpdateModelCredentialRequest,
  ): Promise<ModelCredentialResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toModelCredentialResponse(await this.credentials.update(caller, path.credential_id, toChange(body)));
  }

  @Delete(':credential_id')
  @ApiOperation({
    summary: 'Delete a model credential.',
    description:
      'Calls in progress continue. Cells that would use the credential fail from now on, with an error that names it.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ModelCredentialDeletedResponse })
  @Throws(AccessErrors.workspace_not_found, ModelCredentialErrors.model_credential_not_found)
  async delete(
    @Req() request: AuthenticatedRequest,
    @Param() path: ModelCredentialPath,
  ): Promise<ModelCredentialDeletedResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.credentials.delete(caller, path.credential_id);
    return { success: true };
  }

  @Post(':credential_id/test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Test a model credential with a short call.',
    description:
      'Sends one short message, which may cost a fraction of a cent. The status is 200 even if the call fails: `works` is false then, and `message` says why.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: TestModelCredentialResponse })
  @Throws(AccessErrors.workspace_not_found, ModelCredentialErrors.model_credential_not_found)
  async test(
    @Req() request: AuthenticatedRequest,
    @Param() path: ModelCredentialPath,
    @Body() { model }: TestModelCredentialRequest,
  ): Promise<TestModelCredentialResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toTestResponse(await this.tester.test(await this.credentials.get(caller, path.credential_id), model));
  }
}
