import { describe, expect, it } from 'vitest';
import type { BareSpanBody } from '../api/schema.gen';
import { kindOf, readKinds } from './kinds';
import {
  buildTree,
  found,
  foldedAtFirst,
  foldedFrom,
  listed,
  nextPlace,
  longestAt,
  slowestFirst,
  ticks,
  timeOf,
  unfoldedTo,
} from './tree';

const BASE = Date.parse('2026-05-28T10:00:00Z');

/** A span with its start and end in milliseconds after the start of the trace. */
function span(id: string, parent: string | null, [from, to]: [number, number | null], more = {}): BareSpanBody {
  const at = (ms: number) => new Date(BASE + ms).toISOString();
  return {
    id: 1,
    span_id: id,
    parent_id: parent,
    name: `step ${id}`,
    kind: 'SpanKind.INTERNAL',
    span_type: 'CODE_EXECUTION',
    start_time: at(from),
    end_time: to === null ? null : at(to),
    duration_ms: to === null ? null : to - from,
    status_code: 'StatusCode.UNSET',
    request_log_id: null,
    model: null,
    input_tokens: null,
    output_tokens: null,
    cost: null,
    ...more,
  };
}

const NONE: ReadonlySet<never> = new Set();
const shape = (spans: BareSpanBody[]) =>
  buildTree(spans)
    .nodes.map(({ span: { span_id: id }, depth, below }) => `${id}${depth}${below}`)
    .join(' ');

const TRACE = [
  span('a', null, [0, 100]),
  span('b', 'a', [10, 40]),
  span('c', 'b', [20, 30], { status_code: 'StatusCode.ERROR', span_type: 'LLM_CALL', model: 'Echo-1' }),
  span('d', 'a', [30, 60]),
  span('e', 'd', [30, null]),
];

describe('the tree', () => {
  it('lists every span below its parent, in the order of their start', () => {
    expect(shape(TRACE)).toBe('a04 b11 c20 d11 e20');
  });

  it('begins with spans whose parent is missing, and loses none of those in a circle', () => {
    expect(shape([span('x', 'gone', [0, 1]), span('y', 'x', [1, 2])])).toBe('x01 y10');
    expect(shape([span('p', 'q', [0, 1]), span('q', 'p', [1, 2]), span('s', 's', [2, 3])])).toBe('p01 q10 s00');
    expect(shape([])).toBe('');
  });

  it('can be deeper than the stack of a program', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => span(String(at), at ? String(at - 1) : null, [at, 30_000]));
    const tree = buildTree(chain);
    expect(tree.nodes.at(-1)).toMatchObject({ depth: 19_999, below: 0 });
    expect(tree.nodes[0]!.below).toBe(19_999);
  });

  it('lets what runs end with the trace', () => {
    const { nodes, start, end } = buildTree(TRACE);
    expect(nodes[4]!.end).toBe(end);
    expect(end - start).toBe(100_000);
  });

  it('knows the time in which a span did not wait for others, however these overlap', () => {
    const tree = buildTree(TRACE);
    expect([0, 1, 2].map((place) => tree.nodes[place]!.own)).toEqual([50, 20, 10]);
    const overlapping = [span('a', null, [0, 100]), span('b', 'a', [10, 200]), span('c', 'a', [20, 30])];
    const { nodes } = buildTree(overlapping);
    expect(nodes[0]!.own).toBe(10);
    expect(slowestFirst(buildTree(overlapping))).toEqual([1, 0, 2]);
  });

  it('is found on the map: the longest that runs there', () => {
    const others = buildTree([span('a', null, [0, 100]), span('b', 'a', [10, 40]), span('c', 'a', [20, 30])]);
    const at = (ms: number) => ({ from: (BASE + ms) * 1000, to: (BASE + ms) * 1000 });
    expect(longestAt(others, { from: 0, to: 9 }, at(25))).toBe(0);
    expect(longestAt(others, { from: 1, to: 2 }, at(25))).toBe(1);
    expect(longestAt(others, { from: 1, to: 2 }, at(50))).toBeNull();
  });
});

describe('what is listed', () => {
  const tree = buildTree(TRACE);
  const ids = (places: number[]) => places.map((place) => tree.nodes[place]!.span.span_id).join('');

  it('omits spans below a fold, and filters by kinds when some are chosen', () => {
    expect(ids(listed(tree, NONE, NONE))).toBe('abcde');
    expect(ids(listed(tree, new Set([1]), NONE))).toBe('abde');
    expect(ids(listed(tree, new Set([0]), NONE))).toBe('a');
    expect(ids(listed(tree, new Set([0]), new Set(['model' as const])))).toBe('c');
  });

  it('is opened where something is to be shown', () => {
    const folded = foldedFrom(tree, 0);
    expect([...folded]).toEqual([0, 1, 3]);
    expect([...unfoldedTo(tree, folded, 2)]).toEqual([3]);
  });

  it('is two levels of a large trace at first', () => {
    const many = [span('a', null, [0, 1]), span('b', 'a', [0, 1])];
    for (let at = 0; at < 500; at++) many.push(span(`c${at}`, 'b', [0, 1]));
    const large = buildTree(many);
    expect(listed(large, foldedAtFirst(large), NONE)).toHaveLength(2);
    expect(foldedAtFirst(tree).size).toBe(0);
  });
});

it('finds spans by name and model, and the next that failed, round and round', () => {
  const tree = buildTree(TRACE);
  expect([...found(tree, ' ECHO ')]).toEqual([2]);
  expect([...found(tree, 'step')]).toHaveLength(5);
  expect(found(tree, '  ').size).toBe(0);
  expect([0, 2, 4].map((from) => nextPlace(tree, from, ({ failed }) => failed))).toEqual([2, 2, 2]);
  expect(nextPlace(tree, 0, () => false)).toBeNull();
});

it('the axis has round times, and a margin', () => {
  expect(ticks({ from: 0, to: 1000 }, 0)).toEqual([0, 200, 400, 600, 800, 1000]);
  expect(ticks({ from: 130, to: 190 }, 100)).toEqual([30, 40, 50, 60, 70, 80, 90]);
  expect(ticks({ from: 5, to: 5 }, 5)).toEqual([]);
  const tree = buildTree(TRACE);
  const { from, to } = timeOf(tree, [1]);
  expect([from - tree.start, to - tree.start]).toEqual([10_000 - 600, 40_000 + 600]);
});

it.each([
  ['LLM_CALL', 'model'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['EMBEDDING', 'embedding'],
  ['LLM_SESSION', 'agent'],
  ['CODE_EXECUTION', 'code'],
  ['anything', 'code'],
])('%s is of the kind %s', (type, kind) => expect(kindOf(type)).toBe(kind));

it('kinds of the URL are those that exist', () => {
  expect([...readKinds('tool,nonsense,model')]).toEqual(['model', 'tool']);
  expect(readKinds('').size).toBe(0);
});
