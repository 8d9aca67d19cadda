import type { NormalizedSpan } from './span.js';
import type { Reading, TraceConvention } from './convention.js';
import type { JsonObject } from '../platform/json.js';
import { SpanAttributes } from './attributes.js';
import { Convention } from './conventions.js';
import { readAs, readRecognised } from './reading.js';
import { failed } from './errors.js';
import { readUsage } from './usage.js';

/** Claude Code: spans of its session, of its tools and of its requests, in names without a prefix. */
@Convention({
  name: 'claude-code',
  order: 47,
  rank: 95,
  senders: 'Claude Code, and other command line tools whose counts have no prefix',
  words: {
    usage: { mixedPrefixes: [''] },
    cost: { totals: ['cost_usd', 'total_cost_usd'] },
    values: { input: ['new_context'], output: ['response.model_output'] },
  },
})
export class ClaudeCodeConvention implements TraceConvention {
  readonly name = 'claude-code';

  read(span: NormalizedSpan): Reading | null {
    if (!span.name.startsWith(PREFIX)) return null;
    const attributes = SpanAttributes.of(span);
    const kind = span.name.slice(PREFIX.length);
    if (kind !== 'llm_request') return readAs('other', span, attributes.withImplied({ node_type: spanTypeOf(kind) }));
    const given = attributes.withImplied(implied(attributes));
    return readRecognised(attributes.text('success') === 'false' ? failed(span) : span, given);
  }
}

const PREFIX = 'claude_code.';

function spanTypeOf(kind: string): string {
  if (kind === 'interaction') return 'LLM_SESSION';
  return kind.startsWith('tool') ? 'TOOL' : 'CODE_EXECUTION';
}

/** Claude Code counts cache reads and writes beside the input. The total makes `readUsage` recognise this. */
function implied(attributes: SpanAttributes): JsonObject {
  const { input, output, cached, cacheWrite } = readUsage(attributes);
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': attributes.text('model'),
    'gen_ai.usage.total_tokens': (input ?? 0) + (output ?? 0) + (cached ?? 0) + (cacheWrite ?? 0),
    'error.message': attributes.text('error'),
    'http.response.status_code': attributes.text('status_code'),
    'gen_ai.response.finish_reasons': attributes.text('stop_reason'),
  };
}
