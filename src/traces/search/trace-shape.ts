/** A span with the fields that determine the shape of its trace. */
export interface ShapeSpan {
  spanId: string;
  parentId: string | null;
  startNs: bigint;
  promptId: number | null;
  workflowId: string | null;
}

/** The shape of a trace, independent of the order in which its spans came. */
export interface TraceShape {
  /** The earliest span without a parent in the trace. */
  rootSpanId: string;
  /** Spans on the longest way from a span without a parent down to a leaf. */
  depth: number;
  /**
   * Ids of prompts and workflows of each span and everything below it, sorted, for spans that have any. Only ids known
   * when it is called are included.
   */
  subtrees(): Map<string, Subtree>;
}

export interface Subtree {
  promptIds: number[];
  workflowIds: string[];
}

/** Earlier first; of two that start at the same moment the one with the smaller id. */
export function byStart(a: Pick<ShapeSpan, 'startNs' | 'spanId'>, b: Pick<ShapeSpan, 'startNs' | 'spanId'>): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1;
  return a.spanId < b.spanId ? -1 : a.spanId > b.spanId ? 1 : 0;
}

/**
 * The form of a trace with at least one span. A span whose parent is not there counts as one without a parent. Parents
 * that go round in a circle are cut above the earliest span of the circle.
 */
export function shapeOf(spans: ShapeSpan[]): TraceShape {
  const sorted = [...spans].sort(byStart);
  const parents = parentsOf(sorted);
  const tops = sorted.filter((span) => parents.get(span) === null);
  const downwards = topDown(sorted, parents);
  return {
    rootSpanId: tops[0]!.spanId,
    depth: depthOf(downwards, parents),
    subtrees: () => subtreesOf(downwards, parents),
  };
}

type Parents = Map<ShapeSpan, ShapeSpan | null>;

function parentsOf(sorted: ShapeSpan[]): Parents {
  const byId = new Map(sorted.map((span) => [span.spanId, span]));
  const parents: Parents = new Map(
    sorted.map((span) => [span, span.parentId === null ? null : (byId.get(span.parentId) ?? null)]),
  );
  cutCircles(sorted, parents);
  return parents;
}

/** Walks up from every span, earliest first, and stops where an earlier walk has been. */
function cutCircles(sorted: ShapeSpan[], parents: Parents): void {
  const walkOf = new Map<ShapeSpan, number>();
  sorted.forEach((start, walk) => {
    let span: ShapeSpan | null = start;
    while (span !== null && !walkOf.has(span)) {
      walkOf.set(span, walk);
      span = parents.get(span) ?? null;
    }
    if (span !== null && walkOf.get(span) === walk) parents.set(earliestOfCircle(span, parents), null);
  });
}

function earliestOfCircle(member: ShapeSpan, parents: Parents): ShapeSpan {
  let earliest = member;
  for (let span = parents.get(member)!; span !== member; span = parents.get(span)!) {
    if (byStart(span, earliest) < 0) earliest = span;
  }
  return earliest;
}

/** Every span after its parent. */
function topDown(sorted: ShapeSpan[], parents: Parents): ShapeSpan[] {
  const children = new Map<ShapeSpan | null, ShapeSpan[]>();
  for (const span of sorted) {
    const parent = parents.get(span) ?? null;
    const siblings = children.get(parent);
    if (siblings) siblings.push(span);
    else children.set(parent, [span]);
  }
  const ordered = [...(children.get(null) ?? [])];
  // The list grows while it is walked.
  for (const span of ordered) for (const child of children.get(span) ?? []) ordered.push(child);
  return ordered;
}

function depthOf(downwards: ShapeSpan[], parents: Parents): number {
  const depths = new Map<ShapeSpan | null, number>([[null, 0]]);
  let deepest = 0;
  for (const span of downwards) {
    const depth = depths.get(parents.get(span) ?? null)! + 1;
    depths.set(span, depth);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Ids that a span passes on to all spans above it; a hostile trace would pass on millions. */
const MOST_IDS = 200;

function subtreesOf(downwards: ShapeSpan[], parents: Parents): Map<string, Subtree> {
  const prompts = collectUpwards(downwards, parents, (span) => span.promptId);
  const workflows = collectUpwards(downwards, parents, (span) => span.workflowId);
  const subtrees = new Map<string, Subtree>();
  for (const span of downwards) {
    const promptIds = [...(prompts.get(span) ?? [])].sort((a, b) => a - b);
    const workflowIds = [...(workflows.get(span) ?? [])].sort();
    if (promptIds.length + workflowIds.length > 0) subtrees.set(span.spanId, { promptIds, workflowIds });
  }
  return subtrees;
}

function collectUpwards<T>(
  downwards: ShapeSpan[],
  parents: Parents,
  valueOf: (span: ShapeSpan) => T | null,
): Map<ShapeSpan, Set<T>> {
  const found = new Map<ShapeSpan, Set<T>>();
  for (const span of downwards.toReversed()) {
    const own = valueOf(span);
    if (own !== null) found.set(span, (found.get(span) ?? new Set()).add(own));
    const parent = parents.get(span) ?? null;
    const values = found.get(span);
    if (parent === null || values === undefined) continue;
    const above = found.get(parent) ?? new Set();
    for (const value of values) if (above.size < MOST_IDS) above.add(value);
    found.set(parent, above);
  }
  return found;
}
