import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** The content type of answers that are JSON text already. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * An answer of JSON text that is produced while it is sent, for lists too long to hold twice in memory. The pieces
 * together must be one JSON value; make them some kilobytes long.
 */
export function streamJson(pieces: Iterable<string> | AsyncIterable<string>): StreamableFile {
  return new StreamableFile(Readable.from(pieces, { objectMode: false }), { type: JSON_TYPE });
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

/** The same for a list that comes in pieces of any length; the commas between its items are in them. */
export async function* jsonWithPieces(
  fields: object,
  key: string,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield opening(fields, key);
  yield* pieces;
  yield ']}';
}

/** The same for items that are long, each a piece of its own, and that become known one after the other. */
export async function* jsonWithLongItems(
  fields: object,
  key: string,
  items: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield opening(fields, key);
  let separator = '';
  for await (const item of items) {
    yield separator + item;
    separator = ',';
  }
  yield ']}';
}

function opening(fields: object, key: string): string {
  const head = JSON.stringify(fields).slice(0, -1);
  return `${head === '{' ? head : `${head},`}${JSON.stringify(key)}:[`;
}
