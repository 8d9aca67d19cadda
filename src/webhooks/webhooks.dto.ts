import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
import {
  MAX_ID,
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  ListField,
  TextField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { DELIVERY_STATUSES, type DeliveryStatus, type WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

export class WebhookPath extends WorkspacePath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  webhook_id: number;
}

export class DeliveryPath extends WebhookPath {
  @IntegerField({ query: true, min: 1 })
  delivery_id: number;
}

const NameField = () => TextField({ optional: true, nullable: true, maxLength: 255, example: 'Deployment bot' });

const UrlField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 2000,
    description: 'http or https. It must lead to the public internet unless OUTBOUND_ALLOW_PRIVATE is on.',
    example: 'https://hooks.example.com/prompts',
  });

const EventTypesField = () =>
  ListField('string', {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: 100,
    description:
      'What is sent. null, as by default, means every type, also those that do not exist yet. `GET …/events/types` lists them, also those that this server does not announce yet.',
    example: ['prompt_template_version_created', 'prompt_template_label_moved'],
  });

export class CreateWebhookRequest {
  @UrlField(false)
  url: string;

  @NameField()
  name?: string | null;

  @EventTypesField()
  event_types?: string[] | null;
}

export class UpdateWebhookRequest {
  @UrlField(true)
  url?: string;

  @NameField()
  name?: string | null;

  @EventTypesField()
  event_types?: string[] | null;

  @BooleanField({
    optional: true,
    description:
      'While it is false, nothing is sent, and events that happen are not kept for this webhook. Deliveries that wait for another try go on when it is true again.',
    example: true,
  })
  enabled?: boolean;
}

export class WebhookBody {
  @IntegerField()
  id: number;

  @TextField({ nullable: true })
  name: string | null;

  @TextField()
  url: string;

  @ListField('string', { nullable: true, description: 'null means every type.' })
  event_types: string[] | null;

  @ApiProperty()
  enabled: boolean;

  @IntegerField({ nullable: true, description: 'The API key that created it; null for the operator.' })
  created_by: number | null;

  @DateTimeField({ description: 'Events before it are not sent.' })
  created_at: string;

  @DateTimeField()
  updated_at: string;
}

export class WebhookResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => WebhookBody })
  webhook: WebhookBody;
}

export class WebhookSecretResponse extends WebhookResponse {
  @TextField({
    description:
      'The key of the signatures: `X-PromptLayer-Signature` is the hexadecimal HMAC-SHA256 of the body with it. It is shown only now and cannot be read again.',
  })
  secret: string;
}

export class WebhooksResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [WebhookBody] })
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
  @IntegerField({ description: 'Sent as `Webhook-Id` with every try, so that receivers can recognise repetitions.' })
  id: number;

  @IntegerField()
  event_id: number;

  @TextField({ example: 'prompt_template_version_created' })
  event_type: string;

  @EnumField(DELIVERY_STATUSES, { description: '`failed` when the last try did not succeed.' })
  status: DeliveryStatus;

  @IntegerField({ description: 'How many tries there were.' })
  attempts: number;

  @DateTimeField({ nullable: true, description: 'null when there will be no further try.' })
  next_attempt_at: string | null;

  @DateTimeField({ nullable: true })
  last_attempt_at: string | null;

  @IntegerField({ nullable: true, description: 'HTTP status of the last answer; null when there was none.' })
  response_status: number | null;

  @TextField({ nullable: true, description: 'The first KB of the last answer.' })
  response_body: string | null;

  @TextField({ nullable: true, description: 'Why the last try did not succeed.' })
  error: string | null;

  @DateTimeField()
  created_at: string;
}

export class DeliveryResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => DeliveryBody })
  delivery: DeliveryBody;
}

export class DeliveriesResponse extends ListEnvelope {
  @ApiProperty({ type: () => [DeliveryBody] })
  data: DeliveryBody[];
}

export class WorkspaceDeliveryBody extends DeliveryBody {
  @IntegerField({ description: 'The webhook that it is for.' })
  webhook_id: number;
}

export class WorkspaceDeliveriesResponse extends ListEnvelope {
  @ApiProperty({ type: () => [WorkspaceDeliveryBody] })
  data: WorkspaceDeliveryBody[];
}

export function toWebhookBody(webhook: Webhook): WebhookBody {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
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
