import { decodeJsonTraces } from './json-traces.js';
import { decodeProtobufTraces } from './proto-traces.js';
import type { DecodedTraces } from './span-collector.js';

export type { DecodedTraces } from './span-collector.js';

export type OtlpFormat = 'json' | 'protobuf';

/**
 * Decodes the (uncompressed) body of an OTLP trace export. Both formats give identical spans for the same request.
 * Defective spans are left out and counted by reason; text that PostgreSQL cannot store is replaced and flagged.
 *
 * @throws UnreadableBody when the bytes are not the format (400)
 * @throws InvalidEnvelope when the JSON around the spans has the wrong types (422)
 */
export function decodeTraces(body: Buffer, format: OtlpFormat): DecodedTraces {
  return format === 'json' ? decodeJsonTraces(body) : decodeProtobufTraces(body);
}
