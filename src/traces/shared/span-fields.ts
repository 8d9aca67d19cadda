import { DateTimeField, IntegerField, NumberField, TextField } from '../../platform/http/fields.js';

/** Fields of a span that several responses have. */
export const SpanNumberField = (): PropertyDecorator =>
  IntegerField({
    description: 'The number of the span on this server. It stays the same when the span is sent again.',
  });

export const SpanIdField = (): PropertyDecorator => TextField({ description: 'The id of the span, as it was sent.' });

export const ParentIdField = (): PropertyDecorator =>
  TextField({
    nullable: true,
    description: 'The `span_id` of the parent, which may not have arrived yet; null for a root.',
  });

export const SpanNameField = (): PropertyDecorator => TextField({ description: 'The name of the span.' });

export const SpanKindField = (): PropertyDecorator =>
  TextField({ description: 'The kind of the span in OpenTelemetry.', example: 'SpanKind.CLIENT' });

export const SpanTypeField = (): PropertyDecorator =>
  TextField({
    description: 'The type of the span, derived from its attributes, such as `LLM_CALL`, `LLM_SESSION` or `TOOL`.',
    example: 'LLM_CALL',
  });

export const SpanStatusField = (): PropertyDecorator =>
  TextField({ description: '`StatusCode.OK`, `StatusCode.ERROR` or `StatusCode.UNSET`.', example: 'StatusCode.OK' });

export const SpanStartField = (): PropertyDecorator => DateTimeField({ description: 'When the span began.' });

export const SpanEndField = (): PropertyDecorator =>
  DateTimeField({ nullable: true, description: 'When the span ended; null while it is running.' });

export const SpanDurationField = (): PropertyDecorator =>
  NumberField({
    nullable: true,
    description: 'The time from start to end in milliseconds; null while the span is running.',
  });

export const SpanModelField = (): PropertyDecorator =>
  TextField({ nullable: true, description: 'The model that the span names; null when it names none.' });

export const SpanInputTokensField = (): PropertyDecorator =>
  IntegerField({ nullable: true, description: 'Input tokens, as the span reports them; null when it reports none.' });

export const SpanOutputTokensField = (): PropertyDecorator =>
  IntegerField({ nullable: true, description: 'Output tokens, as the span reports them; null when it reports none.' });

export const SpanCostField = (): PropertyDecorator =>
  NumberField({
    nullable: true,
    description: 'The cost of the model call or embedding in US dollars; null if no price is known.',
  });

export const SpanLogField = (): PropertyDecorator =>
  IntegerField({ nullable: true, description: 'The request log that the span became; null when it is no model call.' });

export const LastOutputField = (): PropertyDecorator =>
  TextField({
    nullable: true,
    description: 'The first 500 characters of the output of the span that ended last; null if no span has one.',
  });
