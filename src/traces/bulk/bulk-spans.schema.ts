import { z } from 'zod';
import { loggedCallInSpan } from '../../llm/records/logged-call.js';
import { idText, SPAN_KINDS, SPAN_STATUSES } from '../../trace-conventions/index.js';

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

const context = z.object({
  trace_id: id.meta({
    description: 'The id of the trace: any text of up to 800 bytes in UTF-8, usually 32 hexadecimal digits.',
  }),
  span_id: id.meta({
    description:
      'The id of the span, unique in its trace: any text of up to 800 bytes in UTF-8, usually 16 hexadecimal digits.',
  }),
  trace_state: z.string().meta({ description: 'The W3C `tracestate`; may be empty.' }),
});
const status = z.object({
  status_code: named('StatusCode', SPAN_STATUSES).meta({ description: '`StatusCode.ERROR` for a span that failed.' }),
  description: z.string().nullish().meta({ description: 'The status message, usually that of an error.' }),
});
const resource = z.object({
  attributes: anyObject.meta({ description: 'The attributes of the sender, such as `service.name`.' }),
  schema_url: z.string().meta({ description: 'The schema of the attributes; may be empty.' }),
});

export const bulkSpan = z
  .object({
    name: z.string().meta({ description: 'The name of the span.' }),
    context: context.meta({ description: 'The ids of the span.' }),
    kind: named('SpanKind', SPAN_KINDS).meta({ description: 'The kind of the span in OpenTelemetry.' }),
    parent_id: idText
      .nullish()
      .meta({ description: 'The `span_id` of the parent, which may come later; null or absent for a root.' }),
    start_time: nanoseconds.meta({ description: 'When the span began: nanoseconds since the epoch.' }),
    end_time: nanoseconds.meta({ description: 'When the span ended: nanoseconds since the epoch.' }),
    status: status.meta({ description: 'Whether the span succeeded.' }),
    attributes: anyObject.meta({ description: 'The attributes of the span, by name.' }),
    events: z
      .array(anyObject)
      .nullish()
      .meta({ description: 'The events of the span, each with `name`, `timestamp` and `attributes`.' }),
    links: z
      .array(anyObject)
      .nullish()
      .meta({ description: 'The links of the span to other spans, each with `context` and `attributes`.' }),
    resource: resource.meta({ description: 'The resource that sends the span, such as a service.' }),
    log_request: loggedCallInSpan.nullish().meta({
      description:
        'The model call that the span stands for; it becomes a request log. Times that it lacks are those of the span.',
    }),
  })
  .meta({ id: 'BulkSpan' });

/** The body of `/spans-bulk`. */
export const bulkRequest = z
  .object({
    spans: z.array(bulkSpan).meta({
      description: 'The spans, of one or more traces. Either all are stored or none, but for those of closed traces.',
    }),
    close_after: z
      .boolean()
      .nullish()
      .meta({ description: 'Whether to close the traces of the spans afterwards. False by default.' }),
  })
  .meta({ id: 'BulkSpansRequest' });

export type BulkSpan = z.infer<typeof bulkSpan>;
export type BulkRequest = z.infer<typeof bulkRequest>;
