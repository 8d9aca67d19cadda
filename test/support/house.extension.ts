import { Module } from '@nestjs/common';
import {
  Convention,
  type NormalizedSpan,
  type Reading,
  readRecognised,
  SpanAttributes,
  type TraceConvention,
} from '../../src/traces/index.js';

/** A convention as a company might have one of its own. */
@Convention({ name: 'house', order: 5 })
class HouseConvention implements TraceConvention {
  readonly name = 'house';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('house.model')) return null;
    const implied = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'house',
      'gen_ai.request.model': attributes.text('house.model'),
      'gen_ai.input.messages': [{ role: 'user', content: attributes.text('house.question') }],
    };
    return readRecognised(span, attributes.withImplied(implied));
  }
}

@Module({ providers: [HouseConvention] })
export default class HouseModule {}
