import { type IncomingSpan, spanKeyOf } from '../incoming-span.js';
import { type CallPlace, placeOf } from '../nested/nested-calls.queries.js';

/** The calls among the spans of a request, as long as no two of them may be one. */
export class NewCalls {
  /** Where they are in their traces. */
  readonly places: CallPlace[] = [];
  private readonly keys = new Set<string>();
  private readonly parentKeys = new Set<string>();
  private readonly responseKeys = new Set<string>();

  /**
   * False where the call is inside another one or around it, or its answer has the id of another. A call that came
   * beside its span is always separate.
   */
  add(incoming: IncomingSpan): boolean {
    const { traceKey, spanKey, span, given, responseId } = incoming;
    this.places.push(placeOf(incoming));
    if (responseId !== null && !this.addResponse(traceKey, responseId)) return false;
    if (given) return true;
    const parentKey = span.parentId === null ? null : spanKeyOf(traceKey, span.parentId);
    if (this.parentKeys.has(spanKey) || (parentKey !== null && this.keys.has(parentKey))) return false;
    this.keys.add(spanKey);
    if (parentKey !== null) this.parentKeys.add(parentKey);
    return true;
  }

  private addResponse(traceKey: string, responseId: string): boolean {
    const key = spanKeyOf(traceKey, responseId);
    const isNew = !this.responseKeys.has(key);
    this.responseKeys.add(key);
    return isNew;
  }
}
