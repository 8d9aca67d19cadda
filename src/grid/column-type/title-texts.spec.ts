import { describe, expect, it } from 'vitest';
import { renameInText, unknownName } from './title-texts.js';

const ID = 'aaaaaaaa-0000-4000-8000-000000000000';
const columns = [
  { id: ID, title: 'question' },
  { id: 'bbbbbbbb-0000-4000-8000-000000000000', title: 'answer' },
  { id: 'cccccccc-0000-4000-8000-000000000000', title: 'answer' },
];

describe('a text that names columns', () => {
  it.each([
    ['{question}: {answer} or {answer (2)}', { question: 'Q' }, '{Q}: {answer} or {answer (2)}'],
    ['{question}{question}', { question: '$&' }, '{$&}{$&}'],
    [`{${ID}}`, { question: 'Q' }, `{${ID}}`],
    ['{question}', { question: 'a{b' }, `{${ID}}`],
    ['{answer} {question}', { question: 'answer' }, '{answer (2)} {answer}'],
    ['{gone} and question', { question: 'Q' }, '{gone} and question'],
    ['{{question}}', { question: 'Q' }, '{{Q}}'],
  ])('%s with %o becomes %s', (text, titles: Record<string, string>, expected) => {
    const byId = columns.flatMap(({ id, title }): [string, string][] => (titles[title] ? [[id, titles[title]]] : []));
    expect(renameInText(text, columns, new Map(byId))).toBe(expected);
  });

  it.each([
    ['{question} {answer (2)}', undefined],
    [`{${ID}}`, undefined],
    ['{question} {Question}', 'Question'],
    ['{answer (3)}', 'answer (3)'],
    ['{}', ''],
    ['{"a": {question}}', undefined],
    ['{"a": 1}', '"a": 1'],
  ])('%s names %s, which does not exist', (text, name) => {
    expect(unknownName(text, columns)).toBe(name);
  });
});
