import { z } from 'zod';

/**
 * What OTLP in JSON looks like, for the OpenAPI document. The decoder reads bodies; it ignores keys it does not know and
 * leaves out attributes it cannot read. In the JSON of protobuf null stands for a field that is not set.
 */
const int64 = z.int().meta({ format: 'int64', minimum: undefined, maximum: undefined });
const nanoseconds = z
  .union([z.string().regex(/^\d+$/), int64.meta({ minimum: 0 })])
  .meta({ description: 'Nanoseconds since the epoch, as digits or a number.', example: '1780000000000000000' });

const AnyValue: z.ZodType = z
  .object({
    stringValue: z.string(),
    boolValue: z.boolean(),
    intValue: z.union([z.string(), int64]),
    doubleValue: z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]),
    bytesValue: z.string().meta({ format: 'byte' }),
    get arrayValue() {
      return z.object({ values: z.array(AnyValue) }).partial();
    },
    get kvlistValue() {
      return z.object({ values: z.array(KeyValue) }).partial();
    },
  })
  .partial()
  .meta({ id: 'OtlpAnyValue', description: 'One of the keys.' });

const KeyValue: z.ZodType = z
  .object({ key: z.string(), value: AnyValue.nullish() })
  .meta({ id: 'OtlpKeyValue', example: { key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o-mini' } } });

const attributes = z.array(KeyValue).nullish();
const traceId = z.string().meta({ description: '32 hexadecimal digits, not all 0.' });
const spanId = z.string().meta({ description: '16 hexadecimal digits, not all 0.' });

const Event = z
  .object({ timeUnixNano: nanoseconds.nullish(), name: z.string().nullish(), attributes })
  .meta({ id: 'OtlpEvent' });

const Link = z.object({ traceId, spanId, traceState: z.string().nullish(), attributes }).meta({ id: 'OtlpLink' });

const SPAN_KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUS_CODES = ['UNSET', 'OK', 'ERROR'];
const named = (prefix: string, list: string[]) =>
  z.union([z.int().min(0), z.enum(list.map((name) => `${prefix}_${name}`) as [string, ...string[]])]).nullish();

const Span = z
  .object({
    traceId,
    spanId,
    traceState: z.string().nullish(),
    parentSpanId: z.string().nullish().meta({ description: 'Empty or absent for the root of the trace.' }),
    name: z.string(),
    kind: named('SPAN_KIND', SPAN_KINDS),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds.nullish().meta({ description: 'Null or 0 while the span still runs.' }),
    attributes,
    events: z.array(Event).nullish(),
    links: z.array(Link).nullish(),
    status: z.object({ code: named('STATUS_CODE', STATUS_CODES), message: z.string().nullish() }).nullish(),
  })
  .meta({ id: 'OtlpSpan' });

const Scope = z
  .object({ name: z.string().nullish(), version: z.string().nullish(), attributes })
  .meta({ id: 'OtlpScope' });

const ScopeSpans = z
  .object({ scope: Scope.nullish(), spans: z.array(Span).nullish(), schemaUrl: z.string().nullish() })
  .meta({ id: 'OtlpScopeSpans' });

const ResourceSpans = z
  .object({
    resource: z.object({ attributes }).nullish(),
    scopeSpans: z.array(ScopeSpans).nullish(),
    schemaUrl: z.string().nullish(),
  })
  .meta({ id: 'OtlpResourceSpans' });

z.object({ resourceSpans: z.array(ResourceSpans).nullish() }).meta({
  id: 'OtlpRequest',
  description: 'An `ExportTraceServiceRequest`. Unknown keys are ignored.',
});

export const OTLP_REQUEST = { $ref: '#/components/schemas/OtlpRequest' };
