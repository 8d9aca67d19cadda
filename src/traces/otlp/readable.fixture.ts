import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../platform/json.js';
import { toObject } from '../../trace-conventions/attributes/attributes.js';
import type { NormalizedSpan } from '../../trace-conventions/span.js';
import type { DecodedTraces } from './span-collector.js';
import { decodeTraces, type OtlpFormat } from './decode.js';

export type ReadableSpan = Omit<NormalizedSpan, 'attributes'> & { attributes: JsonObject };

/** Decodes a body, with attributes that can be compared. Fails if their JSON differs from them. */
export function decodeReadable(
  body: Buffer,
  format: OtlpFormat,
): Omit<DecodedTraces, 'spans'> & { spans: ReadableSpan[] } {
  const { spans, ...others } = decodeTraces(body, format);
  return { spans: spans.map(readable), ...others };
}

function readable(span: NormalizedSpan): ReadableSpan {
  const json = Buffer.from(span.attributes.toJson());
  const stored = JSON.parse(json.toString()) as JsonObject;
  const attributes = toObject(span.attributes);
  if (!isUtf8(json) || !isDeepStrictEqual(stored, attributes)) throw new Error(`Stored ${JSON.stringify(stored)}`);
  return { ...span, attributes };
}
