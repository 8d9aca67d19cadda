export { TraceConventionsModule } from './trace-conventions.module.js';
export { SpanAttributes, toNumber } from './attributes.js';
export { DecodedAttributes, NO_ATTRIBUTES } from './attributes/decoded-attributes.js';
export type { KeySequence } from './attributes/key-sequence.js';
export { AttributePacker, type Place } from './attributes/packed-attributes.js';
export type { Reading, TraceConvention } from './convention.js';
export { Convention, Conventions } from './conventions.js';
export { messageSources } from './conversation.js';
export { managingSpanId } from './decision.js';
export { readEmbedding } from './embedding.js';
export { inputWords, outputWords } from './generic.messages.js';
export { idText } from './id-text.js';
export { readIndexed } from './indexed.js';
export type { Told } from './message-source.js';
export { readMetadata } from './metadata.js';
export { type Priced, readPriced } from './priced.js';
export { readInputVariables } from './prompt-reference.js';
export { readMarked, readRecognised } from './reading.js';
export { knownNames, senderReferences } from './reference.js';
export { readResponseId } from './response-id.js';
export { readSpanFacts } from './span-facts.js';
export {
  canonicalSpanId,
  canonicalTraceId,
  type NormalizedSpan,
  SPAN_KINDS,
  SPAN_STATUSES,
  type SpanEvent,
  type SpanKind,
  type SpanLink,
  type SpanSource,
  type SpanStatus,
} from './span.js';
export { readTags } from './tags.js';
export { derivedFromWords, wordsOf } from './words.js';
