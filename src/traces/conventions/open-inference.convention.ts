import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { openInferenceMessages } from './open-inference.messages.js';
import { completionTexts } from './completion-texts.js';
import { any } from './kind-marks.js';
import { readRecognised } from './reading.js';

/** OpenInference, which many instrumentations of frameworks write: `openinference.span.kind` is on every span. */
@Convention({
  name: 'open-inference',
  order: 10,
  senders:
    'Arize and Phoenix, and the OpenInference instrumentations of LlamaIndex, LangChain, DSPy, CrewAI, AutoGen, Haystack, smolagents, Agno, BeeAI, Strands, Google ADK and others',
  words: {
    model: {
      requested: ['llm.request.model_name', 'llm.model_name', 'llm.response.model_name', ['embedding.model_name', 31]],
      answering: ['llm.response.model_name'],
      called: ['llm.model_name'],
    },
    provider: ['llm.provider', 'llm.system'],
    usage: { prefixes: ['llm.token_count.'] },
    cost: {
      totals: ['llm.cost.total', 'llm.cost.total_cost'],
      parts: [
        [
          {
            whole: 'llm.cost.prompt',
            of: ['input', 'cache_input', 'cache_read', 'cache_write', 'audio'].map(
              (part) => `llm.cost.prompt_details.${part}`,
            ),
          },
          {
            whole: 'llm.cost.completion',
            of: ['output', 'reasoning', 'audio'].map((part) => `llm.cost.completion_details.${part}`),
          },
        ],
      ],
    },
    tags: ['tag.tags'],
    metadata: [
      { strength: 40, object: 'metadata' },
      { strength: 41, prefix: 'metadata.' },
    ],
    parameters: { objects: ['llm.invocation_parameters'] },
    tools: [['llm.invocation_parameters', 'tools']],
    variables: ['llm.prompt_template.variables'],
    finishReasons: ['llm.finish_reason'],
    messages: [openInferenceMessages],
    texts: [completionTexts],
    marks: [{ key: 'openinference.span.kind', llm: /^llm$/i, isOther: any }],
    values: { input: ['input.value'], output: ['output.value'] },
  },
})
export class OpenInferenceConvention implements TraceConvention {
  readonly name = 'open-inference';

  read(span: NormalizedSpan): Reading | null {
    return SpanAttributes.of(span).has('openinference.span.kind') ? readRecognised(span) : null;
  }
}
