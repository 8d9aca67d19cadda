import type { JsonObject } from '../../platform/json.js';

/** A span with the spans inside it. */
export type SpanNode = JsonObject & { span_id: string; children: SpanNode[] };

/** A span and where it belongs. */
export interface PlacedSpan {
  node: SpanNode;
  parentId: string | null;
}

/**
 * The tree of a whole trace, of spans by start time. Its root is the first span without a parent, or the first of all while none
 * is there. Spans whose parent is missing, and further spans without one, are children of the root: nothing is left out.
 */
export function treeOfTrace(spans: PlacedSpan[]): SpanNode {
  const root = (spans.find(({ parentId }) => parentId === null) ?? spans[0]!).node;
  const parents = link(spans, root);
  for (const { node } of spans) if (node !== root && !parents.has(node)) root.children.push(node);
  // Spans that are each other's parents are cut off from the root: each such circle is opened where it begins.
  const reached = new Set(nodesOf(root));
  for (const { node } of spans) {
    if (reached.has(node)) continue;
    const siblings = parents.get(node)!.children;
    siblings.splice(siblings.indexOf(node), 1);
    root.children.push(node);
    for (const found of nodesOf(node)) reached.add(found);
  }
  return root;
}

/** The tree of one span of a trace; null when the trace has no such span. */
export function treeOfSpan(spans: PlacedSpan[], spanId: string): SpanNode | null {
  const root = spans.find(({ node }) => node.span_id === spanId)?.node;
  if (root) link(spans, root);
  return root ?? null;
}

/** All nodes of a tree, each once. */
export function nodesOf(root: SpanNode): SpanNode[] {
  const found = [root];
  for (let next = 0; next < found.length; next++) for (const child of found[next]!.children) found.push(child);
  return found;
}

/** Moves spans below their parents, in their order, except the root; returns the parents that exist. */
function link(spans: PlacedSpan[], root: SpanNode): Map<SpanNode, SpanNode> {
  const byId = new Map<string | null, SpanNode>(spans.map(({ node }) => [node.span_id, node]));
  const parents = new Map<SpanNode, SpanNode>();
  for (const { node, parentId } of spans) {
    const parent = byId.get(parentId);
    if (node === root || !parent) continue;
    parent.children.push(node);
    parents.set(node, parent);
  }
  return parents;
}
