import type { BareSpanBody } from '../api/schema.gen';
import { microseconds } from '../ui/format';
import { type Kind, kindOf } from './kinds';

/** A span in the tree. Its position is its number in the list when all nodes are open. */
export interface Node {
  span: BareSpanBody;
  kind: Kind;
  failed: boolean;
  /** -1 for a span without a parent in the trace. */
  parent: number;
  depth: number;
  /** Number of nodes below it; they follow it directly. */
  below: number;
  /** Microseconds since the epoch. A running span ends with the trace. */
  start: number;
  end: number;
  /** Self time: milliseconds in which it did not wait for its children. */
  own: number;
}

export interface Tree {
  nodes: Node[];
  start: number;
  end: number;
  placeOf: Map<string, number>;
}

/**
 * Sorts the children of each parent by start time. Spans with a missing parent, and spans that are their own ancestors,
 * are roots.
 */
export function buildTree(spans: BareSpanBody[]): Tree {
  const times = spans.map(({ start_time: start, end_time: end }) => ({
    start: microseconds(start),
    end: end === null ? null : microseconds(end),
  }));
  const bounds = boundsOf(times);
  const { children, roots } = childrenOf(spans);
  const nodes: Node[] = [];
  const placeOf = new Map<string, number>();
  const add = (at: number, parent: number): number => {
    const span = spans[at]!;
    const { start, end } = times[at]!;
    const place = nodes.length;
    nodes.push({
      span,
      kind: kindOf(span.span_type),
      failed: span.status_code === 'StatusCode.ERROR',
      parent,
      depth: parent < 0 ? 0 : nodes[parent]!.depth + 1,
      below: 0,
      start,
      end: Math.max(start, end ?? bounds.end),
      own: 0,
    });
    placeOf.set(span.span_id, place);
    return place;
  };
  for (const root of roots) addBelow(root, { add, spans, children, placeOf });
  for (const at of spans.keys()) if (!placeOf.has(spans[at]!.span_id)) addBelow(at, { add, spans, children, placeOf });
  countBelow(nodes);
  nodes.forEach((node, place) => (node.own = ownTime(nodes, place)));
  return { nodes, ...bounds, placeOf };
}

interface Growth {
  add: (at: number, parent: number) => number;
  spans: BareSpanBody[];
  children: Map<string, number[]>;
  placeOf: Map<string, number>;
}

