import { expect, it } from 'vitest';
import { type Draft, emptyDraft } from './draft';
import { caseOf, withCases } from './rows';

it('writes values of cells as cases', () => {
  const cells = { a: { value: 'Where?' }, b: { value: [1] }, c: { value: null } };
  expect(caseOf(cells, { question: 'a', list: 'b', nothing: 'c', unmapped: null, gone: 'd' })).toEqual({
    question: 'Where?',
    list: '[\n  1\n]',
    nothing: '',
    gone: '',
  });
});

it('keeps cases in which something was typed', () => {
  const from = { key: 's', title: 'Sheet', href: '/' };
  const draft: Draft = { ...emptyDraft(), cases: [{}, { q: 'typed' }, { q: '' }] };
  expect(withCases(draft, [{ q: 'row' }], from)).toMatchObject({ cases: [{ q: 'typed' }, { q: 'row' }], rows: from });
});
