import { Body, Controller, Delete, Get, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { Throws } from '../platform/http/throws.js';
import { SecretErrors } from '../platform/secrets/secrets.errors.js';
import {
  CreateWebhookRequest,
  toWebhookBody,
  toWebhookResponse,
  UpdateWebhookRequest,
  WebhookPath,
  WebhookResponse,
  WebhookSecretResponse,
  WebhooksResponse,
} from './webhooks.dto.js';
import { WebhookErrors } from './webhooks.errors.js';
import { WebhooksService } from './webhooks.service.js';

@ApiTags('Webhooks')
@Controller('api/admin/v1/workspaces/:workspace_id/webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the webhooks of a workspace, newest first, without their secrets.',
    description: 'All of them on one page, including webhooks that are switched off.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: WebhooksResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<WebhooksResponse> {
    const webhooks = await this.webhooks.list(await this.workspaces.callerIn(request, path.workspace_id));
    return { success: true, webhooks: webhooks.map(toWebhookBody) };
  }

  @Post()
  @ApiOperation({
    summary: 'Create a webhook, which sends the events of a workspace to a URL.',
    description:
      'From now on events are sent as POST requests, signed with the `secret` of the response, which cannot be read again. A delivery may come more than once, always with the same header `Webhook-Id`. A URL in a private network is a 400 `webhook_url_refused` unless OUTBOUND_ALLOW_PRIVATE is on. A workspace can have WEBHOOKS_MAX webhooks; further ones are a 409 `webhook_too_many`.',
  })
  @OperatorToo('ADMIN')
  @ApiCreatedResponse({ type: WebhookSecretResponse })
  @Throws(
    WebhookErrors.webhook_too_many,
    AccessErrors.workspace_not_found,
    WebhookErrors.webhook_url_refused,
    WebhookErrors.webhook_mail_off,
    WebhookErrors.webhook_event_type_unknown,
    SecretErrors.secrets_key_missing,
  )
  async create(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() { url, name, format, event_types: eventTypes }: CreateWebhookRequest,
  ): Promise<WebhookSecretResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { webhook, secret } = await this.webhooks.create(caller, { url, name, format, eventTypes });
    return { ...toWebhookResponse(webhook), secret };
  }

  @Get(':webhook_id')
  @ApiOperation({
    summary: 'Read a webhook, without its secret.',
    description: 'A webhook of another workspace is a 404 `webhook_not_found`, like one that does not exist.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: WebhookResponse })
  @Throws(AccessErrors.workspace_not_found, WebhookErrors.webhook_not_found)
  async get(@Req() request: AuthenticatedRequest, @Param() path: WebhookPath): Promise<WebhookResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toWebhookResponse(await this.webhooks.get(caller, path.webhook_id));
  }

  @Patch(':webhook_id')
  @ApiOperation({
    summary: 'Change a webhook, or switch it on or off.',
    description:
      'Missing fields stay as they are. A new `url` also applies to deliveries that wait for a retry. The secret does not change; `POST …/secret` replaces it.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: WebhookResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    WebhookErrors.webhook_not_found,
    WebhookErrors.webhook_url_refused,
    WebhookErrors.webhook_mail_off,
    WebhookErrors.webhook_event_type_unknown,
  )
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Body() { url, name, format, event_types: eventTypes, enabled }: UpdateWebhookRequest,
  ): Promise<WebhookResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toWebhookResponse(
      await this.webhooks.update(caller, path.webhook_id, { url, name, format, eventTypes, enabled }),
    );
  }

  @Delete(':webhook_id')
  @ApiOperation({
    summary: 'Delete a webhook with its deliveries.',
    description:
      'The response contains the webhook as it was. Nothing more is sent: deliveries that wait for a retry are dropped. To pause a webhook, set `enabled` to false.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: WebhookResponse })
  @Throws(AccessErrors.workspace_not_found, WebhookErrors.webhook_not_found)
  async delete(@Req() request: AuthenticatedRequest, @Param() path: WebhookPath): Promise<WebhookResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toWebhookResponse(await this.webhooks.delete(caller, path.webhook_id));
  }

  @Post(':webhook_id/secret')
  @ApiOperation({
    summary: 'Replace the secret of a webhook.',
    description:
      'The response contains the new secret, which cannot be read again. From now on all requests are signed with it, retries included, so update the receiver at the same time.',
  })
  @OperatorToo('ADMIN')
  @ApiCreatedResponse({ type: WebhookSecretResponse })
  @Throws(AccessErrors.workspace_not_found, WebhookErrors.webhook_not_found, SecretErrors.secrets_key_missing)
  async rotateSecret(@Req() request: AuthenticatedRequest, @Param() path: WebhookPath): Promise<WebhookSecretResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { webhook, secret } = await this.webhooks.rotateSecret(caller, path.webhook_id);
    return { ...toWebhookResponse(webhook), secret };
  }
}
