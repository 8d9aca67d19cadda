import type { StreamableFile } from '@nestjs/common';
import { streamJson } from '../../platform/http/json-stream.js';
import type { LargeValues } from '../../grid/cells/large-values.js';

/** An answer with the large values of its cells, which are read while it is sent. */
export function largeAnswer<T extends object>(answer: T, large: LargeValues): T | StreamableFile {
  return large.count === 0 ? answer : streamJson(large.fill(JSON.stringify(answer)));
}

/** JSON text in pieces with the large values in place of their marks. No mark is in two pieces. */
export async function* filled(large: LargeValues, pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) yield* large.fill(piece);
}
