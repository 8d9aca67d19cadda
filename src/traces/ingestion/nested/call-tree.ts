import { type ComparedCall, contradict, hasUsage, sameness, sumsUp } from './same-call.js';

/** A span that is a call, stored or about to be, with the fields that decide its position among other calls. */
export interface CallNode {
  key: string;
  parentKey: string | null;
  spanId: string;
  startNs: bigint;
  endNs: bigint;
  /** Its trace and the id of its answer, as one text; null when the span has no id. */
  responseKey: string | null;
  /** Spans of one unit are known to be one call. */
  unit: string;
  /** The log was reported for the span, not read from it. */
  isGiven: boolean;
  record: ComparedCall;
}

/**
 * Finds spans that are one call: the units of each call that has several. Calls at the same time whose answers have the
 * same id are one, wherever they are in the trace. Otherwise a call is the same as at most one call inside it, whatever
 * was tried before that one.
 */
export function sameCalls(nodes: CallNode[]): Set<string>[] {
  const units = new Units();
  for (const sharing of groupsBy(nodes, ({ responseKey }) => responseKey)) joinSharing(sharing.sort(byStart), units);
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const inside = groupsBy(nodes, ({ key, parentKey }) => (parentKey === key ? null : parentKey));
  for (const inner of inside) {
    const outer = byKey.get(inner[0]!.parentKey!);
    if (!outer || inner.some(({ unit }) => units.areOne(unit, outer.unit))) continue;
    const same = sameInside(outer, inner.sort(byStart), units);
    if (same) units.join(outer.unit, same.unit);
  }
  return units.joined();
}

function groupsBy(nodes: CallNode[], keyOf: (node: CallNode) => string | null): CallNode[][] {
  const groups = new Map<string, CallNode[]>();
  for (const node of nodes) {
    const key = keyOf(node);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return [...groups.values()];
}

/**
 * Joins calls whose answers have one id. A call that begins after another has ended is separate: an answer from a cache
 * keeps its id.
 */
function joinSharing(nodes: CallNode[], units: Units): void {
  for (const [index, first] of nodes.entries()) {
    for (const second of nodes.slice(index + 1)) {
      if (second.startNs > first.endNs) break;
      if (first.isGiven && second.isGiven) continue;
      if (!contradict(first.record, second.record)) units.join(first.unit, second.unit);
    }
  }
}

/** The last one that is certainly the same, else the last that may be, else the last of those that the call sums up. */
function sameInside(outer: CallNode, inner: CallNode[], units: Units): CallNode | undefined {
  const candidates = inner.filter(({ isGiven }) => !isGiven || !outer.isGiven);
  const rated = candidates.map((node) => ({ node, sure: sameness(outer.record, node.record) }));
  const found = rated.findLast(({ sure }) => sure === 2) ?? rated.findLast(({ sure }) => sure === 1);
  if (found) return found.node;
  const isSum = !outer.isGiven && sumsUp(outer.record, recordsOfCalls(inner, units));
  return isSum ? candidates.at(-1) : undefined;
}

/** One record for each call; where a call is several spans, one that counts tokens. */
function recordsOfCalls(nodes: CallNode[], units: Units): ComparedCall[] {
  const records: CallNode[] = [];
  for (const node of nodes) {
    const at = records.findIndex(({ unit }) => units.areOne(unit, node.unit));
    if (at < 0) records.push(node);
    else if (!hasUsage(records[at]!.record.call.usage)) records[at] = node;
  }
  return records.map(({ record }) => record);
}

/** Calls that start together are sorted by end, the last first, because it contains the others. */
const byStart = (a: CallNode, b: CallNode): number =>
  compare(a.startNs, b.startNs) || compare(b.endNs, a.endNs) || compare(a.spanId, b.spanId);

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

class Units {
  private readonly groups = new Map<string, Set<string>>();

  join(a: string, b: string): void {
    if (this.areOne(a, b)) return;
    const all = new Set([...this.of(a), ...this.of(b)]);
    for (const unit of all) this.groups.set(unit, all);
  }

  areOne(a: string, b: string): boolean {
    return a === b || this.groups.get(a)?.has(b) === true;
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
