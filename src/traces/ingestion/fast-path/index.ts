/** The one door of this folder: docs/decisions/016-fast-path.md says when it is taken, and what deleting it would cost. */
export { FastPath } from './fast-path.js';
export type { NewSpans } from './new-spans.js';
