import type { Problem } from './problem.js';

/** An error as a protocol with a form of its own words it. */
export interface ShapedError {
  status: number;
  type: string;
  body: object;
}

type Shape = (problem: Problem) => ShapedError;

const shapes = new Map<string, Shape>();

/** All paths that begin so answer errors in a form of their own, those without a route included. */
export function shapeErrorsBelow(prefix: string, shape: Shape): void {
  shapes.set(prefix, shape);
}

/** Null for paths with the usual form. */
export function shapeOf(path: string): Shape | null {
  for (const [prefix, shape] of shapes) if (path.startsWith(prefix)) return shape;
  return null;
}
