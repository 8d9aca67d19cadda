import { expect, it } from 'vitest';
import { EventLoopTurns } from './event-loop-turns.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('gives every piece of work a turn of its own, in order', async () => {
  const turns = new EventLoopTurns();
  const seen: string[] = [];
  const work = ['a', 'b', 'c'].map((name) => turns.next().then(() => seen.push(name)));
  const others = (async () => {
    for (let index = 0; index < 4; index++) {
      await turn();
      seen.push('|');
    }
  })();
  await Promise.all([...work, others]);
  expect(seen.join('')).toMatch(/^\|*a\|+b\|+c\|*$/);
});
