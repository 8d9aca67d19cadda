import { type ComparedCall, sameness, sumsUp } from './same-call.js';

/** A span that is a call, stored or about to be, as far as its place among other calls is concerned. */
export interface CallNode {
  key: string;
  parentKey: string | null;
  spanId: string;
  startNs: bigint;
  /** Spans of one unit are known to be one call. */
  unit: string;
  /** The log was reported for the span, not read from it. */
  isGiven: boolean;
  record: ComparedCall;
}

/**
 * Which of these spans are one call: the units of each call that has several. A call is the same as one call inside it
 * at most, whatever was tried before that one.
 */
export function sameCalls(nodes: CallNode[]): Set<string>[] {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const inside = new Map<CallNode, CallNode[]>();
  for (const node of nodes) {
    const parent = node.parentKey === null ? undefined : byKey.get(node.parentKey);
    if (parent && parent !== node) inside.set(parent, [...(inside.get(parent) ?? []), node]);
  }
  const units = new Units();
  for (const [outer, inner] of inside) {
    if (inner.some(({ unit }) => unit === outer.unit)) continue;
    const same = sameInside(outer, inner.sort(byStart));
    if (same) units.join(outer.unit, same.unit);
  }
  return units.joined();
}

/** The last one that is surely the same, else the last that may be, else the last of those that the call sums up. */
function sameInside(outer: CallNode, inner: CallNode[]): CallNode | undefined {
  const candidates = inner.filter(({ isGiven }) => !isGiven || !outer.isGiven);
  const rated = candidates.map((node) => ({ node, sure: sameness(outer.record, node.record) }));
  const found = rated.findLast(({ sure }) => sure === 2) ?? rated.findLast(({ sure }) => sure === 1);
  if (found) return found.node;
  const isSum =
    !outer.isGiven &&
    sumsUp(
      outer.record,
      inner.map(({ record }) => record),
    );
  return isSum ? candidates.at(-1) : undefined;
}

const byStart = (a: CallNode, b: CallNode): number =>
  a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : a.spanId < b.spanId ? -1 : 1;

class Units {
  private readonly groups = new Map<string, Set<string>>();

  join(a: string, b: string): void {
    const all = new Set([...this.of(a), ...this.of(b)]);
    for (const unit of all) this.groups.set(unit, all);
  }

  joined(): Set<string>[] {
    return [...new Set(this.groups.values())];
  }

  private of(unit: string): Set<string> {
    return this.groups.get(unit) ?? new Set([unit]);
  }
}

/** Outer calls first. */
export function outerFirst<T extends CallNode>(nodes: T[]): T[] {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const depthOf = (node: CallNode): number => {
    let depth = 0;
    // Parents may go round in a circle.
    for (let at = node; depth < nodes.length && at.parentKey !== null && byKey.has(at.parentKey); depth++) {
      at = byKey.get(at.parentKey)!;
    }
    return depth;
  };
  const depths = new Map(nodes.map((node) => [node, depthOf(node)]));
  return [...nodes].sort((a, b) => depths.get(a)! - depths.get(b)! || byStart(a, b));
}
