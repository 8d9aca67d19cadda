import { ApiProperty } from '@nestjs/swagger';
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
  @IntegerField()
  id: number;

  @TextField({ example: 'prompt_template_version_created' })
  event_type: string;

  @JsonObjectField({ description: 'The details of the event, which depend on its type.' })
  details: JsonObject;

  @IntegerField({ nullable: true, description: 'The API key that acted; null for the operator and the server.' })
  key_id: number | null;

  @TextField({ description: 'The request that caused it.' })
  request_id: string;

  @DateTimeField()
  timestamp: string;
}

export class EventsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [EventBody] })
  data: EventBody[];
}

export class EventTypeBody {
  @TextField({ example: 'prompt_template_label_moved' })
  type: string;

  @TextField({ description: 'When it happens.' })
  description: string;

  @BooleanField({ description: 'Whether this server announces it; clients know the other ones from elsewhere.' })
  is_announced: boolean;
}

export class EventTypesResponse {
  @ApiProperty({ enum: [true] })
  success: true;

  @ApiProperty({ type: () => [EventTypeBody], description: 'Those that are announced first, each part by name.' })
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
