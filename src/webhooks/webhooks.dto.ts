import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
import { PathIdField, SuccessField, UpdatedAtField } from '../platform/http/common-fields.js';
import { BooleanField, DateTimeField, EnumField, IntegerField, ListField, TextField } from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { type Format, FORMATS } from './message-format.js';
import { DELIVERY_STATUSES, type DeliveryStatus, type WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

export class WebhookPath extends WorkspacePath {
  @PathIdField('The id of the webhook, from the list of webhooks.')
  webhook_id: number;
}

export class DeliveryPath extends WebhookPath {
  @IntegerField({
    query: true,
    min: 1,
    description:
      'The id of the delivery, from the list of deliveries or the header `Webhook-Id` of the request that was sent.',
  })
  delivery_id: number;
}

const NameField = () =>
  TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'The display name; null removes it.',
    example: 'Deployment bot',
  });

const UrlField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 2000,
    description:
      'The URL that receives events: http or https, or `mailto:` with one e-mail address where SMTP_URL is set. It must lead to the public internet unless OUTBOUND_ALLOW_PRIVATE is on.',
    example: 'https://hooks.example.com/prompts',
  });

const EventTypesField = () =>
  ListField('string', {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: 100,
    description:
      'The types of events to send. Default: null, which includes types that are added later. `GET …/events/types` lists all types.',
    example: ['prompt_template_version_created', 'prompt_template_label_moved'],
  });

const FormatField = (optional: boolean) =>
  EnumField(FORMATS, {
    optional,
    description:
      'How events are written: `json` is the event itself, `slack` and `teams` are messages as the incoming webhooks of these chat systems take them. E-mail is always text. Default: json.',
    example: 'json',
  });

export class CreateWebhookRequest {
  @UrlField(false)
  url: string;

  @FormatField(true)
  format?: Format;

  @NameField()
  name?: string | null;

  @EventTypesField()
  event_types?: string[] | null;
}

export class UpdateWebhookRequest {
  @UrlField(true)
  url?: string;

  @FormatField(true)
  format?: Format;

  @NameField()
  name?: string | null;

  @EventTypesField()
  event_types?: string[] | null;

  @BooleanField({
    optional: true,
    description:
      'Whether the webhook is on. While it is off, nothing is sent and new events are not kept for it. Deliveries that wait for a retry continue once it is on again.',
    example: true,
  })
  enabled?: boolean;
}

export class WebhookBody {
  @IntegerField({ description: 'The id of the webhook.' })
  id: number;

  @TextField({ nullable: true, description: 'The display name; null for a webhook without one.' })
  name: string | null;

  @TextField({ description: 'The URL that receives events as POST requests, or the e-mail address after `mailto:`.' })
  url: string;

  @FormatField(false)
  format: Format;

  @ListField('string', { nullable: true, description: 'The types of events to send; null for all types.' })
  event_types: string[] | null;

  @ApiProperty({
    description: 'False for a webhook that is switched off: nothing is sent, and new events are not kept for it.',
  })
  enabled: boolean;

  @IntegerField({ nullable: true, description: 'The API key that created the webhook; null for the operator.' })
  created_by: number | null;

  @DateTimeField({ description: 'When the webhook was created. Events before it are not sent.' })
  created_at: string;

  @UpdatedAtField('the webhook')
  updated_at: string;
}

export class WebhookResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => WebhookBody,
    description: 'The webhook as it is after the request, or was before it was deleted.',
  })
  webhook: WebhookBody;
}

export class WebhookSecretResponse extends WebhookResponse {
  @TextField({
    description:
      'The key of the signatures: `X-PromptLayer-Signature` is the hexadecimal HMAC-SHA256 of the body. This is the only response that contains it.',
  })
  secret: string;
}

export class WebhooksResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [WebhookBody], description: 'All webhooks of the workspace, newest first.' })
  webhooks: WebhookBody[];
}

@Closed()
export class ListDeliveriesQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;

  @EnumField(DELIVERY_STATUSES, { optional: true, query: true, description: 'Only deliveries in this state.' })
  status?: DeliveryStatus;
}

export class DeliveryBody {
  @IntegerField({
    description:
      'The id of the delivery, sent as `Webhook-Id` with every attempt, so that receivers can recognise repetitions.',
  })
  id: number;

  @IntegerField({
    description:
      'The event that is delivered, as `GET …/events` lists it. Every webhook has a delivery of its own for it.',
  })
  event_id: number;

  @TextField({
    description: 'The type of the event; `GET …/events/types` says what each means.',
    example: 'prompt_template_version_created',
  })
  event_type: string;

  @EnumField(DELIVERY_STATUSES, {
    description:
      '`pending` until the receiver answered with a 2xx status, then `delivered`; `failed` after the last attempt failed.',
  })
  status: DeliveryStatus;

  @IntegerField({ description: 'The number of attempts so far.' })
  attempts: number;

  @DateTimeField({ nullable: true, description: 'When the next attempt is due; null if there is none.' })
  next_attempt_at: string | null;

  @DateTimeField({ nullable: true, description: 'When the delivery was last tried; null before the first try.' })
  last_attempt_at: string | null;

  @IntegerField({ nullable: true, description: 'The HTTP status of the last response; null if there was none.' })
  response_status: number | null;

  @TextField({ nullable: true, description: 'The first KB of the last response; null if there was none.' })
  response_body: string | null;

  @TextField({ nullable: true, description: 'Why the last attempt failed; null if it did not.' })
  error: string | null;

  @DateTimeField({ description: 'When the delivery was created, right after its event.' })
  created_at: string;
}

export class DeliveryResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => DeliveryBody, description: 'The delivery, waiting to be sent again.' })
  delivery: DeliveryBody;
}

export class DeliveriesResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [DeliveryBody],
    description: 'The deliveries of the page, newest first unless `order` is `asc`.',
  })
  data: DeliveryBody[];
}

export class WorkspaceDeliveryBody extends DeliveryBody {
  @IntegerField({ description: 'The webhook of the delivery.' })
  webhook_id: number;
}

export class WorkspaceDeliveriesResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [WorkspaceDeliveryBody],
    description: 'The deliveries of the page, of all webhooks together, newest first unless `order` is `asc`.',
  })
  data: WorkspaceDeliveryBody[];
}

export function toWebhookBody(webhook: Webhook): WebhookBody {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    format: webhook.format,
    event_types: webhook.eventTypes,
    enabled: webhook.enabled,
    created_by: webhook.createdBy,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

export function toWebhookResponse(webhook: Webhook): WebhookResponse {
  return { success: true, webhook: toWebhookBody(webhook) };
}

export function toDeliveryBody(delivery: WebhookDelivery): DeliveryBody {
  const waits = delivery.status === 'pending';
  return {
    id: Number(delivery.id),
    event_id: Number(delivery.eventId),
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: waits ? delivery.nextAttemptAt.toISOString() : null,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    response_status: delivery.responseStatus,
    response_body: delivery.responseBody,
    error: delivery.error,
    created_at: delivery.createdAt.toISOString(),
  };
}

export function toWorkspaceDeliveryBody(delivery: WebhookDelivery): WorkspaceDeliveryBody {
  return { ...toDeliveryBody(delivery), webhook_id: delivery.webhookId };
}
