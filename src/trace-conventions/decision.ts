import { canonicalSpanId, isFindable, type NormalizedSpan } from './span.js';
import type { SpanAttributes } from './attributes.js';
import { hasMessages } from './conversation.js';
import { markedAsCall, markedSpanType } from './kind-marks.js';
import { namesCalledModel } from './models.js';
import { isLlmOperation, operationOf, readOtherOperation } from './operations.js';
import { namesProvider } from './providers.js';
import { reportsUsage } from './usage.js';

/** `foreign`: another convention marks the span as something other than a call. */
export type Decision = 'llm' | 'other' | 'foreign' | 'unknown';

/** Operations that are stronger than a node type. */
const DECIDING_OPERATIONS = new Set(['chat', 'text_completion', 'generate_content']);

const OTHER_NODE_TYPES = new Set(['CODE_EXECUTION', 'LLM_SESSION', 'EVAL', 'TOOL']);

/** Whether a span is a call of a language model, by its operation, its type of node and the marks of conventions. */
export function decide(span: NormalizedSpan, attributes: SpanAttributes): Decision {
  if (isManaged(attributes)) return 'other';
  const marked = span.name === 'raw_gen_ai_request' ? false : markedAsCall(attributes);
  if (marked === false) return 'foreign';
  if (readOtherOperation(attributes) !== null) return 'other';
  const operation = operationOf(attributes) ?? '';
  const nodeType = attributes.text('node_type') ?? '';
  const said = decideByMarkers(operation, nodeType);
  if (said) return said;
  if (marked || looksLikeCall(span, attributes)) return 'llm';
  return operation !== '' || nodeType !== '' ? 'other' : 'unknown';
}

/** The decision by operation and node type; null when neither decides. */
function decideByMarkers(operation: string, nodeType: string): Decision | null {
  if (OTHER_NODE_TYPES.has(nodeType) && !DECIDING_OPERATIONS.has(operation)) return 'other';
  return isLlmOperation(operation) || nodeType === 'LLM_CALL' ? 'llm' : null;
}

/** The span whose log a managed span belongs to; null for a span that is not managed or has no valid id. */
export function managingSpanId(attributes: SpanAttributes): string | null {
  const id = isManaged(attributes) ? attributes.text('promptlayer.request_log.span_id')?.trim() : undefined;
  return id !== undefined && isFindable(id) ? canonicalSpanId(id) : null;
}

/** The log of a managed span is reported by other means. */
function isManaged(attributes: SpanAttributes): boolean {
  return attributes.text('promptlayer.request_log.managed')?.trim().toLowerCase() === 'true';
}

/** The span's `node_type`, else the type that its markers imply. */
export function spanTypeOf(decision: Decision, attributes: SpanAttributes): string {
  const given = nodeTypeOf(attributes);
  if (given !== null) return given;
  if (decision === 'llm') return 'LLM_CALL';
  return impliedSpanType(attributes) ?? (attributes.has('gen_ai.tool.name') ? 'TOOL' : 'CODE_EXECUTION');
}

/** Whether a span is an embedding that is not managed: managed ones are counted where they are logged. */
export function isEmbedding(attributes: SpanAttributes): boolean {
  const spanTypes = [impliedSpanType(attributes), nodeTypeOf(attributes)];
  return spanTypes.includes('EMBEDDING') && !isManaged(attributes);
}

function nodeTypeOf(attributes: SpanAttributes): string | null {
  return attributes.text('node_type')?.trim() ?? null;
}

/** The span type for an operation or a mark that is no call; null when neither is known. */
function impliedSpanType(attributes: SpanAttributes): string | null {
  return readOtherOperation(attributes) ?? markedSpanType(attributes);
}

/**
 * A span without an operation that names a model and has other marks of calls. Implied attributes are ignored, because
 * they come from payloads.
 */
function looksLikeCall(span: NormalizedSpan, { given: attributes }: SpanAttributes): boolean {
  if (!namesCalledModel(attributes) || attributes.has('gen_ai.tool.name')) return false;
  return namesProvider(attributes) || reportsUsage(attributes) || hasMessages(span, attributes);
}
