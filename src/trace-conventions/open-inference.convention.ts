import type { NormalizedSpan } from './span.js';
import type { JsonValue } from '../platform/json.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { openInferenceMessages } from './open-inference.messages.js';
import { completionTexts } from './completion-texts.js';
import { any } from './kind-marks.js';
import { impliedModel } from './payloads.js';
import { readAs, readRecognised } from './reading.js';
import { reportsUsage } from './usage.js';

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
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('openinference.span.kind')) return null;
    if (isHelper(span, attributes)) return readAs('other', span, attributes);
    const request = attributes.object('llm.invocation_parameters');
    return readRecognised(span, attributes.withImplied(impliedModel(request, inputOf(attributes))));
  }
}

/** LlamaIndex makes a span of every method of a model, named after class and method. These call the model themselves. */
const LLAMA_INDEX = /llama[._-]?index/i;
const CALLING_METHOD = /^\w+\._?a?(?:stream_)?(?:chat|complete)$/;
/** These prepare a call, or make it by another method. */
const HELPING_METHOD =
  /^\w+\.(?:_?a?(?:prepare|validate|extend|convert|get|parse|update)_\w+|a?(?:stream_)?(?:structured_)?predict\w*|a?(?:stream_)?chat_with_tools|a?(?:stream_)?structured_predict\w*|as_structured_llm)$/;

/** A method around a call, or one that only prepares it; the call itself has the usage. */
function isHelper({ name, source: { scope } }: NormalizedSpan, attributes: SpanAttributes): boolean {
  const isOfLlamaIndex = LLAMA_INDEX.test(scope.name) && /^\w+\.\w+$/.test(name) && !CALLING_METHOD.test(name);
  return (isOfLlamaIndex || HELPING_METHOD.test(name)) && !reportsUsage(attributes);
}

/** The input of a call as JSON. A failed call names its model only there. */
function inputOf(attributes: SpanAttributes): JsonValue | undefined {
  const isJson = attributes.text('input.mime_type') !== 'text/plain';
  return isJson && attributes.text('openinference.span.kind')?.toUpperCase() === 'LLM'
    ? attributes.json('input.value')
    : undefined;
}
