import { describe, expect, it } from 'vitest';
import { hear } from './event-stream';

const heard = (block: string): unknown[] => {
  const events: unknown[] = [];
  hear(block, (name, data) => events.push([name, data]));
  return events;
};

describe('an event of a stream', () => {
  it('is read with every separator of lines that JSON leaves as it is', () => {
    const data = { text: 'one\u2028two\u2029three\u0085four\nfive' };
    expect(heard(`event: delta\ndata: ${JSON.stringify(data)}`)).toEqual([['delta', data]]);
  });

  it('is none where a block is a comment', () => {
    expect(heard(': still here')).toEqual([]);
  });
});
