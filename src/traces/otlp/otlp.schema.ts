import { z } from 'zod';

/**
 * OTLP in JSON, for the OpenAPI document. The decoder reads bodies itself: it ignores unknown keys and skips attributes
 * it cannot read. In the JSON of protobuf null stands for a field that is not set.
 */
const int64 = z.int().meta({ format: 'int64', minimum: undefined, maximum: undefined });
const nanoseconds = z
  .union([z.string().regex(/^\d+$/), int64.meta({ minimum: 0 })])
  .meta({ description: 'Nanoseconds since the epoch, as digits or a number.', example: '1780000000000000000' });

const valuesOf = (item: z.ZodType, description: string) =>
  z.object({ values: z.array(item).meta({ description }) }).partial();

const AnyValue: z.ZodType = z
  .object({
    stringValue: z.string().meta({ description: 'A text.' }),
    boolValue: z.boolean().meta({ description: 'True or false.' }),
    intValue: z.union([z.string(), int64]).meta({ description: 'A 64-bit integer, as digits or a number.' }),
    doubleValue: z
      .union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])])
      .meta({ description: 'A floating-point number.' }),
    bytesValue: z.string().meta({ format: 'byte', description: 'Bytes in base64.' }),
    get arrayValue() {
      return valuesOf(AnyValue, 'The items.').meta({ description: 'A list of values.' });
    },
    get kvlistValue() {
      return valuesOf(KeyValue, 'The keys and values.').meta({ description: 'Values by key.' });
    },
  })
  .partial()
  .meta({ id: 'OtlpAnyValue', description: 'A value: exactly one of the keys.' });

const KeyValue: z.ZodType = z
  .object({
    key: z.string().meta({ description: 'The name.' }),
    value: AnyValue.nullish().meta({ description: 'The value; null or absent for none.' }),
  })
  .meta({ id: 'OtlpKeyValue', example: { key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o-mini' } } });

const attributes = z
  .array(KeyValue)
  .nullish()
  .meta({ description: 'The attributes. Of a key that comes twice the last value counts.' });
const traceState = z.string().nullish().meta({ description: 'The W3C `tracestate`.' });
const schemaUrl = z.string().nullish().meta({ description: 'The schema of the attributes.' });
const traceId = z.string().meta({ description: 'The id of the trace: 32 hexadecimal digits, not all 0.' });
const spanId = z.string().meta({ description: 'The id of the span: 16 hexadecimal digits, not all 0.' });

const Event = z
  .object({
    timeUnixNano: nanoseconds
      .nullish()
      .meta({ description: 'When it happened: nanoseconds since the epoch, as digits or a number.' }),
    name: z.string().nullish().meta({ description: 'The name of the event, such as `exception`.' }),
    attributes,
  })
  .meta({ id: 'OtlpEvent' });

const Link = z.object({ traceId, spanId, traceState, attributes }).meta({ id: 'OtlpLink' });

const SPAN_KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUS_CODES = ['UNSET', 'OK', 'ERROR'];
const named = (prefix: string, list: string[]) =>
  z.union([z.int().min(0), z.enum(list.map((name) => `${prefix}_${name}`) as [string, ...string[]])]).nullish();

const Status = z.object({
  code: named('STATUS_CODE', STATUS_CODES).meta({
    description: 'The status, as a number or a name. Unset by default.',
  }),
  message: z.string().nullish().meta({ description: 'The status message, usually that of an error.' }),
});

const Span = z
  .object({
    traceId,
    spanId,
    traceState,
    parentSpanId: z.string().nullish().meta({ description: 'The id of the parent span; empty or absent for a root.' }),
    name: z.string().meta({ description: 'The name of the span.' }),
    kind: named('SPAN_KIND', SPAN_KINDS).meta({
      description: 'The kind of the span, as a number or a name. Unspecified by default.',
    }),
    startTimeUnixNano: nanoseconds.meta({
      description: 'When the span began: nanoseconds since the epoch, as digits or a number.',
    }),
    endTimeUnixNano: nanoseconds.nullish().meta({ description: 'When the span ended; null or 0 while it is running.' }),
    attributes,
    events: z.array(Event).nullish().meta({ description: 'The events of the span.' }),
    links: z.array(Link).nullish().meta({ description: 'Spans that this one is connected with besides its parent.' }),
    status: Status.nullish().meta({ description: 'Whether the span succeeded. Unset by default.' }),
  })
  .meta({ id: 'OtlpSpan' });

const Scope = z
  .object({
    name: z.string().nullish().meta({ description: 'The instrumentation that made the spans.' }),
    version: z.string().nullish().meta({ description: 'The version of the instrumentation.' }),
    attributes,
  })
  .meta({ id: 'OtlpScope' });

const ScopeSpans = z
  .object({
    scope: Scope.nullish().meta({ description: 'The instrumentation that made the spans.' }),
    spans: z.array(Span).nullish().meta({ description: 'The spans.' }),
    schemaUrl,
  })
  .meta({ id: 'OtlpScopeSpans' });

const ResourceSpans = z
  .object({
    resource: z
      .object({ attributes })
      .nullish()
      .meta({ description: 'The resource that sends the spans, such as a service.' }),
    scopeSpans: z.array(ScopeSpans).nullish().meta({ description: 'The spans by instrumentation.' }),
    schemaUrl,
  })
  .meta({ id: 'OtlpResourceSpans' });

const resourceSpans = z.array(ResourceSpans).nullish().meta({ description: 'The spans by resource.' });

z.object({ resourceSpans }).meta({
  id: 'OtlpRequest',
  description: 'An `ExportTraceServiceRequest`. Unknown keys are ignored.',
});

export const OTLP_REQUEST = { $ref: '#/components/schemas/OtlpRequest' };
