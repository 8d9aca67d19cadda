import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, frame, numbers } from '../../../test/support/fake-streams.js';
import { readFrames } from './event-frames.js';
import { streamedChunks } from './streamed-chunks.js';

async function* arriving(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

async function readAll(...pieces: Uint8Array[]): Promise<{ headers: object; payload: string }[]> {
  const read: { headers: object; payload: string }[] = [];
  for await (const { headers, payload } of readFrames(arriving(pieces))) {
    read.push({ headers: Object.fromEntries(headers), payload: payload.toString() });
  }
  return read;
}

const frames = fc.array(
  fc.record({
    headers: fc.dictionary(fc.stringMatching(/^:?[a-z-]{1,20}$/), fc.string({ unit: 'grapheme' }), {
      noNullPrototype: true,
      maxKeys: 5,
    }),
    payload: fc.string({ unit: 'grapheme', maxLength: 300 }),
  }),
  { maxLength: 8 },
);

/** The start of a frame with these lengths and the right checksum. */
function prelude(length: number, headers: number): Buffer {
  const lengths = numbers(length, headers);
  return Buffer.concat([lengths, numbers(crc32(lengths))]);
}

const hello = frame({ ':event-type': 'hello' }, '{"a":1}');
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('frames', () => {
  it('are the same however their bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(frames, fc.array(fc.nat(), { maxLength: 60 }), async (sent, places) => {
        const whole = Buffer.concat(sent.map(({ headers, payload }) => frame(headers, payload)));
        expect(await readAll(...cut(whole, places))).toEqual(sent);
      }),
    );
  });

  it('are those of the published examples', async () => {
    const empty = hex('00000010 00000000 05c248eb 7d98c8ff');
    const number = hex(
      '0000002d 00000010 41c424b8 0a 6576656e742d74797065 04 0000a00c 7b27666f6f273a27626172277d 36f480a0',
    );
    expect(await readAll(empty, number)).toEqual([
      { headers: {}, payload: '' },
      { headers: {}, payload: "{'foo':'bar'}" },
    ]);
  });

  it('may have headers of every type', async () => {
    const values = [[0], [1], [2, 9], [3, 9, 9], [4, 9, 9, 9, 9], [5, ...bytes(8)], [6, 0, 2, 9, 9], [8, ...bytes(8)]];
    const headers = Object.fromEntries(
      [...values, [9, ...bytes(16)]].map((value, index) => [`h${index}`, Uint8Array.from(value)]),
    );
    expect(await readAll(frame({ ...headers, last: 'text' }, 'x'))).toEqual([
      { headers: { last: 'text' }, payload: 'x' },
    ]);
  });

  it.each<[string, Uint8Array, string]>([
    ['a wrong checksum of its start', flipped(hello, 9), 'the start of a frame has a wrong checksum'],
    ['a changed length', flipped(hello, 2), 'the start of a frame has a wrong checksum'],
    ['a wrong checksum', flipped(hello, hello.length - 1), 'a frame has a wrong checksum'],
    ['a changed payload', flipped(hello, hello.length - 6), 'a frame has a wrong checksum'],
    ['a changed header', flipped(hello, 14), 'a frame has a wrong checksum'],
    ['its end missing', hello.subarray(0, hello.length - 1), 'it ends within a frame'],
    ['its start cut off', hello.subarray(0, 7), 'it ends within a frame'],
    ['too long a payload', prelude(16 * 1024 * 1024 + 1, 0), 'a frame is longer than 16777216 bytes'],
    ['too long headers', prelude(1_000_000, 131_073), 'the headers of a frame are longer than 131072 bytes'],
    ['headers beyond its end', prelude(20, 5), 'a frame is shorter than its headers'],
    ['no room for its checksums', prelude(15, 0), 'a frame is shorter than its headers'],
    ['an unknown header', frame({ a: Uint8Array.of(10) }, ''), 'a header of a frame has the unknown type 10'],
    ['a header cut off', frame({ a: Uint8Array.of(7, 0, 9, 65) }, ''), 'a header of a frame is cut off'],
    ['a header without a type', frame({ a: Uint8Array.of() }, ''), 'a header of a frame is cut off'],
  ])('with %s are refused', async (_, broken, reason) => {
    await expect(readAll(hello, broken)).rejects.toThrow(`its stream is broken: ${reason}.`);
  });

  it('are refused or read, whatever arrives', async () => {
    const changes = fc.array(fc.tuple(fc.nat(hello.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const bent = Buffer.from(hello);
        for (const [at, value] of changed) bent[at] = value;
        if (bent.equals(hello)) return;
        await expect(readAll(bent)).rejects.toThrow('its stream is broken');
      }),
    );
  });

  it('may have 16 MB and arrive in small pieces', async () => {
    const large = frame({}, 'x'.repeat(16 * 1024 * 1024 - 16));
    const places = Array.from({ length: 4000 }, (_, index) => index * 4096);
    const [read] = await readAll(...cut(large, places));
    expect(read!.payload).toHaveLength(16 * 1024 * 1024 - 16);
  });
});

describe('the chunks of frames', () => {
  const chunksOf = async (...events: Uint8Array[]) => {
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
    const chunks = [];
    for await (const chunk of streamedChunks(new Response(Buffer.concat(events), { headers }))) chunks.push(chunk);
    return chunks;
  };
  const event = (name: string, payload: string) => frame({ ':message-type': 'event', ':event-type': name }, payload);

  it('are events by their names, without padding', async () => {
    expect(await chunksOf(event('a', '{"b":1,"p":"xyz"}'), event('initial-response', '{}'), event('c', ''))).toEqual([
      { a: { b: 1 } },
    ]);
  });

  it('are errors of the service and of the transport', async () => {
    const exception = { ':message-type': 'exception', ':exception-type': 'throttlingException' };
    const error = { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'Away' };
    expect(
      await chunksOf(frame(exception, '{"message":"Slow"}'), frame(exception, 'Slow'), frame(error, ''), frame({}, '')),
    ).toEqual([
      { error: { type: 'throttlingException', message: 'Slow' } },
      { error: { type: 'throttlingException', message: 'Slow' } },
      { error: { type: 'InternalError', message: 'Away' } },
      { error: { type: 'error', message: 'error' } },
    ]);
  });

  it('that are no JSON are refused', async () => {
    await expect(chunksOf(event('a', '{"b'))).rejects.toThrow('a part of its stream is no JSON: {"b');
    await expect(chunksOf(event('chunk', '{"bytes":"eyJi"}'))).rejects.toThrow('no JSON: {"b');
  });
});

function bytes(count: number): number[] {
  return Array.from({ length: count }, () => 9);
}

function flipped(whole: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(whole);
  changed[at]! ^= 1;
  return changed;
}
