import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { typeOfOtherOperation } from './operations.js';
import { any } from './kind-marks.js';
import { flattenedMessages } from './gen-ai.messages.js';
import { readRecognised } from './reading.js';

/** OpenLLMetry by Traceloop: calls name their type, everything around them names its kind. */
@Convention({
  name: 'open-llmetry',
  order: 50,
  rank: 15,
  senders: 'OpenLLMetry by Traceloop',
  words: {
    usage: { prefixes: ['llm.usage.'] },
    cost: { prefixes: ['llm.usage.', 'llm.cost.'] },
    user: [['traceloop.association.properties.user_id', 21]],
    conversation: [['traceloop.association.properties.session_id', 21]],
    tags: ['traceloop.association.properties.tags'],
    metadata: [{ strength: 60, prefix: 'traceloop.association.properties.' }],
    parameters: {
      named: {
        top_k: ['llm.top_k'],
        frequency_penalty: ['llm.frequency_penalty'],
        presence_penalty: ['llm.presence_penalty'],
        stop_sequences: ['llm.chat.stop_sequences'],
        stream: ['llm.is_streaming'],
      },
    },
    variables: ['traceloop.prompt.template_variables'],
    messages: [flattenedMessages],
    marks: [
      // Present on workflows, tasks, agents and tools only.
      { key: 'traceloop.span.kind', llm: /^$/, isOther: any },
      {
        key: 'llm.request.type',
        llm: /^(?:chat|a?(?:text_)?completion|a?responses|anthropic_messages|a?generate_content(?:_stream)?)$/i,
        isOther: (kind) => typeOfOtherOperation(kind.toLowerCase()) !== null,
      },
    ],
    responseIds: ['llm.response.id', 'llm.response_id'],
    values: { input: ['traceloop.entity.input'], output: ['traceloop.entity.output'] },
  },
})
export class OpenLlmetryConvention implements TraceConvention {
  readonly name = 'open-llmetry';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    const isOwn = attributes.has('traceloop.span.kind') || attributes.has('llm.request.type');
    return isOwn ? readRecognised(span) : null;
  }
}