/** Uses a stack of its own: a trace may be deeper than the call stack. */
function addBelow(root: number, { add, spans, children, placeOf }: Growth): void {
  const stack = [{ at: root, parent: -1 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const id = spans[next.at]!.span_id;
    if (placeOf.has(id)) continue;
    const place = add(next.at, next.parent);
    for (const child of (children.get(id) ?? []).toReversed()) stack.push({ at: child, parent: place });
  }
}

function childrenOf(spans: BareSpanBody[]): { children: Map<string, number[]>; roots: number[] } {
  const known = new Set(spans.map(({ span_id: id }) => id));
  const children = new Map<string, number[]>();
  const roots: number[] = [];
  spans.forEach(({ parent_id: parent }, at) => {
    if (parent === null || !known.has(parent)) roots.push(at);
    else children.set(parent, [...(children.get(parent) ?? []), at]);
  });
  return { children, roots };
}

function countBelow(nodes: Node[]): void {
  for (let place = nodes.length - 1; place >= 0; place--) {
    const { parent, below } = nodes[place]!;
    if (parent >= 0) nodes[parent]!.below += below + 1;
  }
}

function boundsOf(times: { start: number; end: number | null }[]): { start: number; end: number } {
  let start = Infinity;
  let end = -Infinity;
  for (const time of times) {
    start = Math.min(start, time.start);
    end = Math.max(end, time.end ?? time.start);
  }
  return { start, end };
}

/** The positions to list: without those below a folded one, or only those of the given kinds. */
export function listed({ nodes }: Tree, folded: ReadonlySet<number>, kinds: ReadonlySet<Kind>): number[] {
  const places: number[] = [];
  for (let place = 0; place < nodes.length; place++) {
    const { kind, below } = nodes[place]!;
    if (kinds.size === 0) {
      places.push(place);
      if (folded.has(place)) place += below;
    } else if (kinds.has(kind)) places.push(place);
  }
  return places;
}

/** Traces with more spans open only two levels at first. */
const MANY = 400;

export const isLarge = ({ nodes }: Tree): boolean => nodes.length > MANY;

/** The positions that are folded at first. */
export function foldedAtFirst(tree: Tree): Set<number> {
  return isLarge(tree) ? foldedFrom(tree, 1) : new Set();
}

/** All positions with children, from a depth on. */
export function foldedFrom({ nodes }: Tree, depth: number): Set<number> {
  return new Set(nodes.flatMap((node, place) => (node.below > 0 && node.depth >= depth ? [place] : [])));
}

/** The folds without those that hide a position. */
export function unfoldedTo({ nodes }: Tree, folded: ReadonlySet<number>, place: number): Set<number> {
  const open = new Set(folded);
  for (let at = nodes[place]!.parent; at >= 0; at = nodes[at]!.parent) open.delete(at);
  return open;
}

/** The next matching position after `from`, then from the beginning; null without a match. */
export function nextPlace({ nodes }: Tree, from: number, has: (node: Node, place: number) => boolean): number | null {
  for (let step = 1; step <= nodes.length; step++) {
    const place = (from + step) % nodes.length;
    if (has(nodes[place]!, place)) return place;
  }
  return null;
}

/** Spans whose name or model contains the text. */
export function found({ nodes }: Tree, text: string): Set<number> {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return new Set();
  const has = ({ span }: Node) =>
    span.name.toLowerCase().includes(wanted) || (span.model ?? '').toLowerCase().includes(wanted);
  return new Set(nodes.flatMap((node, place) => (has(node) ? [place] : [])));
}

function ownTime(nodes: Node[], place: number): number {
  const { start, end, below } = nodes[place]!;
  let covered = 0;
  let until = start;
  // Children are in the order of their start.
  for (let at = place + 1; at <= place + below; at += nodes[at]!.below + 1) {
    const child = nodes[at]!;
    const from = Math.max(child.start, until);
    const to = Math.min(child.end, end);
    if (to > from) covered += to - from;
    until = Math.max(until, to);
  }
  return (end - start - covered) / 1000;
}

/** Positions by self time, the slowest first. */
export function slowestFirst({ nodes }: Tree): number[] {
  return [...nodes.keys()].sort((a, b) => nodes[b]!.own - nodes[a]!.own || a - b);
}

/** The longest listed span in a range of time and of positions; null when there is none. */
export function longestAt({ nodes }: Tree, { from, to }: Range, time: Range): number | null {
  let longest: number | null = null;
  for (let place = Math.max(0, from); place <= Math.min(nodes.length - 1, to); place++) {
    const { start, end } = nodes[place]!;
    if (end < time.from || start > time.to) continue;
    if (longest === null || end - start > nodes[longest]!.end - nodes[longest]!.start) longest = place;
  }
  return longest;
}

export interface Range {
  from: number;
  to: number;
}

/** The time range of some positions, with a small margin. */
export function timeOf({ nodes, start, end }: Tree, places: number[]): Range {
  if (places.length === 0) return { from: start, to: end };
  const from = Math.min(...places.map((place) => nodes[place]!.start));
  const to = Math.max(...places.map((place) => nodes[place]!.end));
  const room = Math.max((to - from) * 0.02, 1);
  return { from: from - room, to: to + room };
}

/** Round times within a range, in microseconds after `origin`. */
export function ticks({ from, to }: Range, origin: number, most = 6): number[] {
  const least = (to - from) / most;
  if (!(least > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least) ?? least;
  const first = Math.ceil((from - origin) / step) * step;
  const count = Math.floor((to - origin - first) / step) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * step);
}
