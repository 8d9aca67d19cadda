import { describe, expect, it } from 'vitest';
import { withEdits } from './kept-edits';

describe('edits of a form that shows a part of a value', () => {
  const whole = { name: 'greeting', version_number: 3, model: { name: 'a', stream: true }, list: [{ t: 'x', id: 1 }] };
  const form = { name: 'greeting', model: { name: 'a' }, list: [{ t: 'x' }] };

  it('leave an unedited value itself', () => {
    expect(withEdits(whole, form, { ...form })).toBe(whole);
  });

  it('change only what was edited', () => {
    const edited = { ...form, model: { name: 'b' }, list: [{ t: 'y' }] };
    expect(withEdits(whole, form, edited)).toEqual({
      ...whole,
      model: { name: 'b', stream: true },
      list: [{ t: 'y', id: 1 }],
    });
  });

  it('remove what the form has removed, and keep unknown fields of elements behind it', () => {
    const elements = [
      { t: 'x', id: 1 },
      { t: 'y', id: 2 },
    ];
    expect(
      withEdits({ a: 1, b: 2, list: elements }, { a: 1, list: [{ t: 'x' }, { t: 'y' }] }, { list: [{ t: 'y' }] }),
    ).toEqual({ b: 2, list: [{ t: 'y', id: 2 }] });
  });
});
