import { describe, expect, it } from 'vitest';
import { type PlacedSpan, type SpanNode, treeOfSpan, treeOfTrace } from './span-tree.js';

/** Spans in the order they started, each with its parent. */
const placed = (...spans: [id: string, parent: string | null][]): PlacedSpan[] =>
  spans.map(([span_id, parentId]) => ({ node: { span_id, children: [] }, parentId }));

const shapeOf = ({ span_id, children }: SpanNode): string =>
  children.length === 0 ? span_id : `${span_id}(${children.map(shapeOf).join(' ')})`;

describe('the tree of a trace', () => {
  it.each<[string, PlacedSpan[], string]>([
    ['a span alone', placed(['a', null]), 'a'],
    ['children in their order', placed(['a', null], ['b', 'a'], ['c', 'b'], ['d', 'a']), 'a(b(c) d)'],
    ['a parent that started later', placed(['b', 'a'], ['a', null]), 'a(b)'],
    ['a missing parent', placed(['a', null], ['b', 'x'], ['c', 'b']), 'a(b(c))'],
    ['two without a parent', placed(['a', null], ['b', null], ['c', 'b']), 'a(b(c))'],
    ['none without a parent', placed(['b', 'x'], ['c', 'x'], ['d', 'c']), 'b(c(d))'],
    ['a circle', placed(['a', null], ['b', 'c'], ['c', 'b'], ['d', 'c']), 'a(b(c(d)))'],
    ['what hangs on a circle', placed(['a', null], ['d', 'c'], ['b', 'c'], ['c', 'b']), 'a(d b(c))'],
    ['nothing but a circle', placed(['a', 'b'], ['b', 'a']), 'a(b)'],
    ['a span that is its own parent', placed(['a', null], ['b', 'b']), 'a(b)'],
  ])('has %s', (_, spans, shape) => expect(shapeOf(treeOfTrace(spans))).toBe(shape));
});

describe('the tree of a span', () => {
  const spans = () => placed(['a', null], ['b', 'a'], ['c', 'b'], ['d', 'a'], ['e', 'x']);

  it.each([
    ['a', 'a(b(c) d)'],
    ['b', 'b(c)'],
    ['e', 'e'],
  ])('%s has what is inside it', (id, shape) => expect(shapeOf(treeOfSpan(spans(), id)!)).toBe(shape));

  it('is nothing where the trace lacks the span', () => expect(treeOfSpan(spans(), 'y')).toBeNull());
  it('ends in a circle', () => expect(shapeOf(treeOfSpan(placed(['a', 'b'], ['b', 'a']), 'a')!)).toBe('a(b)'));
});
