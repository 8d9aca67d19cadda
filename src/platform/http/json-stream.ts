import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/**
 * An answer of JSON text that is produced while it is sent, for lists too long to hold twice in memory. The pieces
 * together must be one JSON value; make them some kilobytes long.
 */
export function streamJson(pieces: Iterable<string>): StreamableFile {
  return new StreamableFile(Readable.from(pieces, { objectMode: false }), { type: 'application/json; charset=utf-8' });
}

/** `{...fields, [key]: [items]}` as text, `perPiece` items at a time. `items` are JSON text already. */
export function* jsonWithList(fields: object, key: string, items: Iterable<string>, perPiece = 500): Generator<string> {
  const head = JSON.stringify(fields).slice(0, -1);
  yield `${head === '{' ? head : `${head},`}${JSON.stringify(key)}:[`;
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
