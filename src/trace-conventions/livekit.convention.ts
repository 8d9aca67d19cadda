import type { NormalizedSpan } from './span.js';
import type { Reading, TraceConvention } from './convention.js';
import { SpanAttributes } from './attributes.js';
import { Convention } from './conventions.js';
import { readRecognised } from './reading.js';

/** The request, and the step of an agent around it, which is a call only if it names a model itself. */
const NAMES = new Set(['llm_request', 'llm_node']);

/** LiveKit's voice agents: the conversation is in events, or in `lk.chat_ctx` and `lk.response.*`. */
@Convention({
  name: 'livekit',
  order: 90,
  senders: 'LiveKit Agents',
  words: {
    usage: { objects: ['lk.llm_metrics', 'lk.realtime_model_metrics'] },
    tools: [['lk.function_tools']],
    values: { input: ['lk.chat_ctx'], output: ['lk.response.text', 'lk.response.function_calls'] },
  },
})
export class LiveKitConvention implements TraceConvention {
  readonly name = 'livekit';

  read(span: NormalizedSpan): Reading | null {
    if (!NAMES.has(span.name)) return null;
    const reading = readRecognised(span);
    const isUntold = reading.kind === 'other' && !SpanAttributes.of(span).has('node_type');
    return isUntold && span.name === 'llm_node' ? { kind: 'other', spanType: 'LLM_SESSION' } : reading;
  }
}
