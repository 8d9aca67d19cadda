import type { SpanAttributes } from './attributes.js';

interface KindMark {
  key: string;
  /** The kinds that are calls of a language model. All others are none. */
  llm: RegExp;
  /** Kinds that say nothing either way. */
  neutral?: RegExp;
}

/** How conventions mark the kind of a span. One rule for all: a mark that denies a call beats one that claims it. */
const MARKS: KindMark[] = [
  { key: 'openinference.span.kind', llm: /^llm$/i },
  // Present on workflows, tasks, agents and tools only.
  { key: 'traceloop.span.kind', llm: /^$/ },
  { key: 'langsmith.span.kind', llm: /^llm$/i },
  {
    key: 'llm.request.type',
    llm: /^(?:chat|a?(?:text_)?completion|a?responses|anthropic_messages|a?generate_content(?:_stream)?)$/i,
    neutral: /^unknown$/i,
  },
  { key: 'ai.operationId', llm: /\.(?:doGenerate|doStream)$/ },
  { key: 'mlflow.spanType', llm: /^(?:llm|chat_model)$/i },
  { key: 'langfuse.observation.type', llm: /^generation$/i },
  { key: 'openai_agents.span_type', llm: /^(?:generation|response)$/i },
  { key: 'genkit:type', llm: /^model$/i, neutral: /^action$/i },
  { key: 'genkit:metadata:subtype', llm: /^model$/i },
];

/** The same kinds as span types. */
const SPAN_TYPES: [kind: RegExp, spanType: string][] = [
  [/^(?:agent|chain|workflow|flow)$/i, 'LLM_SESSION'],
  [/^(?:tool|function)$|^ai\.toolCall$/i, 'TOOL'],
  [/^(?:retriever|reranker|rerank)$/i, 'RETRIEVER'],
  [/^a?embedding$|^embedder$|\.doEmbed$/i, 'EMBEDDING'],
  [/^ai\.(?:generate|stream)(?:Text|Object)$/, 'LLM_SESSION'],
];

/** Whether other conventions mark the span as a call of a language model; null when none says anything. */
export function markedAsCall(attributes: SpanAttributes): boolean | null {
  let claimed: boolean | null = null;
  for (const { key, llm, neutral } of marksOf(attributes)) {
    const kind = kindAt(attributes, key);
    if (kind === null || neutral?.test(kind)) continue;
    if (!llm.test(kind)) return false;
    claimed = true;
  }
  return claimed;
}

/** The span type that a mark stands for; null when none is known. */
export function markedSpanType(attributes: SpanAttributes): string | null {
  for (const { key } of marksOf(attributes)) {
    const kind = kindAt(attributes, key) ?? '';
    const found = SPAN_TYPES.find(([pattern]) => pattern.test(kind));
    if (found) return found[1];
  }
  return null;
}

const marksOf = (attributes: SpanAttributes): readonly KindMark[] => attributes.among(MARKS, ({ key }) => [key]);

/** MLflow writes every attribute as JSON, so its texts come in quotes. */
function kindAt(attributes: SpanAttributes, key: string): string | null {
  return (
    attributes
      .text(key)
      ?.trim()
      .replace(/^"(.*)"$/, '$1') ?? null
  );
}
