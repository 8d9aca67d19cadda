import { defineEvent, type DomainEvent } from '../events/index.js';
import type { JsonObject } from '../platform/json.js';
import type { SealedEntry } from './audit-chain.queries.js';

export const AUDIT_ENTRY = 'audit_entry';

const auditEntry = defineEvent<JsonObject>(
  AUDIT_ENTRY,
  'An audit entry was sealed, seconds after it was written. It is only made while a webhook names this type, and only such webhooks get it; `position` and `hash` are its place in the hash chain.',
  { onlyByName: true },
);

export function toAuditEvent({ entry, place, detailsHash }: SealedEntry): DomainEvent {
  const { name } = entry.details;
  return auditEntry({
    id: entry.id,
    occurred_at: entry.occurredAt,
    action: entry.action,
    entity_type: entry.action.split('.')[0]!,
    entity_id: entry.entityId,
    entity_name: typeof name === 'string' ? name : null,
    source: entry.keyId === null ? 'operator' : 'api',
    key_id: entry.keyId,
    request_id: entry.requestId,
    details: entry.details,
    details_hash: detailsHash.toString('hex'),
    position: place.position,
    hash: place.hash.toString('hex'),
  });
}
