import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json.js';
import type { SpanTree } from '../../traces/index.js';
import { toTraceRow } from './trace-row.js';

type Node = SpanTree['root'];

const node = (name: string, children: Node[] = [], more: JsonObject = {}): Node =>
  ({ name, span_id: `id of ${name}`, ...more, children }) as Node;
const rowOf = (root: Node) => toTraceRow({ traceId: 't', root, latencyMs: null, calls: [] });

describe('a row of a trace', () => {
  it('has the span and its direct children in columns of their names', () => {
    const search = node('search', [node('fetch')]);
    const row = rowOf(node('agent', [search, node('answer')], { output: 'Yes' }));
    expect(Object.keys(row)).toEqual(['trace_id', 'span_id', 'output', 'agent', 'search', 'answer']);
    expect(row).toMatchObject({ trace_id: 't', span_id: 'id of agent', output: 'Yes', search });
    expect(row.agent).not.toHaveProperty('children');
  });

  it.each([
    ['the same name', ['tool', 'tool', 'tool'], ['tool', 'tool (2)', 'tool (3)']],
    ['the name of a column that every row has', ['output'], ['output (2)']],
    ['no name', ['', ' '], ['span', 'span (2)']],
    ['a name of an object', ['__proto__', 'constructor'], ['__proto__', 'constructor']],
    ['a name that is too long', ['é'.repeat(300), 'é'.repeat(300)], ['é'.repeat(255), `${'é'.repeat(251)} (2)`]],
  ])('gives spans with %s different titles', (_, names, titles) => {
    const row = rowOf(
      node(
        'agent',
        names.map((name) => node(name)),
      ),
    );
    expect(Object.keys(row).slice(4)).toEqual(titles);
  });
});
