import type { KindMark } from './kind-mark.js';
import type { SpanAttributes } from './attributes.js';
import { type Words, wordsOf } from './words.js';

export const any = (): boolean => true;

/** Kinds of spans around calls, in the words of conventions whose other kinds are unknown. */
const AROUND_CALLS =
  /^(?:agent|chain|custom|embedd(?:ing|er)|evaluator|event|flow(?:_?step)?|function|guardrail|handoff|helper|indexer|mcp_tools|memory|parser|(?:executable-)?prompt|rerank(?:er)?|resource|retriever|span|speech(?:_group)?|task|tool(?:\.v2)?|transcription|turn|util|workflow)$/i;
export const isAroundCalls = (kind: string): boolean => AROUND_CALLS.test(kind);

const markWords = ({ marks }: Words): KindMark[] | undefined => marks;

/** Kinds as span types. */
const SPAN_TYPES: [kind: RegExp, spanType: string][] = [
  [/^(?:agent|chain|workflow|flow)$/i, 'LLM_SESSION'],
  [/^(?:tool|function)$|^ai\.toolCall$/i, 'TOOL'],
  [/^(?:retriever|reranker|a?rerank)$|\.doRerank$/i, 'RETRIEVER'],
  [/^a?embeddings?$|^embedder$|\.doEmbed$/i, 'EMBEDDING'],
  [/^ai\.(?:generate|stream)(?:Text|Object)$/, 'LLM_SESSION'],
];

/**
 * Whether conventions mark the span as a call of a language model; null when none does. One rule for all: a mark that
 * denies a call beats one that claims it.
 */
export function markedAsCall(attributes: SpanAttributes): boolean | null {
  let claimed: boolean | null = null;
  for (const { key, llm, isOther } of marksOf(attributes)) {
    const kind = kindAt(attributes, key);
    if (kind === null) continue;
    if (llm.test(kind)) claimed = true;
    else if (isOther(kind)) return false;
  }
  return claimed;
}

/** The span type for a mark; null when none is known. */
export function markedSpanType(attributes: SpanAttributes): string | null {
  for (const { key } of marksOf(attributes)) {
    const kind = kindAt(attributes, key) ?? '';
    const found = SPAN_TYPES.find(([pattern]) => pattern.test(kind));
    if (found) return found[1];
  }
  return null;
}

const marksOf = (attributes: SpanAttributes): readonly KindMark[] =>
  attributes.among(wordsOf(markWords), ({ key }) => [key]);

/** MLflow writes every attribute as JSON, so its texts come in quotes. The Vercel SDK names a function after its operation. */
function kindAt(attributes: SpanAttributes, key: string): string | null {
  const kind = attributes.text(key)?.trim().split(' ', 1)[0];
  return kind?.replace(/^"(.*)"$/, '$1') ?? null;
}
