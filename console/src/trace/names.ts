import type { Kind } from './kinds';
import type { Tree } from './tree';

/** All spans of a name and a kind. Times are in milliseconds. */
export interface NameTotals {
  key: string;
  name: string;
  kind: Kind;
  count: number;
  failed: number;
  /** The time of all of them; spans that run at once count twice. */
  total: number;
  own: number;
  tokens: number;
  cost: number;
  /** Position of the span with the most self time. */
  slowest: number;
}

/** Calls from spans of a name to spans of another one, or of the same. */
export interface NameCalls {
  from: string;
  to: string;
  count: number;
}

const keyOf = (kind: Kind, name: string): string => `${kind} ${name}`;

/** Totals of the spans of each name, the most self time first. */
export function totalsByName({ nodes }: Tree): NameTotals[] {
  const totals = new Map<string, NameTotals>();
  nodes.forEach(({ span, kind, failed, start, end, own }, place) => {
    const key = keyOf(kind, span.name);
    let sum = totals.get(key);
    if (!sum) {
      sum = { key, name: span.name, kind, count: 0, failed: 0, total: 0, own: 0, tokens: 0, cost: 0, slowest: place };
      totals.set(key, sum);
    }
    sum.count++;
    if (failed) sum.failed++;
    sum.total += (end - start) / 1000;
    sum.own += own;
    sum.tokens += (span.input_tokens ?? 0) + (span.output_tokens ?? 0);
    sum.cost += span.cost ?? 0;
    if (own > nodes[sum.slowest]!.own) sum.slowest = place;
  });
  return [...totals.values()].sort((a, b) => b.own - a.own || b.count - a.count);
}

/** How often spans of one name are the parents of spans of another. */
export function callsBetween({ nodes }: Tree): NameCalls[] {
  const calls = new Map<string, NameCalls>();
  for (const { span, kind, parent } of nodes) {
    const above = nodes[parent];
    if (!above) continue;
    const [from, to] = [keyOf(above.kind, above.span.name), keyOf(kind, span.name)];
    const key = JSON.stringify([from, to]);
    const known = calls.get(key);
    if (known) known.count++;
    else calls.set(key, { from, to, count: 1 });
  }
  return [...calls.values()];
}
