import { describe, expect, it } from 'vitest';
import { columnNamed, mappedByName, openBrace, placeholderFor, placeholdersIn } from './column-names';

const columns = [
  { id: '1', title: 'User Question' },
  { id: '2', title: 'answer' },
  { id: '3', title: 'Answer' },
  { id: '4', title: 'Answer (v5)' },
];

describe('variables are mapped', () => {
  it.each([
    ['user_question', '1'],
    ['USER-question', '1'],
    ['answer', '2'],
    ['Answer', '3'],
    ['ANSWER', null],
    ['nothing', null],
  ])('by name: %s', (name, expected) => expect(columnNamed(name, columns)).toBe(expected));

  it('keeps mappings made by hand, including empty ones', () => {
    expect(mappedByName(['answer', 'user_question', 'x'], columns, { answer: '4', user_question: '' })).toEqual({
      answer: '4',
      user_question: '',
    });
    expect(mappedByName(['user_question'], columns, { gone: '2' })).toEqual({ user_question: '1' });
  });
});

describe('placeholders', () => {
  it('are read as the server reads them', () => {
    expect(placeholdersIn('{a} {a} { b c } {{x}} {"a": 1} {2,3} {ü.1}')).toEqual(['a', 'b c', 'ü.1']);
    expect(placeholdersIn(undefined)).toEqual([]);
  });

  it.each(['Answer (v5)', '2nd', '{x}', 'ä', '(', 'a"b'])('for a column called %s are placeholders', (title) => {
    const name = placeholderFor(title);
    expect(placeholdersIn(`{${name}}`)).toEqual([name]);
  });

  it('begin with a brace before the cursor', () => {
    expect(openBrace('Does {ans', 9)).toEqual({ from: 5, typed: 'ans' });
    expect(openBrace('Does {answer} name', 18)).toBeNull();
    expect(openBrace('{{', 2)).toBeNull();
    expect(openBrace('{"a', 3)).toBeNull();
  });
});
