import { type JsonObject, setOwn } from '../../platform/json.js';
import type { SpanTree } from '../../traces/index.js';

const LONGEST_TITLE = 255;

/**
 * A trace as a row of a dataset: the span, its output, and each of its direct children with everything inside it, in the order of
 * their start. Titles are the names of the spans, so that similar traces share their columns in any order.
 */
export function toTraceRow({ traceId, root }: SpanTree): JsonObject {
  const { children, ...anchor } = root;
  const row: JsonObject = { trace_id: traceId, span_id: root.span_id, output: root.output ?? null };
  for (const span of [anchor, ...children]) setOwn(row, freeTitle(row, String(span.name)), span);
  return row;
}

/** Adds a number to the title of a further span with the same name. */
function freeTitle(row: JsonObject, name: string): string {
  const title = name.trim() === '' ? 'span' : name;
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : ` (${count})`;
    const candidate = `${[...title].slice(0, LONGEST_TITLE - suffix.length).join('')}${suffix}`;
    if (!Object.hasOwn(row, candidate)) return candidate;
  }
}
