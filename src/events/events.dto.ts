import { ApiProperty } from '@nestjs/swagger';
import { SUCCESS } from '../platform/http/common-fields.js';
import { BooleanField, DateTimeField, IntegerField, JsonObjectField, TextField } from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import type { JsonObject } from '../platform/json.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { OutboxEvent } from './outbox-event.entity.js';

@Closed()
export class ListEventsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;

  @TextField({ optional: true, query: true, maxLength: 255, description: 'Only events of this type.' })
  event_type?: string;
}

export class EventBody {
  @IntegerField({ description: 'The number of the event. Later events have larger numbers.' })
  id: number;

  @TextField({
    description: 'The type of the event; `GET …/events/types` describes each.',
    example: 'prompt_template_version_created',
  })
  event_type: string;

  @JsonObjectField({ description: 'The details of the event. Their keys depend on its type.' })
  details: JsonObject;

  @IntegerField({
    nullable: true,
    description: 'The API key that caused the event; null for the operator and the server itself.',
  })
  key_id: number | null;

  @TextField({ description: 'The id of the request that caused the event.' })
  request_id: string;

  @DateTimeField({ description: 'When it happened.' })
  timestamp: string;
}

export class EventsResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [EventBody],
    description: 'The events of the page, newest first unless `order` is `asc`.',
  })
  data: EventBody[];
}

export class EventTypeBody {
  @TextField({
    description: 'The name of the type, as `event_types` of webhooks and `event_type` of this list take it.',
    example: 'prompt_template_label_moved',
  })
  type: string;

  @TextField({ description: 'When an event of this type happens.' })
  description: string;

  @BooleanField({
    description:
      'Whether this server sends events of this type. Types it does not send are listed because clients know them.',
  })
  is_announced: boolean;
}

export class EventTypesResponse {
  @ApiProperty({ enum: [true], description: SUCCESS })
  success: true;

  @ApiProperty({
    type: () => [EventTypeBody],
    description: 'The types that this server sends, by name, then the others, by name.',
  })
  event_types: EventTypeBody[];
}

export function toEventTypeBodies(types: ReadonlyMap<string, string>, isAnnounced: boolean): EventTypeBody[] {
  return [...types]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, description]) => ({ type, description, is_announced: isAnnounced }));
}

export function toEventBody(event: OutboxEvent): EventBody {
  return {
    id: Number(event.id),
    event_type: event.type,
    details: event.details,
    key_id: event.keyId,
    request_id: event.requestId,
    timestamp: event.occurredAt.toISOString(),
  };
}
