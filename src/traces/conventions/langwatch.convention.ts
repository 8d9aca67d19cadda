import type { MessageSource } from './message-source.js';
import type { NormalizedSpan } from '../span.js';
import type { Reading, TraceConvention } from './convention.js';
import { isObject, type JsonValue } from '../../platform/json.js';
import { readMessages } from '../../llm/messages/messages.js';
import type { SpanAttributes } from './attributes.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { readMarked } from './reading.js';

const langWatchMessages: MessageSource = {
  keys: ['langwatch.input', 'langwatch.output'],
  input: ({ attributes }) => readMessages(typedValue(attributes, 'langwatch.input'), 'user'),
  output: ({ attributes }) => readMessages(typedValue(attributes, 'langwatch.output'), 'assistant'),
};

/** `{type, value}`. */
function typedValue(attributes: SpanAttributes, key: string): JsonValue | undefined {
  const given = attributes.json(key);
  return isObject(given) && typeof given.type === 'string' && given.value !== undefined ? given.value : given;
}

/** LangWatch: input, output and numbers are values with a type. */
@Convention({
  name: 'langwatch',
  order: 56,
  senders: 'LangWatch',
  words: {
    usage: { objects: [['langwatch.metrics', 'value'], 'langwatch.metrics'] },
    cost: {
      mixedObjects: [['langwatch.metrics', 'value'], 'langwatch.metrics'],
    },
    user: [['langwatch.user.id', 79]],
    conversation: [['langwatch.thread.id', 79]],
    tags: ['langwatch.tags'],
    marks: [{ key: 'langwatch.span.type', llm: /^llm$/i, isOther: isAroundCalls }],
    messages: [langWatchMessages],
  },
})
export class LangWatchConvention implements TraceConvention {
  readonly name = 'langwatch';

  read(span: NormalizedSpan): Reading | null {
    return readMarked(span, 'langwatch.span.type');
  }
}
