export { openIndex } from './open-index.js';
export type { Found, Order, Reading } from './questions/reading.js';
export type { PhraseWord, Question } from './questions/question.js';
export { type DocumentTerms, type IndexedDocument, SegmentBuilder } from './segments/segment-builder.js';
export { type Segment, START } from './segments/segment.js';
export type { IndexOf } from './segments/segments.queries.js';
export type { SoughtTerm } from './segments/term-table.js';
export { addSegment, forgetDocuments, mergeSegments } from './segments/write-index.js';
