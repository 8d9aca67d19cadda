import { graphlib, layout } from '@dagrejs/dagre';

export const BOX = { width: 176, height: 44 };
const MARGIN = 16;
/** Room for a label of an arrow. */
const LABEL = { character: 6, height: 14 };

export interface Point {
  x: number;
  y: number;
}

export interface Placed<B, A> {
  /** Each with the middle of its box. */
  boxes: (B & Point)[];
  /** Each with the middle of its label. */
  arrows: (A & Point & { points: Point[] })[];
  width: number;
  height: number;
}

/** Places boxes from the left to the right along their arrows. Arrows of missing boxes are dropped. */
export function placeGraph<B extends { key: string }, A extends { from: string; to: string; label?: string }>(
  boxes: readonly B[],
  arrows: readonly A[],
): Placed<B, A> {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 56, marginx: MARGIN, marginy: MARGIN });
  for (const { key } of boxes) graph.setNode(key, { ...BOX });
  const shown = arrows.filter(({ from, to }) => graph.hasNode(from) && graph.hasNode(to) && from !== to);
  for (const { from, to, label } of shown) graph.setEdge(from, to, sizeOf(label));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    boxes: boxes.map((box) => ({ ...box, ...placeOf(graph.node(box.key)) })),
    arrows: shown.map((arrow) => {
      const edge = graph.edge(arrow.from, arrow.to);
      return { ...arrow, ...placeOf(edge), points: edge.points ?? [] };
    }),
    width,
    height,
  };
}

const sizeOf = (label: string | undefined) =>
  label ? { width: label.length * LABEL.character, height: LABEL.height, labelpos: 'c' } : {};

const placeOf = ({ x, y }: { x?: number; y?: number }): Point => ({ x: x ?? 0, y: y ?? 0 });
