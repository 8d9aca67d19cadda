import { describe, expect, it } from 'vitest';
import { Stride } from './stride.js';

describe('a stride', () => {
  it('grows while statements are quick, up to a limit, and shrinks when they take long', () => {
    const stride = new Stride();
    const first = stride.rows;
    stride.took(1);
    expect(stride.rows).toBe(4 * first);
    stride.took(1000);
    expect(stride.rows).toBe(4 * first);
    stride.took(3000);
    expect(stride.rows).toBe(2 * first);
    for (let step = 0; step < 20; step++) stride.took(1);
    expect(stride.rows).toBe(1_000_000);
  });

  it('shrinks at once after a timeout, down to a minimum', () => {
    const stride = new Stride();
    const lengths = [stride.rows];
    for (; !stride.isShortest; lengths.push(stride.rows)) stride.shorten();
    expect(lengths).toEqual([2000, 250, 31, 8]);
  });
});
