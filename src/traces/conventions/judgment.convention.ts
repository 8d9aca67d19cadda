import type { NormalizedSpan } from '../span.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { readMarked } from './reading.js';

/** Judgment: the kind of a span, its numbers, its input and its output. */
@Convention({
  name: 'judgment',
  order: 57,
  senders: 'Judgment',
  words: {
    model: { requested: ['judgment.llm.model'], called: ['judgment.llm.model'] },
    provider: ['judgment.llm.provider'],
    usage: { prefixes: ['judgment.usage.'] },
    cost: { prefixes: ['judgment.usage.'] },
    user: [['judgment.customer_user_id', 79]],
    conversation: [['judgment.session_id', 79]],
    marks: [{ key: 'judgment.span_kind', llm: /^llm$/i, isOther: isAroundCalls }],
    values: { input: ['judgment.input'], output: ['judgment.output'] },
  },
})
export class JudgmentConvention implements TraceConvention {
  readonly name = 'judgment';

  read(span: NormalizedSpan): Reading | null {
    return readMarked(span, 'judgment.span_kind');
  }
}
