/**
 * The only exports of this folder. docs/decisions/016-fast-path.md says when the fast path is taken, and the cost of
 * deleting it.
 */
export { FastPath } from './fast-path.js';
export type { NewSpans } from './new-spans.js';
