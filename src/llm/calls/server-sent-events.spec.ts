import { ReadableStream } from 'node:stream/web';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut } from '../../../test/support/fake-streams.js';
import { readEvents, type ServerSentEvent } from './server-sent-events.js';

async function eventsOf(pieces: Uint8Array[]): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(ReadableStream.from(pieces))) events.push(event);
  return events;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const data = (...texts: string[]) => texts.map((text) => ({ name: '', data: text }));

describe('server-sent events', () => {
  it.each([
    ['data: a\n\ndata: b\n\n', data('a', 'b')],
    ['data:a\r\n\r\ndata: b\r\rdata:  c\n\n', data('a', 'b', ' c')],
    ['event: ping\ndata: 1\ndata: 2\n\n', [{ name: 'ping', data: '1\n2' }]],
    [': keep-alive\n\n:\n\ndata: a\nid: 7\nretry: 5\n\n', data('a')],
    ['data: without a blank line', data('without a blank line')],
    ['event: nothing\n\ndata\n\n', data('')],
    ['\uFEFFdata: a\n\n', data('a')],
    ['', []],
  ])('are read by the rules of the web: %j', async (text, expected) => {
    expect(await eventsOf([bytes(text)])).toEqual(expected);
  });

  it('are the same however their bytes are cut, inside of letters and of line ends too', async () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\r\n]/g, '').replace(/^ /, ''));
    const event = fc.record({ name: fc.constantFrom('', 'ping', 'Ärger'), lines: fc.array(line, { minLength: 1 }) });
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    const places = fc.array(fc.nat(), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(event), ending, places, async (events, end, at) => {
        const text = events.map(({ name, lines }) =>
          [...(name === '' ? [] : [`event: ${name}`]), ...lines.map((each) => `data: ${each}`), '', ''].join(end),
        );
        const known = events.map(({ name, lines }) => ({ name, data: lines.join('\n') }));
        // Lone surrogates have no bytes of their own.
        const expected = known.map((each) => ({ ...each, data: each.data.toWellFormed() }));
        expect(await eventsOf(cut(bytes(text.join('')), at))).toEqual(expected);
      }),
    );
  });

  it('reads each character of a long event once', async () => {
    const letter = bytes('x'.repeat(100));
    const pieces = [bytes('data: '), ...Array.from({ length: 100_000 }, () => letter), bytes('\n\n')];
    const [event] = await eventsOf(pieces);
    expect(event!.data).toHaveLength(10_000_000);
  });

  it('refuses an event that does not end', async () => {
    const megabyte = bytes('x'.repeat(1_000_000));
    const endless = ReadableStream.from(
      (function* () {
        yield bytes('data: ');
        for (;;) yield megabyte;
      })(),
    );
    const read = async () => {
      for await (const _ of readEvents(endless)) expect.unreachable();
    };
    await expect(read()).rejects.toThrow('longer than 50000000 characters');
  });
});
