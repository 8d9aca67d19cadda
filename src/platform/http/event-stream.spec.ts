import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { EventStream } from './event-stream.js';

const bodyOf = (events: EventStream) => events.answer.getStream();

async function textOf(body: Readable): Promise<string> {
  let text = '';
  for await (const piece of body) text += String(piece);
  return text;
}

describe('a stream of events', () => {
  it('sends them in their order and ends with the last one', async () => {
    const events = new EventStream();
    const text = textOf(bodyOf(events));
    await events.send('text', { text: 'a\nb' });
    events.end('end', { done: true });
    await events.send('text', { text: 'too late' });
    expect(await text).toBe('event: text\ndata: {"text":"a\\nb"}\n\nevent: end\ndata: {"done":true}\n\n');
  });

  it('is written no faster than it is read', async () => {
    const events = new EventStream();
    const body = bodyOf(events);
    const large = { text: 'x'.repeat(1_000_000) };
    let sent = false;
    const sending = events.send('text', large).then(() => (sent = true));
    await new Promise(setImmediate);
    expect(sent).toBe(false);
    body.resume();
    await sending;
    expect(sent).toBe(true);
  });

  it('waits for no client that has left', async () => {
    const events = new EventStream();
    const body = bodyOf(events);
    const sending = events.send('text', { text: 'x'.repeat(1_000_000) });
    body.destroy();
    await sending;
    await events.send('text', {});
    events.end('end', {});
  });
});
