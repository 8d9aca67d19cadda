import { ApiProperty } from '@nestjs/swagger';
import { QueryIdField } from '../../platform/http/common-fields.js';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import { CursorField, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { MomentField } from '../../platform/filters/moment-field.js';
import type { JsonObject } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { keyNameOf } from '../../access/index.js';
import type { AuditFilters, ReadEntry } from './audit-entries.service.js';

const SOURCES = ['api', 'operator'] as const;
export type AuditSource = (typeof SOURCES)[number];

@Closed()
export class AuditFilterQuery {
  @ListField('string', {
    optional: true,
    query: true,
    maxItems: 50,
    description: 'Only entries with one of these actions, such as `table.delete`.',
  })
  action?: string[];

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Only entries with this entity type, the first part of an action, such as `table`.',
  })
  entity_type?: string;

  @TextField({
    optional: true,
    query: true,
    maxLength: 1024,
    description: 'Only entries about the entity with this id.',
  })
  entity_id?: string;

  @QueryIdField('Only entries of this API key.')
  key_id?: number;

  @QueryIdField(
    'Only entries of this user: in the console and with personal keys. In the audit trail of the installation: entries about this user.',
  )
  user_id?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Only entries of the request with this id: the `X-Request-Id` header of its response.',
  })
  request_id?: string;

  @EnumField(SOURCES, {
    optional: true,
    query: true,
    description: 'Only entries of API keys (`api`) or of the operator.',
  })
  source?: AuditSource;

  @MomentField('The start of the time range, inclusive. A date alone means the whole day.')
  occurred_after?: string;

  @MomentField('The end of the time range, inclusive. A date alone means the whole day.')
  occurred_before?: string;
}

@Closed()
export class ListAuditEntriesQuery extends AuditFilterQuery {
  @CursorField()
  cursor?: string;

  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

export class AuditEntryBody {
  @IntegerField({ description: 'The number of the entry. Later entries have larger numbers.' })
  id: number;

  @IntegerField({ description: 'The workspace in which it was done; 0 in the audit trail of the installation.' })
  workspace_id: number;

  @DateTimeField({ description: 'When it was done.' })
  occurred_at: string;

  @TextField({ example: 'table.delete', description: 'The action, as `<entity type>.<verb>`.' })
  action: string;

  @TextField({ description: 'The type of what was changed: the first part of `action`.', example: 'table' })
  entity_type: string;

  @TextField({ description: 'The id of the entity that was changed or deleted.' })
  entity_id: string;

  @TextField({ nullable: true, description: 'The name of the entity; null for an entity without a name.' })
  entity_name: string | null;

  @EnumField(SOURCES, {
    description:
      '`api` for an API key; `operator` for the ADMIN_TOKEN, the command line, and what people and identity providers do without a key, which `by` in `details` names.',
  })
  source: AuditSource;

  @IntegerField({
    nullable: true,
    description: 'The API key that was used, or the member who acted; null for the operator.',
  })
  key_id: number | null;

  @TextField({
    nullable: true,
    description:
      'The name that the key or the user has now; `API key …` with its last four characters for a key without a name. null for the operator.',
  })
  key_name: string | null;

  @TextField({
    nullable: true,
    description: 'The last four characters of the key; null for the operator and for users in the console.',
  })
  key_last_4: string | null;

  @TextField({ description: 'The id of the request: the `X-Request-Id` header of its response.' })
  request_id: string;

  @JsonObjectField({ description: 'Further details, which depend on the action. They never contain secrets.' })
  details: JsonObject;
}

export class AuditEntriesResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [AuditEntryBody],
    description: 'The entries of the page, newest first unless `order` is `asc`.',
  })
  data: AuditEntryBody[];
}

export function toAuditFilters(query: AuditFilterQuery): AuditFilters {
  const { action, entity_type: entityType, entity_id: entityId, key_id: keyId, source } = query;
  return {
    action,
    entityType,
    entityId,
    keyId,
    userId: query.user_id,
    requestId: query.request_id,
    source,
    occurredAfter: query.occurred_after,
    occurredBefore: query.occurred_before,
  };
}

export function toAuditEntryBody(entry: ReadEntry): AuditEntryBody {
  const { name } = entry.details;
  return {
    id: Number(entry.id),
    workspace_id: entry.workspace_id,
    occurred_at: entry.occurred_at.toISOString(),
    action: entry.action,
    entity_type: entry.action.split('.')[0]!,
    entity_id: entry.entity_id,
    entity_name: typeof name === 'string' ? name : null,
    source: entry.key_id === null ? 'operator' : 'api',
    key_id: entry.key_id,
    key_name: entry.key_id === null ? null : keyNameOf({ name: entry.key_name, lastFour: entry.key_last_4 }),
    key_last_4: entry.key_last_4,
    request_id: entry.request_id,
    details: entry.details,
  };
}
