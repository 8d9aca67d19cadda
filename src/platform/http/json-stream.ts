import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** The content type of answers that are JSON text already. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * An answer of JSON text that is produced while it is sent, for lists too long to be in memory twice. The pieces together must be
 * one JSON value; make them some kilobytes long.
 */
export function streamJson(pieces: Iterable<string> | AsyncIterable<string>): StreamableFile {
  return new StreamableFile(Readable.from(pieces, { objectMode: false }), { type: JSON_TYPE });
}

/** Characters per piece of an answer: the socket copies it as bytes. */
const SLICE = 256 * 1024;
/** Short pieces are cheap to collect. */
const SHORT = 64 * 1024;

/** A long text in pieces, so that its bytes are never in memory as a whole beside it. */
export function* inSlices(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    // Keeps surrogate pairs together.
    const isCut = isHighSurrogate(text.charCodeAt(at + SLICE - 1));
    const end = at + SLICE - (isCut ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

/** Items of a list, several at a time, with commas between them: short ones together, long ones in slices. */
export async function* listed(groups: AsyncIterable<string[]>): AsyncGenerator<string> {
  let text = '';
  let separator = '';
  for await (const items of groups) {
    for (const item of items) {
      text += separator + item;
      separator = ',';
      if (text.length < SHORT) continue;
      yield* inSlices(text);
      text = '';
    }
  }
  if (text !== '') yield text;
}

/** `{...fields, [key]: [items]}` as text, `perPiece` items at a time. `items` are JSON text already. */
export function* jsonWithList(fields: object, key: string, items: Iterable<string>, perPiece = 500): Generator<string> {
  yield opening(fields, key);
  let piece: string[] = [];
  let separator = '';
  for (const item of items) {
    piece.push(item);
    if (piece.length < perPiece) continue;
    yield separator + piece.join(',');
    separator = ',';
    piece = [];
  }
  yield `${piece.length > 0 ? separator + piece.join(',') : ''}]}`;
}

/** The same for a list in pieces of any length, which contain the commas. */
export async function* jsonWithPieces(
  fields: object,
  key: string,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield opening(fields, key);
  yield* pieces;
  yield ']}';
}

function opening(fields: object, key: string): string {
  const head = JSON.stringify(fields).slice(0, -1);
  return `${head === '{' ? head : `${head},`}${JSON.stringify(key)}:[`;
}
