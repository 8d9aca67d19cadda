import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { JsonField, JsonObjectField, NumberField, TextField } from '../../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { SpanWithSource } from '../shared/trace-spans.queries.js';
import { SpanBody, spanText } from '../shared/span-body.dto.js';
import { readSpanDetail } from './span-detail.js';

class DocumentBody {
  @TextField({ nullable: true, description: 'The id of the document in its store; null if the span has none.' })
  id: string | null;

  @TextField({ nullable: true, description: 'The text of the document; null if the span has none.' })
  content: string | null;

  @NumberField({ nullable: true, description: 'The score of the document, on the scale of its store; null for none.' })
  score: number | null;

  @JsonObjectField({ description: 'The metadata of the document, by name.' })
  metadata: JsonObject;
}

export class SpanDetailBody extends SpanBody {
  @JsonField({
    nullable: true,
    description:
      'The input of the span, read by the conventions of its sender: JSON where it is JSON, else text; null if the span has none. The request log of a model call has its messages.',
  })
  input: JsonValue;

  @JsonField({ nullable: true, description: 'The output of the span, read like `input`.' })
  output: JsonValue;

  @ApiProperty({
    type: () => [DocumentBody],
    nullable: true,
    description: 'The documents that a retrieval found, in its order; null if the span names none.',
  })
  documents: DocumentBody[] | null;

  @NumberField({
    nullable: true,
    description: 'Milliseconds from the start to the first piece of the answer; null if the span does not say so.',
  })
  first_token_ms: number | null;
}

export class SpanResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => SpanDetailBody, description: 'The span with everything it has.' })
  span: SpanDetailBody;
}

/** A span with its details, as JSON text. */
export function spanDetailText(traceId: string, span: SpanWithSource): string {
  const { firstTokenMs, ...read } = readSpanDetail(span);
  const detail: Omit<SpanDetailBody, keyof SpanBody> = { ...read, first_token_ms: firstTokenMs };
  return `${JSON.stringify(detail).slice(0, -1)},${spanText(traceId, span).slice(1)}`;
}
