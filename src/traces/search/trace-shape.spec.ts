import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ShapeSpan, shapeOf } from './trace-shape.js';

const span = (spanId: string, parentId: string | null, more: Partial<ShapeSpan> = {}): ShapeSpan => ({
  spanId,
  parentId,
  startNs: BigInt(spanId.charCodeAt(0)),
  promptId: null,
  workflowId: null,
  ...more,
});

describe('the form of a trace', () => {
  it.each<[string, ShapeSpan[], string, number]>([
    ['a single span', [span('a', null)], 'a', 1],
    ['a chain', [span('a', null), span('b', 'a'), span('c', 'b')], 'a', 3],
    ['the longest of several ways', [span('a', null), span('b', 'a'), span('c', 'b'), span('d', 'a')], 'a', 3],
    ['two tops: the earlier is the root', [span('b', null), span('a', null), span('c', 'b'), span('d', 'c')], 'a', 3],
    ['an orphan as a top, even the earliest', [span('a', 'gone'), span('b', null)], 'a', 1],
    ['the longest way below an orphan', [span('a', null), span('b', 'gone'), span('c', 'b')], 'a', 2],
    ['a span that is its own parent', [span('a', 'a'), span('b', 'a')], 'a', 2],
    ['a circle, cut above its earliest span', [span('b', 'a'), span('a', 'c'), span('c', 'b')], 'a', 3],
    ['a tail that leads into a circle', [span('c', 'd'), span('d', 'c'), span('a', 'd')], 'c', 3],
    ['a circle beside a root', [span('a', null), span('b', 'c'), span('c', 'b')], 'a', 2],
  ])('knows %s', (_, spans, root, depth) => {
    expect(shapeOf(spans)).toMatchObject({ rootSpanId: root, depth });
  });

  it('takes the smaller id of two that start together', () => {
    const together = ['b', 'a'].map((id) => span(id, null, { startNs: 7n }));
    expect(shapeOf(together).rootSpanId).toBe('a');
  });

  it('passes prompts and workflows up to every span above', () => {
    const spans = [
      span('a', null, { workflowId: 'w' }),
      span('b', 'a', { promptId: 10 }),
      span('c', 'b', { promptId: 9, workflowId: 'v' }),
      span('d', 'a'),
    ];
    expect(Object.fromEntries(shapeOf(spans).subtrees())).toEqual({
      a: { promptIds: [9, 10], workflowIds: ['v', 'w'] },
      b: { promptIds: [9, 10], workflowIds: ['v'] },
      c: { promptIds: [9], workflowIds: ['v'] },
    });
  });

  it('is the same in any order, ends for any parents, and counts no more than there is', () => {
    const spans = fc
      .array(fc.tuple(fc.option(fc.integer({ min: -1, max: 8 })), fc.integer({ min: 0, max: 3 })), {
        minLength: 1,
        maxLength: 9,
      })
      .map((drawn) =>
        drawn.map(([parent, start], index) =>
          span(`s${index}`, parent === null ? null : `s${parent}`, { startNs: BigInt(start), promptId: index }),
        ),
      );
    const shuffled = spans.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        const { subtrees, ...shape } = shapeOf(all);
        const again = shapeOf(other);
        expect(again).toMatchObject(shape);
        expect(again.subtrees()).toEqual(subtrees());
        expect(shape.depth).toBeGreaterThanOrEqual(1);
        expect(shape.depth).toBeLessThanOrEqual(all.length);
      }),
    );
  });

  it('is computed for a chain of 50,000 spans', () => {
    const chain = Array.from({ length: 50_000 }, (_, index) =>
      span(`s${index}`, index === 0 ? null : `s${index - 1}`, { startNs: BigInt(index), workflowId: 'w' }),
    );
    const shape = shapeOf(chain);
    expect([shape.depth, shape.subtrees().size]).toEqual([50_000, 50_000]);
  });
});
