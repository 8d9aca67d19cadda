import { type IncomingSpan, spanKeyOf } from '../incoming-span.js';
import type { CallPlace } from '../nested/nested-calls.queries.js';

/** The calls among the spans of a request, as long as none of them is inside another one. */
export class NewCalls {
  /** Where they are in their traces. */
  readonly places: CallPlace[] = [];
  private readonly keys = new Set<string>();
  private readonly parentKeys = new Set<string>();

  /** False where the call is inside another one or around it. Of calls that came beside their spans each is one of its own. */
  add({ workspaceId, traceKey, spanKey, span, given }: IncomingSpan): boolean {
    const { traceId, spanId, parentId } = span;
    this.places.push({ workspaceId, traceId, spanId, parentId });
    if (given) return true;
    const parentKey = parentId === null ? null : spanKeyOf(traceKey, parentId);
    if (this.parentKeys.has(spanKey) || (parentKey !== null && this.keys.has(parentKey))) return false;
    this.keys.add(spanKey);
    if (parentKey !== null) this.parentKeys.add(parentKey);
    return true;
  }
}
