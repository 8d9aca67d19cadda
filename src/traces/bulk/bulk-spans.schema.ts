import { z } from 'zod';
import { loggedCallInSpan } from '../../llm/records/logged-call.js';
import { idText } from '../id-text.js';
import { SPAN_KINDS, SPAN_STATUSES } from '../span.js';

const LARGEST_NANOS = 2n ** 63n - 1n;

/** Integers of more digits than a JavaScript number holds arrive as their digits. */
const nanoseconds = z
  .union(
    [z.int().nonnegative(), z.string().regex(/^\d{1,19}$/)],
    'Input should be nanoseconds since the epoch, a whole number',
  )
  .transform(BigInt)
  .refine((nanos) => nanos <= LARGEST_NANOS, 'Input should be nanoseconds since the epoch')
  .meta({
    anyOf: [
      { type: 'integer', format: 'int64', minimum: 0 },
      { type: 'string', pattern: '^\\d{1,19}$' },
    ],
    examples: ['1780000000000000000'],
  });

const id = idText.min(1);
const anyObject = z.record(z.string(), z.unknown());
const named = (prefix: string, values: object) =>
  z.enum(Object.keys(values).map((name) => `${prefix}.${name}`) as [string, ...string[]]);

export const bulkSpan = z
  .object({
    name: z.string(),
    context: z.object({ trace_id: id, span_id: id, trace_state: z.string() }),
    kind: named('SpanKind', SPAN_KINDS),
    parent_id: idText.nullish(),
    start_time: nanoseconds,
    end_time: nanoseconds,
    status: z.object({ status_code: named('StatusCode', SPAN_STATUSES), description: z.string().nullish() }),
    attributes: anyObject,
    events: z.array(anyObject).nullish(),
    links: z.array(anyObject).nullish(),
    resource: z.object({ attributes: anyObject, schema_url: z.string() }),
    log_request: loggedCallInSpan.nullish(),
  })
  .meta({ id: 'BulkSpan' });

/** The body of `/spans-bulk`. */
export const bulkRequest = z
  .object({ spans: z.array(bulkSpan), close_after: z.boolean().nullish() })
  .meta({ id: 'BulkSpansRequest' });

export type BulkSpan = z.infer<typeof bulkSpan>;
export type BulkRequest = z.infer<typeof bulkRequest>;
